package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

// explored runs a scenario's lanes in a fresh database.
func explored(t testing.TB, sc *scenario.Scenario, actors []string, level scenario.Isolation, change func(*Options)) (Counts, string) {
	t.Helper()
	return exploredIn(t, pgtest.Config(t), sc, actors, level, change)
}

// exploredIn runs them in a database that is emptied first.
func exploredIn(t testing.TB, cfg *pgconn.Config, sc *scenario.Scenario, actors []string, level scenario.Isolation, change func(*Options)) (Counts, string) {
	t.Helper()
	o := optionsIn(t, cfg, sc, actors, level)
	if change != nil {
		change(&o)
	}
	counts, err := Drive(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return counts, o.Path
}

func options(t testing.TB, sc *scenario.Scenario, actors []string, level scenario.Isolation) Options {
	t.Helper()
	return optionsIn(t, pgtest.Config(t), sc, actors, level)
}

func optionsIn(t testing.TB, cfg *pgconn.Config, sc *scenario.Scenario, actors []string, level scenario.Isolation) Options {
	t.Helper()
	empty(t, cfg)
	config := func() *pgconn.Config { return cfg.Copy() }
	lanes, stmts, err := ScriptLanes(ScriptOptions{Scenario: sc, Config: config, Isolation: level}, actors)
	if err != nil {
		t.Fatal(err)
	}
	tg, err := target.Parse(target.Source{DSN: fmt.Sprintf("host=%s port=%d user=%s dbname=%s password='%s'", cfg.Host, cfg.Port, cfg.User, cfg.Database, cfg.Password), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal("the test's DSN does not parse")
	}
	return Options{
		Scenario: sc, Lanes: lanes, Stmts: stmts, Config: config, Isolation: level, Path: filepath.Join(t.TempDir(), "h.jsonl"),
		Tables: func(ctx context.Context) ([]history.Table, error) {
			conn, err := pgconn.ConnectConfig(ctx, config())
			if err != nil {
				return nil, err
			}
			defer conn.Close(ctx)
			return tg.Tables(ctx, conn, "public")
		},
	}
}

func empty(t testing.TB, cfg *pgconn.Config) {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), cfg)
	if err == nil {
		_, err = conn.Exec(t.Context(), "drop schema public cascade; create schema public").ReadAll()
		conn.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, name string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func actors(sc *scenario.Scenario) (names []string) {
	for _, l := range sc.Load.Lanes {
		for range l.Count {
			names = append(names, l.Actor)
		}
	}
	return names
}
