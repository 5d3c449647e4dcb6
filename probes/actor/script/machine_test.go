package script_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

var allProtocols = []pg.Protocol{pg.Simple, pg.Extended, pg.Prepared}

const runTables = `
drop schema if exists public cascade; create schema public;
create table t (a text unique, b text);
insert into t values ('there', 'from the start');
create sequence tries;
`

// runCase is a script with what must come of one call.
type runCase struct {
	name      string
	text      string
	protocols []pg.Protocol // all when nil
	maxTries  int

	outcome history.Outcome
	tries   int
	state   string
	err     string // words of it
	rows    string // of column a afterwards, but for the one from the start
}

var runCases = []runCase{
	{name: "accepted", text: "begin;\ninsert into t values ('x');\ncommit;", outcome: history.Accepted, rows: "x"},
	{
		name: "decide true", text: "begin;\ninsert into t values ('x');\n-- @decide 1 < 2\ncommit;",
		outcome: history.Accepted, rows: "x",
	},
	{
		name: "decide false rolls back", text: "begin;\ninsert into t values ('x');\n-- @decide 1 > 2\ncommit;",
		outcome: history.Refused,
	},
	{
		name: "decide null refuses", text: "begin;\ninsert into t values ('x');\n-- @decide null\ncommit;",
		outcome: history.Refused,
	},
	{
		name:    "bare decide lets the script end",
		text:    "begin;\ninsert into t values ('x');\n\\if true\n-- @decide\nrollback;\n\\else\ncommit;\n\\endif\ninsert into t values ('audit');",
		outcome: history.Refused, rows: "audit",
	},
	{
		name: "bare decide in a branch not taken", text: "\\if false\n-- @decide\n\\endif\ninsert into t values ('x');",
		outcome: history.Accepted, rows: "x",
	},
	{name: "decide that fails", text: "begin;\n-- @decide 1/0 = 1\ncommit;", outcome: history.Failed, err: "call.sql:2: division by zero"},
	{
		name: "decide false in a pipeline undoes what was queued", protocols: []pg.Protocol{pg.Extended, pg.Prepared},
		text:    "\\startpipeline\ninsert into t values ('x');\n-- @decide false\n\\endpipeline",
		outcome: history.Refused,
	},
	{
		name: "error in a pipeline undoes what was queued", protocols: []pg.Protocol{pg.Extended, pg.Prepared},
		text:    "\\startpipeline\ninsert into t values ('x');\n\\set i 1/0\n\\endpipeline",
		outcome: history.Failed, err: "call.sql:3: division by zero",
	},
	{
		name: "server error in a pipeline", protocols: []pg.Protocol{pg.Extended, pg.Prepared},
		text:    "\\startpipeline\nbegin;\ninsert into t values ('x');\ninsert into t values ('there');\ncommit;\n\\endpipeline",
		outcome: history.Failed, state: "23505", err: "duplicate key",
	},
	{
		name: "pipeline in the simple protocol", protocols: []pg.Protocol{pg.Simple},
		text:    "\\startpipeline\ninsert into t values ('x');\n\\endpipeline",
		outcome: history.Failed, err: "cannot use pipeline mode with the simple query protocol",
	},
	{
		name: "unhandled error", text: "begin;\ninsert into t values ('x');\ninsert into t values ('there');\ncommit;",
		outcome: history.Failed, state: "23505", err: "duplicate key",
	},
	{
		name: "refuse", text: "-- @refuse 23P01 23505\nbegin;\ninsert into t values ('x');\ninsert into t values ('there');\ncommit;",
		outcome: history.Refused, state: "23505",
	},
	{
		name: "retry until it works", maxTries: 10,
		text:    "-- @retry 40001\nbegin;\nselect nextval('tries') as n \\gset\n" + raise("n", 3, "40001") + "insert into t values (:n::text);\ncommit;",
		outcome: history.Accepted, tries: 3, rows: "3",
	},
	{
		name: "retry without limit", maxTries: -1,
		text:    "-- @retry 40001\nselect nextval('tries') as n \\gset\n" + raise("n", 30, "40001"),
		outcome: history.Accepted, tries: 30,
	},
	{
		name: "tries used up", maxTries: 3,
		text:    "-- @retry 40P01,40001\nbegin;\nselect nextval('tries') as n \\gset\n" + raise("n", 30, "40P01") + "commit;",
		outcome: history.Failed, tries: 3, state: "40P01", err: "again",
	},
	{
		name: "retry forgets an earlier refusal", maxTries: 3,
		text:    "-- @retry 40001\nselect nextval('tries') as n \\gset\n\\if :n = 1\n-- @decide\n\\endif\n" + raise("n", 2, "40001"),
		outcome: history.Accepted, tries: 2,
	},
	{
		name: "an error that is not retried", maxTries: 3,
		text:    "-- @retry 40001\nselect nextval('tries') as n \\gset\n" + raise("n", 3, "40P01"),
		outcome: history.Failed, state: "40P01", err: "again",
	},
	{
		name: "outside is not rolled back", text: "begin;\ninsert into t values ('in');\n-- @outside\ninsert into t values ('out');\n-- @decide false\ncommit;",
		outcome: history.Refused, rows: "out",
	},
	{
		name: "error outside", text: "-- @refuse 23505\nbegin;\ninsert into t values ('in');\n-- @outside\ninsert into t values ('there');\ncommit;",
		outcome: history.Refused, state: "23505",
	},
	{
		name: "on replica", text: "-- @on replica\nselect current_setting('ccheck.place') as place \\gset\ninsert into t values (:place::text);", protocols: []pg.Protocol{pg.Extended, pg.Prepared},
		outcome: history.Accepted, rows: "replica",
	},
	{
		name:    "rows of an update",
		text:    "update t set b = 'x' where a = 'there';\n-- @rows n\n\\if :n = 1\ninsert into t values ('one');\n\\endif\nupdate t set b = 'x' where a = 'nobody';\n-- @rows n\n-- @decide :n = 1",
		outcome: history.Refused, rows: "one",
	},
	{
		name:    "rows of a query inside the statement",
		text:    "select a\n-- @rows n\nfrom t where false \\aset\n-- @decide :n = 0\nselect generate_series(1, 7) as g;\n-- @rows n\n-- @decide :n = 7",
		outcome: history.Accepted,
	},
	{
		name: "rows of many rows", text: "select generate_series(1, 5000) as g \\aset\n-- @rows n\n-- @decide :n = 5000 and :g = 5000",
		outcome: history.Accepted,
	},
	{
		name: "null comes and goes as null", protocols: []pg.Protocol{pg.Extended, pg.Prepared},
		text:    "select null::int as x \\gset\n-- @decide :x is null\n\\set y null\ninsert into t values (coalesce(:x::text, 'null') || coalesce(:y::text, 'null'));",
		outcome: history.Accepted, rows: "nullnull",
	},
	{
		name: "null in text", protocols: []pg.Protocol{pg.Simple},
		text:    "select null::int as x \\gset\n\\set y null\ninsert into t values (coalesce(:x, :y, 'null'));",
		outcome: history.Accepted, rows: "null",
	},
	{
		name: "transaction left open", text: "begin;\ninsert into t values ('x');",
		outcome: history.Failed, err: "end of script reached without completing the last transaction",
	},
	{
		name: "copy", text: "copy t from stdin;", outcome: history.Failed, state: "0A000", err: "COPY",
	},
	{
		name: "the server ends the session", text: "insert into t values ('x');\nselect pg_terminate_backend(pg_backend_pid());",
		outcome: history.Unknown, err: "call.sql:2: ", rows: "x",
	},
}

// raise is a statement that fails with a code until n is at least limit.
func raise(n string, limit int, code string) string {
	return fmt.Sprintf("do $$ begin if (select last_value < %d from tries) then raise exception 'again' using errcode = '%s'; end if; end $$;\n", limit, code)
}

func TestRun(t *testing.T) {
	config := pgtest.Config(t)
	for _, c := range runCases {
		for _, protocol := range allProtocols {
			if c.protocols == nil || slices.Contains(c.protocols, protocol) {
				t.Run(c.name+"/"+string(protocol), func(t *testing.T) { c.run(t, config, protocol) })
			}
		}
	}
}

func (c runCase) run(t *testing.T, config *pgconn.Config, protocol pg.Protocol) {
	ask(t, config, runTables)
	db := connect(t, config, protocol)
	env := &script.Env{DB: db, Outside: connect(t, config, protocol), Replica: connect(t, config, protocol)}
	if _, err := env.Replica.(*pg.Conn).Ask("set ccheck.place = replica"); err != nil {
		t.Fatal(err)
	}
	limit := max(c.maxTries, 1)
	if c.maxTries < 0 {
		limit = 0
	}
	res := newMachine(t, script.Options{Protocol: protocol}).Run(t.Context(), parse(t, c.text), env, limit)
	if res.Outcome != c.outcome || res.SQLState != c.state || res.Tries != max(c.tries, 1) {
		t.Errorf("got %+v, want %s, state %q, %d tries", res, c.outcome, c.state, max(c.tries, 1))
	}
	if (res.Err == nil) != (c.err == "") || res.Err != nil && !strings.Contains(res.Err.Error(), c.err) {
		t.Errorf("got error %v, want %q", res.Err, c.err)
	}
	if c.outcome != history.Unknown && db.Status() != 'I' {
		t.Errorf("status is %c afterwards", db.Status())
	}
	rows := strings.TrimSpace(ask(t, config, "select coalesce(string_agg(a, ' ' order by a), '') from t where a <> 'there'"))
	if rows != "["+c.rows+"]" {
		t.Errorf("the table has %s, want [%s]", rows, c.rows)
	}
}

func connect(t *testing.T, config *pgconn.Config, protocol pg.Protocol) *pg.Conn {
	t.Helper()
	c, err := pg.Connect(t.Context(), config, nil, protocol)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func parse(t testing.TB, text string) *script.Script {
	t.Helper()
	s, err := script.Parse("call", "call.sql", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newMachine(t testing.TB, o script.Options) *script.Machine {
	t.Helper()
	m, err := script.NewMachine(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestContextEnds ends the context in \sleep, between statements. In a
// transaction nothing has happened then; after a statement on autocommit
// something has, and the caller cannot know what that was worth.
func TestContextEnds(t *testing.T) {
	config := pgtest.Config(t)
	for _, c := range []struct {
		text    string
		outcome history.Outcome
		rows    string
	}{
		{"begin;\ninsert into t values ('x');\n\\sleep 1\ncommit;", history.Failed, "[]"},
		{"insert into t values ('x');\n\\sleep 1\ninsert into t values ('y');", history.Unknown, "[x]"},
		{"\\sleep 1\ninsert into t values ('y');", history.Failed, "[]"},
	} {
		ask(t, config, runTables)
		ctx, cancel := context.WithCancel(t.Context())
		db := connect(t, config, pg.Prepared)
		env := &script.Env{DB: db, Sleep: func(ctx context.Context, d time.Duration) error {
			cancel()
			return ctx.Err()
		}}
		res := newMachine(t, script.Options{Protocol: pg.Prepared}).Run(ctx, parse(t, c.text), env, 1)
		if res.Outcome != c.outcome || !errors.Is(res.Err, context.Canceled) {
			t.Errorf("%q: got %+v, want %s", c.text, res, c.outcome)
		}
		if db.Status() != 'I' {
			t.Errorf("%q: a transaction is open", c.text)
		}
		got := strings.TrimSpace(ask(t, config, "select coalesce(string_agg(a, ' '), '') from t where a <> 'there'"))
		if got != c.rows {
			t.Errorf("%q: the table has %s, want %s", c.text, got, c.rows)
		}
	}
}

// still is a DB without a server. It answers every statement with the same, for
// what a server cannot be brought to do and for benchmarks.
type still struct {
	result pg.Result
	list   []pg.Result
	sent   []string
}

func (d *still) Exec(_ context.Context, st *pg.Stmt, args []history.Value) (*pg.Result, error) {
	return &d.result, nil
}

func (d *still) ExecText(_ context.Context, st *pg.Stmt, text string, _ []history.Value) ([]pg.Result, error) {
	d.sent = append(d.sent, text)
	return d.list, nil
}

func (d *still) StartPipeline(context.Context) error              { return nil }
func (d *still) SyncPipeline(context.Context) error               { return nil }
func (d *still) EndPipeline(context.Context) ([]pg.Result, error) { return d.list, nil }
func (d *still) Status() byte                                     { return 'I' }

func TestCommitAnsweredWithRollbackFails(t *testing.T) {
	rolledBack := pg.Result{Tag: "ROLLBACK"}
	db := &still{result: rolledBack, list: []pg.Result{rolledBack}}
	for text, want := range map[string]history.Outcome{
		"COMMIT;":        history.Failed,
		"end;":           history.Failed,
		"-- x\ncommit":   history.Failed,
		"rollback;":      history.Accepted,
		"select commit;": history.Accepted,
	} {
		for _, protocol := range []pg.Protocol{pg.Simple, pg.Prepared} {
			res := newMachine(t, script.Options{Protocol: protocol}).Run(t.Context(), parse(t, text), &script.Env{DB: db}, 1)
			if res.Outcome != want {
				t.Errorf("%q, %s: got %+v, want %s", text, protocol, res, want)
			}
		}
	}
}

func TestThinkComesBeforeEachStatementButTheFirst(t *testing.T) {
	thoughts := 0
	env := &script.Env{DB: &still{}, Think: func(context.Context) error { thoughts++; return nil }}
	m := newMachine(t, script.Options{Protocol: pg.Prepared})
	m.Run(t.Context(), parse(t, "\\set i 1\nbegin;\nselect 1;\n\\startpipeline\nselect 2;\nselect 3;\n\\endpipeline\ncommit;"), env, 1)
	if thoughts != 2 {
		t.Errorf("thought %d times, want 2: before select 1 and before commit", thoughts)
	}
}

// TestLanesShareAScript is for the race detector.
func TestLanesShareAScript(t *testing.T) {
	s := parse(t, "\\set a random(1, 9)\nbegin;\n\\if :a > 3\nselect :a \\aset\n-- @rows n\n\\endif\n-- @decide :a > 5\ncommit;")
	var lanes sync.WaitGroup
	for client := range 4 {
		m := newMachine(t, script.Options{Client: client, Clients: 4, Protocol: pg.Prepared})
		lanes.Go(func() {
			for range 200 {
				m.Run(t.Context(), s, &script.Env{DB: &still{}}, 1)
			}
		})
	}
	lanes.Wait()
}

func TestMissingConnectionsAreNamed(t *testing.T) {
	for comment, want := range map[string]string{
		"-- @outside": "call.sql:2: -- @outside: there is no second connection in this run", "-- @on replica": "call.sql:2: -- @on replica: there is no replica in this run",
	} {
		res := newMachine(t, script.Options{}).Run(t.Context(), parse(t, comment+"\nselect 1;"), &script.Env{DB: &still{}}, 1)
		if res.Outcome != history.Failed || res.Err == nil || res.Err.Error() != want {
			t.Errorf("%s: got %+v, want %s", comment, res, want)
		}
	}
}

// TestSubstitution says what the simple protocol is sent.
func TestSubstitution(t *testing.T) {
	m := newMachine(t, script.Options{Client: 3, Vars: map[string]history.Value{
		"a": history.Text("1"), "nested": history.Text(":a"), "none": history.Null, "straße": history.Text("s"),
	}})
	for text, want := range map[string]string{
		"select :a;":                         "select 1",
		"select :a::int, x::a, :::a, a[1:a]": "select 1::int, x::a, :::a, a[11]",
		"select ':a', \":a\", $$:a$$;":       "select '1', \"1\", $$1$$",
		"select :nested, :none, :straße":     "select :a, NULL, s",
		"select :unknown, :9, : a":           "select :unknown, :9, : a",
		"select /* :a */ :a -- :a":           "select /* :a */ 1 -- :a",
		"select \\:a \\; select :client_id;": "select :a ; select 3",
	} {
		db := &still{}
		m.Run(t.Context(), parse(t, text), &script.Env{DB: db}, 1)
		if diff := cmp.Diff([]string{want}, db.sent); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}

func TestVariables(t *testing.T) {
	m := newMachine(t, script.Options{Client: 2, Seed: 7, Vars: map[string]history.Value{"scale": history.Text("9")}})
	for name, want := range map[string]string{"client_id": "2", "random_seed": "7", "scale": "9"} {
		if v, ok := m.Var(name); !ok || v.Text != want {
			t.Errorf("%s is %v, want %s", name, v, want)
		}
	}
	if _, ok := m.Var("nothing"); ok {
		t.Error("a variable that was never set is there")
	}
	if err := m.Set("x", history.Int(20)); err != nil {
		t.Fatal(err)
	}
	e, err := script.ParseExpr("ccheck.yaml", "-:x + 1.5")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := m.Eval(e); err != nil || v.Text != "-18.5" {
		t.Errorf("got %v, %v, want -18.5", v, err)
	}
	if err := m.Set("no name", history.Int(1)); err == nil || err.Error() != `invalid variable name: "no name"` {
		t.Errorf("got %v", err)
	}
	if _, err := script.NewMachine(script.Options{Vars: map[string]history.Value{"1a": history.Int(1)}}); err == nil {
		t.Error("a machine was made with a variable of an impossible name")
	}
}

func TestEvalSaysWhatFailed(t *testing.T) {
	e, err := script.ParseExpr("ccheck.yaml", " :nosuch + 1 ")
	if err != nil {
		t.Fatal(err)
	}
	_, err = newMachine(t, script.Options{}).Eval(e)
	if err == nil || err.Error() != `evaluating :nosuch + 1: undefined variable "nosuch"` {
		t.Errorf("got %v", err)
	}
}

func TestShellOutput(t *testing.T) {
	var out bytes.Buffer
	m := newMachine(t, script.Options{Output: &out})
	res := m.Run(t.Context(), parse(t, `\shell echo :client_id ::x`), &script.Env{DB: &still{}}, 1)
	if res.Outcome != history.Accepted || out.String() != "0 :x\n" {
		t.Errorf("got %+v and %q", res, out.String())
	}
}

func BenchmarkRun(b *testing.B) {
	s := parse(b, `
\set from random(1, 1000)
\set to random(1, 1000)
BEGIN;
SELECT balance FROM account WHERE id = :from \gset
\if :balance >= 1
UPDATE account SET balance = balance - 1 WHERE id = :from;
UPDATE account SET balance = balance + 1 WHERE id = :to;
\endif
COMMIT;
`)
	row := pg.Result{Columns: []string{"balance"}, Rows: [][]history.Value{{history.Text("100")}}, Tag: "SELECT 1", Affected: 1}
	for _, protocol := range []pg.Protocol{pg.Simple, pg.Prepared} {
		b.Run(string(protocol), func(b *testing.B) {
			db := &still{result: row, list: []pg.Result{row}}
			m := newMachine(b, script.Options{Protocol: protocol})
			env := &script.Env{DB: db}
			b.ReportAllocs()
			for b.Loop() {
				db.sent = db.sent[:0]
				if res := m.Run(b.Context(), s, env, 1); res.Outcome != history.Accepted {
					b.Fatal(res)
				}
			}
		})
	}
}

func BenchmarkEval(b *testing.B) {
	for _, text := range []string{"random(1, 100000 * :scale)", "random_zipfian(1, 100000, 1.1)", "random_gaussian(1, 100000, 2.5)", "case when :scale > 5 then 1 else hash(:scale) % 10 end"} {
		b.Run(text, func(b *testing.B) {
			e, err := script.ParseExpr("", text)
			if err != nil {
				b.Fatal(err)
			}
			m := newMachine(b, script.Options{})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Eval(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
