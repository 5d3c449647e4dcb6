package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	osexec "os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

const (
	host      = "127.0.0.1"
	portTries = 5
	pollEvery = 10 * time.Millisecond
)

// process is a postmaster, our direct child.
type process struct {
	cmd  *osexec.Cmd
	done chan struct{} // closed when it has been reaped
	err  error         // how it ended; read after done
}

// errBusy says that the server ended for want of something that will be free
// in a moment or elsewhere.
var errBusy = errors.New("a resource is in use")

// start launches the server for the first time, on a port of its choice, and
// waits until it accepts connections to the database.
func (s *Server) start(ctx context.Context, password, database string) error {
	var err error
	for range portTries {
		var port int
		if port, err = freePort(); err != nil {
			return err
		}
		if err := s.address(port, password, database); err != nil {
			return err
		}
		// Between our look and the server's bind somebody may take the port.
		if err = s.launch(ctx); !errors.Is(err, errBusy) {
			return err
		}
	}
	return err
}

// freePort asks the system for a loopback port that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", host+":0")
	if err != nil {
		return 0, fmt.Errorf("looking for a free port on %s: %w", host, err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// address sets how the server is reached. The environment's PG* variables are
// not allowed a say in it, except PGSERVICE, which pgconn insists on.
func (s *Server) address(port int, password, database string) error {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(User, password),
		Host: net.JoinHostPort(host, strconv.Itoa(port)), Path: Database,
		RawQuery: "sslmode=disable&target_session_attrs=any",
	}
	s.dsn = u.String()
	config, err := pgconn.ParseConfig(s.dsn)
	if err != nil {
		return fmt.Errorf("addressing the throw-away server: %w; unset the PG* variable at fault", err)
	}
	config.RuntimeParams = map[string]string{}
	config.ConnectTimeout = startLimit
	config.Database = database
	s.config = config
	return nil
}

// launch runs the postmaster and waits until it accepts connections.
func (s *Server) launch(ctx context.Context) error {
	h := &s.home
	cmd := h.account.command(context.Background(), h.dir, h.program("postgres"), "-D", h.data(), "-p", strconv.Itoa(int(s.config.Port)))
	cmd.Stdout, cmd.Stderr = h.log, h.log
	from := h.logSize()
	if err := h.start(cmd); err != nil {
		return h.account.explain(err, h.dir, h.program("postgres"))
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go p.reap()
	s.mu.Lock()
	s.process = p
	s.mu.Unlock()
	return s.await(ctx, p, from)
}

func (p *process) reap() {
	p.err = p.cmd.Wait()
	close(p.done)
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// end sends a signal and waits for the end of the process.
func (p *process) end(ctx context.Context, sig syscall.Signal) error {
	if p.ended() {
		return nil
	}
	if err := system.Send(p.pid(), sig); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the end of PostgreSQL (process %d): %w", p.pid(), ctx.Err())
	}
}

// await polls by connecting: only that proves that the server is ready, and
// that it is ours, for it must know the password as well as we do.
func (s *Server) await(ctx context.Context, p *process, from int64) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := ping(ctx, s.config)
		if err == nil && !p.ended() {
			return nil
		}
		select {
		case <-p.done:
			return s.home.died(p, from)
		case <-ctx.Done():
			return s.home.explain("waiting for the server to accept connections", errors.Join(ctx.Err(), err), s.home.logSince(from))
		case <-tick.C:
		}
	}
}

// died explains why a server that was to start has ended.
func (h *home) died(p *process, from int64) error {
	said := h.logSince(from)
	err := p.err
	if err == nil {
		err = errors.New("it ended at once")
	}
	for _, busy := range []string{"could not bind", "is still in use"} {
		if strings.Contains(said, busy) {
			err = fmt.Errorf("%w: %w", errBusy, err)
		}
	}
	return h.explain("starting the server", err, said)
}

func ping(ctx context.Context, config *pgconn.Config) error {
	return exec(ctx, config, "")
}

// exec runs SQL on a connection of its own.
func exec(ctx context.Context, config *pgconn.Config, sql string) error {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}
