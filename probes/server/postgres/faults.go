package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

// frozen is a paused server.
type frozen struct {
	pids []int
	conn *pgconn.PgConn // kept open: it is one of the paused
}

// Pause stops every process of the server with SIGSTOP, as a machine that
// hangs does: connections stay open and nothing answers.
func (s *Server) Pause(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen != nil {
		return nil
	}
	if s.process == nil || s.process.ended() {
		return errors.New("pausing the server: it does not run")
	}
	// A connection must be open before the postmaster stops, which then makes
	// no new processes while the old ones are listed.
	conn, err := pgconn.ConnectConfig(ctx, s.config)
	if err != nil {
		return fmt.Errorf("pausing the server: %w", err)
	}
	s.frozen = &frozen{conn: conn, pids: []int{s.process.pid()}}
	if err := s.freeze(ctx); err != nil {
		return errors.Join(fmt.Errorf("pausing the server: %w", err), s.thaw())
	}
	return nil
}

func (s *Server) freeze(ctx context.Context) error {
	if err := system.Send(s.process.pid(), system.Stop); err != nil {
		return err
	}
	rows := s.frozen.conn.ExecParams(ctx, "SELECT pid FROM pg_stat_activity", nil, nil, nil, nil).Read()
	if rows.Err != nil {
		return rows.Err
	}
	for _, row := range rows.Rows {
		pid, err := strconv.Atoi(string(row[0]))
		if err != nil {
			return fmt.Errorf("reading a process id: %w", err)
		}
		s.frozen.pids = append(s.frozen.pids, pid)
		if err := system.Send(pid, system.Stop); err != nil {
			return err
		}
	}
	return nil
}

// Resume lets a paused server go on. It does nothing to one that runs.
func (s *Server) Resume() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thaw()
}

func (s *Server) thaw() error {
	if s.frozen == nil {
		return nil
	}
	f := s.frozen
	s.frozen = nil
	var errs []error
	for _, pid := range f.pids {
		errs = append(errs, system.Send(pid, system.Continue))
	}
	go closeQuietly(f.conn)
	return errors.Join(errs...)
}

// closeQuietly ends a connection whose server may be gone by now.
func closeQuietly(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// Kill ends the postmaster by SIGKILL, as the kernel does when memory runs out.
// Its children notice and end too. Restart brings the server back through crash
// recovery.
func (s *Server) Kill(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	p := s.running()
	if p == nil {
		return nil
	}
	// A paused child would not notice.
	return errors.Join(p.end(ctx, system.Kill), s.Resume())
}

// Restart shuts the server down in good order, if it runs, and starts it again
// on the same port. Connections are lost, what is committed stays.
func (s *Server) Restart(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	p := s.running()
	if p == nil {
		return errors.New("restarting the server: it has been stopped")
	}
	if err := errors.Join(s.Resume(), p.end(ctx, system.Interrupt)); err != nil {
		return fmt.Errorf("restarting the server: %w", err)
	}
	for {
		// After a Kill the children may need a moment to notice.
		if err := s.launch(ctx); !errors.Is(err, errBusy) || ctx.Err() != nil {
			return err
		}
	}
}

// running returns the latest postmaster, nil after Stop.
func (s *Server) running() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	return s.process
}
