package pg_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// lane is a connection that records, and what it recorded.
type lane struct {
	*pg.Conn
	t *testing.T
	w *history.Writer
	r *history.Recorder
}

func connect(t *testing.T, protocol pg.Protocol) *lane {
	t.Helper()
	w, err := history.Create(filepath.Join(t.TempDir(), "h.jsonl"), history.Header{}, 0)
	must(t, err)
	l := &lane{t: t, w: w, r: w.Recorder(0)}
	l.Conn, err = pg.Connect(t.Context(), pgtest.Config(t), l.r, protocol)
	must(t, err)
	t.Cleanup(l.Close)
	_, err = l.Ask("create table account (id int primary key, balance int not null); insert into account values (1, 100), (2, 100)")
	must(t, err)
	return l
}

func (l *lane) stmt(sql string) *pg.Stmt {
	l.t.Helper()
	st := &pg.Stmt{Stmt: history.Stmt{SQL: sql}, NumParams: strings.Count(sql, "$")}
	must(l.t, l.w.Define(&st.Stmt))
	return st
}

// ops is what was recorded so far.
func (l *lane) ops() []*history.Op {
	l.t.Helper()
	must(l.t, errors.Join(l.r.Flush(), l.w.Sync()))
	f, err := history.Open(l.w.Path())
	must(l.t, err)
	var ops []*history.Op
	for o, err := range f.Ops() {
		must(l.t, err)
		ops = append(ops, o)
	}
	return ops
}

// told is the record as short lines.
func (l *lane) told() []string {
	l.t.Helper()
	var lines []string
	for _, o := range l.ops() {
		s := fmt.Sprintf("%v x%d", o.Kind, o.Txn)
		if o.Kind == history.Invoke {
			s += fmt.Sprintf(" %s %v", strings.Fields(o.Stmt.SQL)[0], o.Args)
		} else {
			s += fmt.Sprintf(" %s %v %s%s", o.Tag, o.Rows, string(o.Status), o.SQLState)
		}
		lines = append(lines, s)
	}
	return lines
}

func TestExecRecordsTransactions(t *testing.T) {
	for _, protocol := range []pg.Protocol{pg.Extended, pg.Prepared} {
		t.Run(string(protocol), func(t *testing.T) {
			l := connect(t, protocol)
			sel := l.stmt("select balance from account where id = $1")
			upd := l.stmt("update account set balance = $1 where id = $2")
			begin, commit := l.stmt("begin"), l.stmt("commit")
			for range 2 {
				for _, step := range []struct {
					st   *pg.Stmt
					args []history.Value
				}{{begin, nil}, {sel, []history.Value{history.Int(1)}}, {upd, []history.Value{history.Int(70), history.Int(1)}}, {commit, nil}} {
					_, err := l.Exec(t.Context(), step.st, step.args)
					must(t, err)
				}
			}
			want := []string{
				"invoke x1 begin []", "ok x1 BEGIN [] T",
				"invoke x1 select [1]", "ok x1 SELECT 1 [[100]] T",
				"invoke x1 update [70 1]", "ok x1 UPDATE 1 [] T",
				"invoke x1 commit []", "ok x1 COMMIT [] I",
			}
			got := l.told()
			if diff := cmp.Diff(want, got[:8]); diff != "" {
				t.Error(diff)
			}
			if got[8] != "invoke x2 begin []" || got[11] != "ok x2 SELECT 1 [[70]] T" {
				t.Errorf("second transaction: %q", got[8:])
			}
		})
	}
}

func TestServerErrorsKeepTheConnection(t *testing.T) {
	for _, protocol := range []pg.Protocol{pg.Extended, pg.Prepared} {
		t.Run(string(protocol), func(t *testing.T) {
			l := connect(t, protocol)
			var counted []string
			l.OnError(func(state string) { counted = append(counted, state) })
			ins := l.stmt("insert into account values ($1, $2)")
			for _, tc := range []struct {
				st   *pg.Stmt
				args []history.Value
				want string
			}{
				{ins, []history.Value{history.Int(1), history.Int(5)}, "23505"},
				{ins, []history.Value{history.Int(7), history.Null}, "23502"},
				{l.stmt("selec 1"), nil, "42601"},
				{ins, []history.Value{history.Text("x"), history.Int(5)}, "22P02"},
				{l.stmt("copy account from stdin"), nil, "0A000"},
				{l.stmt("copy account to stdout"), nil, "0A000"},
			} {
				_, err := l.Exec(t.Context(), tc.st, tc.args)
				var e *pg.Error
				if !errors.As(err, &e) || e.Code != tc.want || l.Status() != 'I' {
					t.Errorf("%s %v: error %v, status %c; want %s", tc.st.SQL, tc.args, err, l.Status(), tc.want)
				}
			}
			_, err := l.Exec(t.Context(), ins, []history.Value{history.Int(3), history.Int(5)})
			must(t, err)
			if len(counted) != 6 {
				t.Errorf("counted %v", counted)
			}
		})
	}
}

func TestSimpleGivesAResultForEachStatement(t *testing.T) {
	l := connect(t, pg.Simple)
	st := l.stmt("select balance from account where id = $1; update account set balance = 1; select 1, 2")
	results, err := l.ExecText(t.Context(), st, strings.ReplaceAll(st.SQL, "$1", "1"), []history.Value{history.Int(1)})
	must(t, err)
	var got []string
	for _, r := range results {
		got = append(got, fmt.Sprintf("%v %v %s %d", r.Columns, r.Rows, r.Tag, r.Affected))
	}
	want := []string{"[balance] [[100]] SELECT 1 1", "[] [] UPDATE 2 2", "[?column? ?column?] [[1 2]] SELECT 1 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if told := l.told(); len(told) != 2 || told[0] != "invoke x1 select [1]" {
		t.Errorf("record %q", told)
	}
}

func TestPipelineAnswersInOrderAndSkipsAfterAnError(t *testing.T) {
	for _, protocol := range []pg.Protocol{pg.Extended, pg.Prepared} {
		t.Run(string(protocol), func(t *testing.T) {
			l := connect(t, protocol)
			ctx := t.Context()
			sel := l.stmt("select balance from account where id = $1")
			bad := l.stmt("select 1 / $1::int")
			must(t, l.StartPipeline(ctx))
			queue := func(st *pg.Stmt, arg int64) {
				t.Helper()
				if r, err := l.Exec(ctx, st, []history.Value{history.Int(arg)}); r != nil || err != nil {
					t.Fatalf("a queued statement answered %v, %v", r, err)
				}
			}
			queue(sel, 1)
			queue(sel, 2)
			queue(sel, 1)
			must(t, l.SyncPipeline(ctx))
			queue(bad, 0)
			queue(sel, 1)
			must(t, l.SyncPipeline(ctx))
			queue(sel, 2)
			results, err := l.EndPipeline(ctx)
			var e *pg.Error
			if !errors.As(err, &e) || e.Code != "22012" || len(results) != 3 {
				t.Fatalf("%d results, error %v", len(results), err)
			}
			var states []string
			for _, o := range l.ops() {
				if o.Kind != history.Invoke {
					states = append(states, o.Kind.String()+o.SQLState)
				}
			}
			if diff := cmp.Diff([]string{"ok", "ok", "ok", "fail22012", "fail25P02", "ok"}, states); diff != "" {
				t.Error(diff)
			}
			if _, err := l.Exec(ctx, sel, []history.Value{history.Int(1)}); err != nil {
				t.Errorf("after the pipeline: %v", err)
			}
		})
	}
}

func TestPipelineLargerThanAllBuffers(t *testing.T) {
	l := connect(t, pg.Prepared)
	ctx := t.Context()
	big := l.stmt("select repeat($1, 100)")
	must(t, l.StartPipeline(ctx))
	text := history.Text(strings.Repeat("x", 10_000))
	for range 100 {
		_, err := l.Exec(ctx, big, []history.Value{text})
		must(t, err)
	}
	results, err := l.EndPipeline(ctx)
	if err != nil || len(results) != 100 || len(results[99].Rows[0][0].Text) != 1_000_000 {
		t.Fatalf("%d results, error %v", len(results), err)
	}
}

func TestLostConnectionIsAnUnknownOutcome(t *testing.T) {
	l := connect(t, pg.Prepared)
	killer, err := pg.Connect(t.Context(), pgtest.Start(t).Config(), nil, pg.Simple)
	must(t, err)
	t.Cleanup(killer.Close)
	sleep := l.stmt("select pg_sleep(60)")
	done := make(chan error, 1)
	go func() {
		_, err := l.Exec(context.Background(), sleep, nil)
		done <- err
	}()
	kill := fmt.Sprintf("select pg_terminate_backend(pid) from pg_stat_activity where pid = %d and query like '%%pg_sleep(60)' and state = 'active'", l.PID())
	for killed := false; !killed; {
		r, err := killer.Ask(kill)
		must(t, err)
		killed = len(r.Rows) == 1
	}
	var lost *pg.LostError
	if err := <-done; !errors.As(err, &lost) || !strings.Contains(err.Error(), "57P01") {
		t.Fatalf("error %v", err)
	}
	if told := l.told(); !strings.HasPrefix(told[1], "info x1") {
		t.Fatalf("record %q", told)
	}
	if _, err := l.Exec(context.Background(), sleep, nil); !errors.As(err, &lost) {
		t.Fatalf("a lost connection answered %v", err)
	}
}

func TestWatchEndsAWait(t *testing.T) {
	l := connect(t, pg.Prepared)
	ctx, cancel := context.WithCancel(t.Context())
	defer l.Watch(ctx)()
	sleep := l.stmt("select pg_sleep(60)")
	done := make(chan error, 1)
	go func() {
		_, err := l.Exec(context.Background(), sleep, nil)
		done <- err
	}()
	cancel()
	var lost *pg.LostError
	if err := <-done; !errors.As(err, &lost) {
		t.Fatalf("error %v", err)
	}
}

func TestManyRowsKeepTheirNumberAndTheLast(t *testing.T) {
	l := connect(t, pg.Prepared)
	r, err := l.Exec(t.Context(), l.stmt("select generate_series(1, 5000)"), nil)
	must(t, err)
	if n := len(r.Rows); r.Affected != 5000 || r.Rows[n-1][0].Text != "5000" || r.Rows[0][0].Text != "1" {
		t.Fatalf("%d rows, affected %d, last %v", n, r.Affected, r.Rows[n-1])
	}
	last := l.ops()[1]
	if len(last.Rows) != history.MaxRows || last.More != 5000-history.MaxRows {
		t.Fatalf("recorded %d rows and %d more", len(last.Rows), last.More)
	}
	all, err := l.Ask("select generate_series(1, 5000)")
	must(t, err)
	if len(all.Rows) != 5000 {
		t.Fatalf("asked for 5000 rows, got %d", len(all.Rows))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
