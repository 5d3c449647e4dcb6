package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres"
)

// Test is what Run explores: lanes in Go and what must hold after them.
type Test struct {
	// Setup is SQL that makes the tables and their rows, run once.
	Setup string
	// Lanes are two to four requests.
	Lanes []Func
	// Invariants are queries by name; each row that comes back is a violation.
	Invariants map[string]string
	// Isolation is "read committed" when empty.
	Isolation scenario.Isolation
	// DSN names a server whose database may be written to; without it a
	// throw-away PostgreSQL is started for the test.
	DSN string
	// Max bounds the schedules; 0 is 5000.
	Max int
}

// TB is the part of testing.TB that Run needs.
type TB interface {
	Helper()
	Context() context.Context
	TempDir() string
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// Run runs the lanes through every interleaving of their statements and fails
// the test when an invariant does not hold after one of them, with the smallest
// such schedule. It makes a schema of its own and drops it afterwards. The
// counts come back, for a test that expects a violation.
func Run(t TB, test Test) Counts {
	t.Helper()
	counts, err := test.run(t)
	switch {
	case err != nil:
		t.Fatalf("exploring: %v", err)
	case counts.Broken > 0:
		t.Errorf("%s", test.tell(counts))
	case counts.Cut != "":
		t.Errorf("not every schedule was run, so nothing is proven: %s", counts.Cut)
	default:
		t.Logf("all %d schedules hold", counts.Schedules)
	}
	return counts
}

func (test *Test) names() []string {
	var names []string
	for _, f := range test.Lanes {
		names = append(names, f.Name)
	}
	return Names(names)
}

// tell says which schedule breaks, step by step.
func (test *Test) tell(c Counts) string {
	var b strings.Builder
	names := test.names()
	fmt.Fprintf(&b, "an invariant is broken in %d of %d schedules; the smallest is:\n", c.Broken, c.Schedules)
	for i, choice := range c.First {
		fmt.Fprintf(&b, "  %2d %-12s %s\n", i+1, names[choice.Lane], strings.Join(strings.Fields(c.FirstSteps[i]), " "))
	}
	for _, v := range c.Violations {
		b.WriteString("  " + v + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (test *Test) run(t TB) (Counts, error) {
	base, err := test.server(t)
	if err != nil {
		return Counts{}, err
	}
	schema, err := ownSchema(t, base)
	if err != nil {
		return Counts{}, err
	}
	config := func() *pgconn.Config {
		cfg := base.Copy()
		cfg.RuntimeParams["search_path"] = schema
		return cfg
	}
	sc := test.scenario()
	o := Options{
		Scenario: sc, Config: config, Isolation: test.Isolation, Max: test.Max, Path: filepath.Join(t.TempDir(), "history.jsonl"),
		Tables: func(ctx context.Context) ([]history.Table, error) { return tables(ctx, config()) },
	}
	if o.Isolation == "" {
		o.Isolation = scenario.ReadCommitted
	}
	known := &definitions{known: map[string]*history.Stmt{}}
	for i, name := range test.names() {
		l := &funcLane{Func: test.Lanes[i], config: config, level: string(o.Isolation), defined: known}
		o.Lanes = append(o.Lanes, Lane{Name: name, Actor: test.Lanes[i].Name, Open: l.open, Call: l.call})
	}
	return Drive(t.Context(), o)
}

func (test *Test) scenario() *scenario.Scenario {
	sc := &scenario.Scenario{Name: "test", Setup: []scenario.Source{{Text: test.Setup}}}
	for name, sql := range test.Invariants {
		sc.Invariants = append(sc.Invariants, scenario.Invariant{Name: name, SQL: scenario.Source{Text: sql}, When: scenario.Running})
	}
	return sc
}

// server is the one that was named, or one of the test's own.
func (test *Test) server(t TB) (*pgconn.Config, error) {
	if test.DSN != "" {
		cfg, err := pgconn.ParseConfig(test.DSN)
		if err != nil {
			return nil, fmt.Errorf("the DSN of the test does not parse") // the error would show the password
		}
		return cfg, nil
	}
	s, err := postgres.Start(t.Context(), postgres.Options{Dir: postgres.MemoryDir(), AllowDownload: true})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s.Config(), nil
}

// ownSchema makes a schema that is dropped when the test ends.
func ownSchema(t TB, cfg *pgconn.Config) (string, error) {
	conn, err := pgconn.ConnectConfig(t.Context(), cfg)
	if err != nil {
		return "", err
	}
	schema := fmt.Sprintf("ccheck_explore_%d", conn.PID())
	t.Cleanup(func() {
		ctx := context.Background()
		_, _ = conn.Exec(ctx, "drop schema "+schema+" cascade").ReadAll()
		_ = conn.Close(ctx)
	})
	if _, err := conn.Exec(t.Context(), "create schema "+schema).ReadAll(); err != nil {
		return "", fmt.Errorf("making a schema for the test: %w", err)
	}
	return schema, nil
}

// tables lists the tables of the schema with their keys.
func tables(ctx context.Context, cfg *pgconn.Config) ([]history.Table, error) {
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	return lab.Tables(ctx, conn)
}
