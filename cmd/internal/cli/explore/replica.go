package explore

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// reads reports whether a script of the cell reads from a replica.
func (c *cell) reads() bool {
	return slices.ContainsFunc(c.actors, func(name string) bool {
		a := c.sc.Actor(name)
		return a != nil && slices.ContainsFunc(a.Script.Stmts, func(st *pg.Stmt) bool { return st.On != "" })
	})
}

// follow starts a replica of the throw-away server where a script asks for
// one. Its replay is stopped and let go on between two steps, which nobody may
// do to a replica that others read from.
func (s *session) follow(ctx context.Context, cells []*cell) error {
	i := slices.IndexFunc(cells, (*cell).reads)
	switch {
	case i < 0:
		return nil
	case s.place.Server == nil:
		return exit.Usagef("a script of %s reads from a replica, whose replay explore has to stop", cells[i].sc.FullName()).
			WithHint("use --throwaway, which starts a server with a replica; `ccheck stress --replica` reads from yours")
	case s.o.Jobs > 1:
		return exit.Usagef("--jobs %d: a script of %s reads from a replica, and all databases have the same one", s.o.Jobs, cells[i].sc.FullName()).WithHint("leave --jobs out")
	}
	s.o.Streams.Sayf("a script reads from a replica: starting one")
	r, err := s.place.Server.AddReplica(ctx, postgres.ReplicaOptions{Settings: map[string]string{"hot_standby_feedback": "on"}})
	if err != nil {
		return exit.Failedf("%w", err)
	}
	s.replica, err = target.Parse(target.Source{DSN: r.DSN(), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	return err
}

// standby is what sessions on the replica are opened with; nil for a cell that
// needs none. A hot standby refuses SERIALIZABLE (SQLSTATE 0A000), so that
// REPEATABLE READ is what a run at that level has there.
func (s *session) standby(box *place.Sandbox, c *cell) func() *pgconn.Config {
	if s.replica == nil || !c.reads() {
		return nil
	}
	level := c.level
	if level == scenario.Serializable {
		level = scenario.RepeatableRead
	}
	return func() *pgconn.Config {
		cfg := s.replica.Config(box.Run, s.place.Limits)
		cfg.RuntimeParams["default_transaction_isolation"] = string(level)
		return cfg
	}
}
