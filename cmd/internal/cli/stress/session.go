package stress

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// session is the server that runs are made on: the user's, with the rails
// passed, or a throw-away one.
type session struct {
	o      *Options
	target *target.Target
	server *postgres.Server // nil when the server is the user's
	facts  target.Facts
	set    target.Settings
}

// connect finds the server, starting one when none was named, and asks the
// rails. The connection that looks is closed again.
func connect(ctx context.Context, o *Options, lanes int) (*session, error) {
	s := &session{o: o, set: target.DefaultSettings()}
	err := s.find(ctx, lanes)
	if err == nil {
		err = s.inspect(ctx)
	}
	if err != nil {
		s.close(ctx)
		return nil, err
	}
	return s, nil
}

// named reports whether the user named a server, by a flag or a variable that
// psql would follow too.
func (o *Options) named() bool {
	if o.Throwaway {
		return false
	}
	env := o.Streams.Env
	return o.Target.Named(o.Streams) || env("PGHOST") != "" || env("PGHOSTADDR") != "" || env("PGSERVICE") != ""
}

func (s *session) find(ctx context.Context, lanes int) (err error) {
	if s.o.named() {
		s.target, err = s.o.Target.Parse(s.o.Streams)
		return err
	}
	s.o.Streams.Sayf("no server was named: starting a throw-away PostgreSQL")
	s.server, err = postgres.Start(ctx, postgres.Options{
		MaxConnections: max(100, 2*lanes+20), AllowDownload: true,
		Say: func(text string) { s.o.Streams.Sayf("%s", text) },
	})
	if err != nil {
		return err
	}
	s.target, err = target.Parse(target.Source{DSN: s.server.DSN(), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	// Nobody else is on this server, and a limit that ends a lane's wait would
	// be seen as a failure of the application.
	s.set.Lock, s.set.Statement, s.set.IdleInTransaction = time.Minute, time.Minute, time.Minute
	// The default second makes a run of deadlocks a run of waiting.
	s.set.Params = map[string]string{"deadlock_timeout": "200ms"}
	return err
}

func (s *session) inspect(ctx context.Context) error {
	run := s.newRun()
	conn, err := s.target.Connect(ctx, run, s.set)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if s.facts, err = s.target.Inspect(ctx, conn); err != nil {
		return err
	}
	if s.o.Plan {
		return nil // a plan tells what the rails would say
	}
	return target.Refuse(s.facts, target.Override{Database: s.o.KnownAs})
}

func (s *session) newRun() target.Run { return target.NewRun(build.Version(), time.Now()) }

// connections is what a run of the scenario with so many lanes opens: one for
// each lane, one more where a script speaks to another service, and those of
// the checker, the sampler, the guard, the set-up and one to spare.
func connections(sc *scenario.Scenario, clients int) int {
	n := clients
	for _, a := range sc.Actors {
		for _, st := range a.Script.Stmts {
			if st.Outside {
				return 2*clients + beside
			}
		}
	}
	return n + beside
}

const beside = 5

// lanes is the number of clients of a run. A number that the user typed is
// kept to or refused; the scenario's own gives way to the server's.
func (s *session) lanes(sc *scenario.Scenario) (int, error) {
	clients := s.o.wanted(sc)
	_, err := s.facts.ConnectionCap(connections(sc, clients), s.o.MaxConnections)
	if err == nil {
		return clients, nil
	}
	fits := clients
	for ; fits > 2; fits-- {
		if _, fit := s.facts.ConnectionCap(connections(sc, fits), s.o.MaxConnections); fit == nil {
			break
		}
	}
	if s.o.ClientsGiven || len(sc.Load.Lanes) > 0 || fits <= 2 {
		return 0, fewer(err, fits)
	}
	s.o.Streams.Warnf("%d clients instead of the scenario's %d: %v", fits, clients, err)
	return fits, nil
}

// fewer puts the number of clients that fit into the hint of the rail, which
// knows connections alone.
func fewer(err error, fits int) error {
	var rail *target.Error
	if !errors.As(err, &rail) {
		return err
	}
	_, rest, _ := strings.Cut(rail.Hint, ", or ")
	if fits <= 2 {
		return exit.Refusedf("%w", err).WithHint("close connections of others, or %s: ccheck needs some beside those of two lanes", rest)
	}
	return exit.Refusedf("%w", err).WithHint("use at most %d clients (each is a connection, and ccheck needs some beside them), or %s", fits, rest)
}

// wanted is the number of clients that is asked for.
func (o *Options) wanted(sc *scenario.Scenario) int {
	n := 0
	for _, l := range sc.Load.Lanes {
		n += l.Count
	}
	switch {
	case n > 0:
		return n
	case o.Clients > 0:
		return o.Clients
	case sc.Load.Clients > 0:
		return sc.Load.Clients
	}
	return 8
}

func (s *session) close(ctx context.Context) {
	if s.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := s.server.Stop(ctx); err != nil {
		s.o.Streams.Warnf("the throw-away server did not stop in good order: %v", err)
	}
}

// sandbox makes the schema of a run. The connection carries the run's lock.
func (s *session) sandbox(ctx context.Context, run target.Run) (*target.Sandbox, *pgconn.PgConn, error) {
	conn, err := s.target.Connect(ctx, run, s.set)
	if err != nil {
		return nil, nil, err
	}
	box, err := s.target.CreateSandbox(ctx, conn, run)
	if err != nil {
		conn.Close(context.WithoutCancel(ctx))
		return nil, nil, err
	}
	return box, conn, nil
}

// leave takes the sandbox away, or keeps it when that was asked for.
func (s *session) leave(ctx context.Context, box *target.Sandbox, conn *pgconn.PgConn) (note string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	defer conn.Close(ctx)
	if s.o.Keep && s.server == nil {
		if err := box.Release(ctx); err != nil {
			s.o.Streams.Warnf("%v", err)
		}
		return fmt.Sprintf("schema %s was kept, as --keep asks; `ccheck clean --force` removes it", box.Schema)
	}
	if err := box.Drop(ctx); err != nil {
		return fmt.Sprintf("schema %s is left on %s: %v; `ccheck clean` removes it", box.Schema, s.target.Address(), err)
	}
	return ""
}
