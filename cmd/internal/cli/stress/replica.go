package stress

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// asks reports whether a script of the scenario reads from a replica.
func asks(sc *scenario.Scenario) bool {
	return slices.ContainsFunc(sc.Actors, func(a scenario.Actor) bool {
		return slices.ContainsFunc(a.Script.Stmts, func(st *pg.Stmt) bool { return st.On != "" })
	})
}

// follow finds the replica, or starts one of the throw-away server where a
// script asks for it.
func (s *session) follow(ctx context.Context, sc *scenario.Scenario) (err error) {
	source := target.Source{DSN: s.o.Replica, DSNGiven: true, Env: s.o.Streams.Env}
	switch {
	case !asks(sc) && s.o.Replica != "":
		return exit.Usagef("--replica: no script of %s reads from a replica", sc.FullName()).WithHint("write -- @on replica before a statement, or leave it out")
	case !asks(sc):
		return nil
	case s.o.Replica == "" && s.place.Server == nil:
		return exit.Usagef("a script of %s reads from a replica, and none was named", sc.FullName()).WithHint("name one with --replica, or leave the server out: a throw-away one gets a replica")
	case s.o.Replica == "":
		s.o.Streams.Sayf("a script reads from a replica: starting one")
		r, err := s.place.Server.AddReplica(ctx, postgres.ReplicaOptions{})
		if err != nil {
			return exit.Failedf("%w", err)
		}
		source = target.Source{DSN: r.DSN(), DSNGiven: true, Throwaway: true}
	}
	s.replica, err = target.Parse(source)
	var e *target.Error
	if errors.As(err, &e) {
		say := strings.NewReplacer("--dsn", "--replica")
		return &exit.Error{Code: e.Exit, Msg: say.Replace(e.Msg), Hint: say.Replace(e.Hint), Err: err}
	}
	return err
}

// replicaConfig looks at the replica once, and returns what its sessions are
// opened with; nil without one. A hot standby refuses SERIALIZABLE (SQLSTATE
// 0A000), so that REPEATABLE READ is what a run at that level has there.
func (s *session) replicaConfig(ctx context.Context, box *place.Sandbox, level scenario.Isolation) (func() *pgconn.Config, error) {
	if s.replica == nil {
		return nil, nil
	}
	primary, err := pgconn.ConnectConfig(ctx, box.Config())
	if err != nil {
		return nil, exit.Failedf("connecting to %s: %w", s.place.Target.Address(), err)
	}
	defer primary.Close(context.WithoutCancel(ctx))
	conn, err := s.replica.ConnectReplica(ctx, box.Run, s.place.Limits, primary)
	if err != nil {
		return nil, err
	}
	conn.Close(ctx)
	if level == scenario.Serializable {
		level = scenario.RepeatableRead
		s.o.Streams.Sayf("statements on the replica run at REPEATABLE READ: a hot standby has no SERIALIZABLE (SQLSTATE 0A000)")
	}
	return func() *pgconn.Config {
		cfg := s.replica.Config(box.Run, s.place.Limits)
		if level != "" {
			cfg.RuntimeParams["default_transaction_isolation"] = string(level)
		}
		return cfg
	}, nil
}
