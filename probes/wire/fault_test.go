package wire_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ccheck/ccheck/probes/fault"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/wire"
)

func broken(t *testing.T, texts ...string) func(*wire.Config) {
	t.Helper()
	var faults []fault.Fault
	for _, text := range texts {
		f, err := fault.Parse(text)
		must(t, err)
		faults = append(faults, f)
	}
	plan, err := fault.New(1, faults...)
	must(t, err)
	return func(c *wire.Config) { c.Faults = plan }
}

// A cut before COMMIT reaches the server undoes the transaction, one behind its
// answer does not; the client cannot tell, and the record says so: the outcome
// is unknown, and a note tells what happened.
func TestCutAroundCommit(t *testing.T) {
	for _, tc := range []struct {
		fault, note, count string
		mode               pgx.QueryExecMode
	}{
		{"cut at send of COMMIT number 2", "before COMMIT reached the server", "1", pgx.QueryExecModeExec},
		{"cut at answer of COMMIT number 2", "the server answered COMMIT, and the client does not know", "2", pgx.QueryExecModeExec},
		{"reset at send of COMMIT number 2", "before COMMIT reached the server", "1", pgx.QueryExecModeSimpleProtocol},
		{"reset at answer of COMMIT number 2", "the server answered COMMIT, and the client does not know", "2", pgx.QueryExecModeSimpleProtocol},
	} {
		t.Run(tc.fault, func(t *testing.T) {
			b := start(t, broken(t, tc.fault))
			ctx := t.Context()
			conn := b.connect(tc.mode)
			_, err := conn.Exec(ctx, "create table t (id int)")
			must(t, err)
			once := func() error {
				tx, err := conn.Begin(ctx)
				must(t, err)
				_, err = tx.Exec(ctx, "insert into t values ($1)", 1)
				must(t, err)
				return tx.Commit(ctx)
			}
			must(t, once())
			err = once()
			var e *pgconn.PgError
			if err == nil || errors.As(err, &e) {
				t.Errorf("the client was told %v", err)
			}
			direct, err := pgconn.ConnectConfig(ctx, b.direct)
			must(t, err)
			defer direct.Close(ctx)
			// The server may need a moment to notice that its client has gone.
			var count string
			await(t, func() bool {
				r := direct.ExecParams(ctx, "select count(*), (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()) from t", nil, nil, nil, nil).Read()
				must(t, r.Err)
				count = string(r.Rows[0][0])
				return string(r.Rows[0][1]) == "0"
			})
			if count != tc.count {
				t.Errorf("%s rows, want %s", count, tc.count)
			}
			ops := b.ops()
			var notes, unknown []string
			for _, o := range ops {
				if strings.Contains(o.Text, "fault") {
					notes = append(notes, o.Text)
				}
				if o.Kind == history.Info {
					unknown = append(unknown, strings.ToUpper(o.Stmt.SQL))
				}
			}
			if len(notes) != 1 || !strings.Contains(notes[0], tc.note) {
				t.Errorf("notes %q", notes)
			}
			// A statement that never left is no event of the history but the note.
			if sent := strings.Contains(tc.fault, "answer"); sent && strings.Join(unknown, ",") != "COMMIT" || !sent && len(unknown) > 0 {
				t.Errorf("unknown outcomes: %q", unknown)
			}
		})
	}
}

// A cut is the end of the stream for the client, a reset is an error.
func TestCutAndReset(t *testing.T) {
	for text, want := range map[string]error{
		"cut at send of SELECT": io.ErrUnexpectedEOF, "cut at answer of SELECT": io.ErrUnexpectedEOF,
		"reset at send of SELECT": syscall.ECONNRESET, "reset at answer of SELECT": syscall.ECONNRESET,
	} {
		c := start(t, broken(t, text)).raw()
		c.Send(&pgproto3.Query{String: "select 1"})
		must(t, c.Flush())
		if m, err := c.Receive(); !errors.Is(err, want) {
			t.Errorf("%s: %T, %v; want %v", text, m, err, want)
		}
	}
}

// Delays are noted, and nothing else changes.
func TestDelay(t *testing.T) {
	b := start(t, broken(t, "delay 1ms-2ms", "delay 1ms at answer of INSERT"))
	ctx := t.Context()
	conn := b.connect(pgx.QueryExecModeCacheStatement)
	_, err := conn.Exec(ctx, "create table t (id int)")
	must(t, err)
	_, err = conn.Exec(ctx, "insert into t values ($1)", 5)
	must(t, err)
	var n int
	must(t, conn.QueryRow(ctx, "select id from t").Scan(&n))
	must(t, conn.Close(ctx))
	notes := 0
	for _, o := range b.ops() {
		if o.Scope == history.ScopeNote {
			notes++
		}
	}
	if n != 5 || notes != 4 {
		t.Errorf("read %d; %d notes, want 4", n, notes)
	}
}

// A throttled connection brings the same bytes.
func TestThrottle(t *testing.T) {
	b := start(t, broken(t, "throttle 2000000"))
	conn := b.connect(pgx.QueryExecModeSimpleProtocol)
	var text string
	must(t, conn.QueryRow(context.Background(), "select repeat('x', 300000)").Scan(&text))
	if len(text) != 300_000 {
		t.Errorf("%d bytes", len(text))
	}
}
