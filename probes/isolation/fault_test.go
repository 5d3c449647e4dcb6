package isolation

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

const tables = "setup { CREATE TABLE t (n int); INSERT INTO t VALUES (1); }\nteardown { DROP TABLE t; }\n"

// played is what came of a spec that goes wrong.
func played(t *testing.T, ctx context.Context, c *pgconn.Config, src string, limit time.Duration) (string, error) {
	t.Helper()
	spec, err := Parse("wrong.spec", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Run(ctx, spec, Options{Config: c, Out: &out, Err: &out, StepLimit: limit})
	return out.String(), err
}

// left fails when the database holds a table of the spec or a session of it
// still runs.
func left(t *testing.T, c *pgconn.Config) {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const sql = `SELECT 'table ' || relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
UNION ALL SELECT query FROM pg_stat_activity WHERE state = 'active' AND application_name LIKE 'isolation/%' AND datname = current_database()`
	for range 1000 { // a session that was cancelled ends a little later
		rows := conn.ExecParams(t.Context(), sql, nil, nil, nil, nil).Read()
		if rows.Err != nil {
			t.Fatal(rows.Err)
		}
		if len(rows.Rows) == 0 {
			return
		}
		if string(rows.Rows[0][0]) == "table t" {
			t.Fatal("the table of the setup is still there")
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("a step still runs")
}

func TestFaults(t *testing.T) {
	tests := []struct{ name, src, out, err string }{
		{
			name: "setup refused",
			src:  tables + "session s\n  setup { SELECT 1 / 0; }\n  step a {}",
			err:  `wrong.spec:4:9: the setup of session s failed: ERROR: division by zero (SQLSTATE 22012)`,
		},
		{
			name: "first setup refused",
			src:  "setup { CREATE TABLE t (n nonsense); } session s step a {}",
			err:  `wrong.spec:1:7: the setup failed: ERROR: type "nonsense" does not exist (SQLSTATE 42704)`,
		},
		{
			name: "step without end",
			src:  tables + "session s step sleep { SELECT pg_sleep(1000); } step after { SELECT 1 AS after; }",
			out: "step sleep: SELECT pg_sleep(1000);\nERROR:  canceling statement due to user request\n" +
				"step after: SELECT 1 AS after;\nafter\n-----\n    1\n(1 row)\n\n",
		},
		{
			name: "session that waits gets a step",
			src: tables + "session s step lock { BEGIN; LOCK t; } step let { COMMIT; } session r step want { SELECT n FROM t; } step more { SELECT 2 AS n; }\n" +
				"permutation lock want more let",
			out: "step want: SELECT n FROM t; <waiting ...>\nisolationtester: canceling step want after 0 seconds\n" +
				"step want: <... completed>\nERROR:  canceling statement due to user request\nstep more:",
		},
		{
			name: "markers in a circle",
			src:  tables + "session s step a {} session r step b {}\npermutation a(*,b) b(a)",
			err:  "permutation a b does not end: by their markers a, b wait for each other",
		},
		{
			name: "markers in a circle, session needed",
			src:  tables + "session s step a {} step c {} session r step b {}\npermutation a(*,b) b(a) c",
			err:  "step a did not end in 600ms; under way are a, b",
		},
		{
			name: "setup that waits for a session",
			src:  tables + "session s setup { BEGIN; LOCK t; } step a {}\nsession r setup { SELECT * FROM t; } step b {}",
			err:  "wrong.spec:4:17: the setup of session r: did not end in 300ms; a session may hold a lock that it waits for",
		},
		{
			name: "teardown that waits for a session",
			src:  tables + "session s step a { BEGIN; LOCK t; }",
			err:  "wrong.spec:2:10: the teardown: did not end in 300ms; a session may hold a lock that it waits for",
		},
		{
			name: "dead session gets a step",
			src:  tables + "session s step leave { SELECT pg_terminate_backend(pg_backend_pid()); } step more {}\n",
			out:  "FATAL:  terminating connection due to administrator command\nserver closed the connection unexpectedly\n",
			err:  "sending step more: the connection of session s is gone (unexpected EOF); only the last step of a session may end its connection",
		},
		{
			name: "copy in",
			src:  tables + "session s step copy { COPY t FROM STDIN; } step after { SELECT 1 AS after; }",
			out:  "ERROR:  COPY from stdin failed: a spec has no data for COPY FROM STDIN\nstep after: SELECT 1 AS after;\n",
		},
		{
			name: "copy out",
			src:  tables + "session s step copy { COPY t TO STDOUT; } step after { SELECT 1 AS after; }",
			out:  "step copy: COPY t TO STDOUT;\nstep after: SELECT 1 AS after;\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := config(t)
			out, err := played(t, t.Context(), c, tt.src, 300*time.Millisecond)
			if got := errors.Join(err); (got == nil) != (tt.err == "") || got != nil && got.Error() != tt.err {
				t.Errorf("error:\n%v\nwant:\n%s", err, tt.err)
			}
			if out := strings.ReplaceAll(out, "isolationtester: canceling step sleep after 0 seconds\n", ""); !strings.Contains(out, tt.out) {
				t.Errorf("output:\n%s\nlacks:\n%s", out, tt.out)
			}
			left(t, c)
		})
	}
}

// TestInterrupted ends a run in the middle of a step.
func TestInterrupted(t *testing.T) {
	c := config(t)
	ctx, cancel := context.WithCancel(t.Context())
	spec, err := Parse("wrong.spec", []byte(tables+"session s step a { SELECT 1; } step sleep { SELECT pg_sleep(1000); }"))
	if err != nil {
		t.Fatal(err)
	}
	watching(t, c, cancel)
	var out bytes.Buffer
	if err := Run(ctx, spec, Options{Config: c, Out: &out, Err: &out}); !errors.Is(err, context.Canceled) {
		t.Errorf("want the context's error, got %v", err)
	}
	left(t, c)
}

// watching calls do when a step sleeps on the server.
func watching(t *testing.T, c *pgconn.Config, do func()) {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer do()
		for {
			rows := conn.ExecParams(context.Background(), "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", nil, nil, nil, nil).Read()
			if rows.Err != nil || len(rows.Rows) > 0 {
				conn.Close(context.Background())
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
}

// TestServerGone kills the server under a step.
func TestServerGone(t *testing.T) {
	s, err := postgres.Start(t.Context(), postgres.Options{Dir: postgres.MemoryDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	done := make(chan error, 1)
	watching(t, s.Config(), func() { done <- s.Kill(context.Background()) })
	_, err = played(t, t.Context(), s.Config(), tables+"session s step sleep { SELECT pg_sleep(1000); } session r step b {}", time.Minute)
	if killed := <-done; killed != nil {
		t.Fatal(killed)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "the server went away during ") {
		t.Errorf("got %v", err)
	}
	_, err = played(t, t.Context(), s.Config(), "session s step b {}", time.Minute)
	if err == nil || !strings.HasPrefix(err.Error(), "connecting for control connection: ") || strings.Contains(err.Error(), "connecting for s") {
		t.Errorf("want one sentence about the connection, got %v", err)
	}
}

// TestPlayed has the outcome of each permutation told.
func TestPlayed(t *testing.T) {
	spec, err := Parse("f", []byte(tables+"session s step a { BEGIN; LOCK t; } step b { COMMIT; }\nsession r step c { LOCK t; SELECT 1 / 0; }"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	options := Options{Config: pgtest.Config(t), Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
	options.Played = func(o Outcome) {
		text := describePermutation(o.Permutation) + ": " + strings.Join(o.Waited, " ") + " "
		for _, r := range o.Refused {
			text += r.Step + " " + r.SQLState
		}
		got = append(got, text)
	}
	if err := Run(t.Context(), spec, options); err != nil {
		t.Fatal(err)
	}
	want := []string{"a b c:  c 22012", "a c b: c c 22012", "c a b:  c 22012"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
