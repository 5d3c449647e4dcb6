package stress_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/stress"
)

// options are those of a short run on a fresh database.
func options(t *testing.T, sc *scenario.Scenario) stress.Options {
	t.Helper()
	cfg := pgtest.Config(t)
	return stress.Options{
		Scenario: sc,
		Config:   func() *pgconn.Config { return cfg.Copy() },
		Tables:   func(context.Context) ([]history.Table, error) { return nil, nil },
		Header:   history.Header{Run: "test"},
		Path:     filepath.Join(t.TempDir(), "run.jsonl"),
		Clients:  8, Transactions: 50, Seed: 7,
	}
}

func open(t *testing.T, name string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// recorded is the whole history.
func recorded(t *testing.T, path string) (*history.File, []*history.Op) {
	t.Helper()
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var ops []*history.Op
	for o, err := range f.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, o)
	}
	return f, ops
}

func TestRunRecordsEveryCallAndTheBooks(t *testing.T) {
	o := options(t, open(t, "wallet"))
	o.Guard = true
	res, err := stress.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := res.Final.Total.Calls(); n != int64(o.Clients)*o.Transactions {
		t.Errorf("%d calls, want %d", n, int64(o.Clients)*o.Transactions)
	}
	f, ops := recorded(t, res.Path)
	calls := map[history.Outcome]int64{}
	phases := map[string]int{}
	for _, op := range ops {
		switch {
		case op.Scope == history.ScopeCall && op.Kind != history.Invoke:
			calls[op.Outcome]++
			if op.Outcome == history.Accepted && len(op.Vars) == 0 {
				t.Fatalf("an accepted call of %s has no effects", op.Actor)
			}
		case op.Scope == history.ScopeState:
			phases[op.Phase] += len(op.Rows)
		}
	}
	total := res.Final.Total
	if calls[history.Accepted] != total.Accepted || calls[history.Refused] != total.Refused || calls[history.Failed] != total.Failed {
		t.Errorf("recorded %v, counted %+v", calls, total)
	}
	if phases["before"] == 0 || phases["before"] != phases["after"] {
		t.Errorf("rows of the books: %v", phases)
	}
	if len(f.Header.Claims) == 0 || f.Header.Target.Isolation != "read committed" {
		t.Errorf("header %+v", f.Header)
	}
	if res.Final.Checks == 0 {
		t.Error("the invariants were never looked at")
	}
	again, err := stress.Replay(f)
	if err != nil {
		t.Fatal(err)
	}
	if again.Total != total || again.Retries != res.Final.Retries {
		t.Errorf("replayed %+v, counted %+v", again.Total, total)
	}
}

// TestSameSeedSameOperations compares what each lane asked for, not what it got.
func TestSameSeedSameOperations(t *testing.T) {
	asked := func() map[int][]string {
		o := options(t, open(t, "wallet"))
		o.Clients, o.Transactions = 3, 20
		res, err := stress.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		lanes := map[int][]string{}
		_, ops := recorded(t, res.Path)
		for i, op := range ops {
			if op.Scope == history.ScopeCall && op.Kind == history.Invoke {
				lanes[op.Process] = append(lanes[op.Process], op.Actor+" "+firstArgs(ops[i+1:], op.Process))
			}
		}
		return lanes
	}
	first, second := asked(), asked()
	for lane, want := range first {
		if got := strings.Join(second[lane], "; "); got != strings.Join(want, "; ") {
			t.Errorf("lane %d\n first %s\nsecond %s", lane, strings.Join(want, "; "), got)
		}
	}
}

// firstArgs are the bound values of the first statement with some.
func firstArgs(ops []*history.Op, lane int) string {
	for _, op := range ops {
		if op.Process != lane || op.Kind != history.Invoke {
			continue
		}
		if op.Scope == history.ScopeCall {
			return ""
		}
		if len(op.Args) > 0 {
			var words []string
			for _, a := range op.Args {
				words = append(words, a.String())
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

func TestRoundsResetTheTables(t *testing.T) {
	sc, err := scenario.Load(fstest.MapFS{
		"ccheck.yaml": {Data: []byte(`version: 1
name: ticket
setup: {sql: "create table ticket (id serial primary key, owner text); create table event (id int primary key, left_over int not null); insert into event values (1, 5), (2, 7); insert into ticket (owner) values ('first'); create table later () inherits (event); insert into later values (9, 1)"}
load: {mode: rounds, lanes: {buy: 3}}
actors:
  - {name: buy, script: buy.sql, effects: [{table: event, key: id, column: left_over, at: "1", add: "-1"}]}
invariants:
  - {name: tickets are counted, sql: "select count(*), (select left_over from event where id = 1) from ticket having count(*) <> 1 + 5 - (select left_over from event where id = 1)"}
  - {name: ids begin anew, sql: "select max(id) from ticket having max(id) > 4"}
  - {name: a row of an heir is there once, sql: "select count(*) from event where id = 9 having count(*) <> 1"}
  - {name: something was sold, sql: "select 1 from event where left_over = 5 and id = 1"}
  - {name: all three were accepted, when: end, sql: "select 1 where :ok_buy <> 3"}
`)},
		"buy.sql": {Data: []byte("begin;\nupdate event set left_over = left_over - 1 where id = 1;\ninsert into ticket (owner) values ('x');\ncommit;\n")},
	}, ".")
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, sc)
	o.Transactions = 5
	o.Tables = func(context.Context) ([]history.Table, error) {
		return []history.Table{{Name: "event"}, {Name: "later"}, {Name: "ticket"}}, nil
	}
	res, err := stress.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Final.Rounds != 5 || res.Final.Total.Accepted != 15 || len(res.Final.Violations) != 0 {
		t.Errorf("rounds %d, calls %+v, violations %v", res.Final.Rounds, res.Final.Total, res.Final.Violations)
	}
	for _, c := range res.Final.Claims {
		if c.State != "ok" || c.Checks != 5 {
			t.Errorf("claim %+v", c)
		}
	}
	_, ops := recorded(t, res.Path)
	resets, before := 0, 0
	for _, op := range ops {
		if op.Scope == history.ScopeNote && op.Text == "reset" {
			resets++
		}
		if op.Scope == history.ScopeState && op.Phase == "before" && op.Rows[0][1].Text == "5" {
			before++
		}
	}
	if resets != 4 || before != 5 {
		t.Errorf("%d resets, %d times the first contents", resets, before)
	}
}

// small is a scenario with one statement.
func small(t *testing.T, setup, sql, invariant string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Load(fstest.MapFS{
		"ccheck.yaml": {Data: []byte("version: 1\nname: small\nsetup: {sql: \"" + setup + "\"}\nactors: [{name: act, script: act.sql}]\ninvariants: [{name: rule, sql: \"" + invariant + "\"}]\n")},
		"act.sql":     {Data: []byte(sql)},
	}, ".")
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func TestMistakesOfTheScenario(t *testing.T) {
	for name, tc := range map[string]struct{ setup, sql, invariant, want string }{
		"setup":            {"create table t (id int); selec 1", "select 1;", "select 1 where false", `ccheck.yaml:3: setup: ERROR 42601 syntax error at or near "selec"`},
		"invariant errors": {"create table t (id int)", "select 1;", "select * from nowhere", `invariant "rule": ERROR 42P01`},
		"invariant broken": {"create table t (id int)", "select 1;", "select 7 as seven", "broken before any actor ran: it returns seven 7"},
		"script fails":     {"create table t (id int)", "\\set x 1 / 0\nselect :x;", "select 1 where false", "no call of actor act gets through"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := stress.Run(t.Context(), options(t, small(t, tc.setup, tc.sql, tc.invariant)))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v\nwant  %s", err, tc.want)
			}
		})
	}
}

func TestViolationsAreSeenWhileRunning(t *testing.T) {
	o := options(t, small(t, "create table t (n int); insert into t values (0)", "update t set n = n - 1;", "select n from t where n < 0"))
	o.Transactions, o.Duration, o.CheckEvery = 0, 600*time.Millisecond, 20*time.Millisecond
	res, err := stress.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Final.Violations) < 2 || res.Final.Claims[0].State != "bad" {
		t.Fatalf("violations %v, claims %+v", res.Final.Violations, res.Final.Claims)
	}
}

func TestStopEndsInGoodOrder(t *testing.T) {
	stop := make(chan struct{})
	o := options(t, open(t, "counter"))
	o.Transactions, o.Stop = 0, stop
	o.Progress = func(s stress.Snapshot) {
		if s.Phase == "running" && s.Total.Calls() > 0 {
			select {
			case <-stop:
			default:
				close(stop)
			}
		}
	}
	res, err := stress.Run(t.Context(), o)
	if err != nil || res.Cut != stress.CutOnRequest {
		t.Fatalf("cut %q, error %v", res.Cut, err)
	}
	if res.Final.Total.Unknown != 0 {
		t.Errorf("%d calls were cut off", res.Final.Total.Unknown)
	}
}

func TestStuckCallsAreCutOffWithUnknownOutcome(t *testing.T) {
	stop := make(chan struct{})
	o := options(t, small(t, "create table t (n int)", "select pg_sleep(600);", "select 1 where false"))
	o.Clients, o.Stop = 2, stop
	o.Progress = func(stress.Snapshot) {
		select {
		case <-stop:
		default:
			close(stop)
		}
	}
	res, err := stress.Run(t.Context(), o)
	if err != nil || res.Final.Total.Unknown == 0 || res.Cut != stress.CutOnRequest {
		t.Fatalf("cut %q, calls %+v, error %v", res.Cut, res.Final.Total, err)
	}
}

func TestStopBeforeTheLanesBegin(t *testing.T) {
	stop := make(chan struct{})
	o := options(t, small(t, "select pg_sleep(600)", "select 1;", "select 1 where false"))
	o.Stop = stop
	close(stop)
	if _, err := stress.Run(t.Context(), o); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}

func TestServerKilledMidRun(t *testing.T) {
	cfg := pgtest.Config(t)
	o := options(t, open(t, "counter"))
	o.Config = func() *pgconn.Config { return cfg.Copy() }
	o.Transactions = 0
	killed := false
	o.Progress = func(s stress.Snapshot) {
		if s.Total.Calls() == 0 || killed {
			return
		}
		killed = true
		kill(t, cfg)
	}
	res, err := stress.Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "connections were lost") {
		t.Fatalf("error %v", err)
	}
	_, ops := recorded(t, res.Path)
	if len(ops) == 0 {
		t.Fatal("nothing that was recorded can be read")
	}
}

// kill ends every session of the database and lets no new one in.
func kill(t *testing.T, cfg *pgconn.Config) {
	admin := pgtest.Start(t).Config()
	conn, err := pgconn.ConnectConfig(t.Context(), admin)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(t.Context())
	for _, sql := range []string{
		"alter database " + cfg.Database + " allow_connections false",
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + cfg.Database + "'",
	} {
		if _, err := conn.Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Error(err)
		}
	}
}

func TestRateIsAnOpenLoop(t *testing.T) {
	o := options(t, small(t, "create table t (n int)", "select 1;", "select 1 where false"))
	o.Clients, o.Transactions, o.Rate = 2, 10, 100
	res, err := stress.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Final.Total.Accepted != 20 || res.Final.Elapsed < 180*time.Millisecond {
		t.Fatalf("%+v in %v: the calls were not spread out", res.Final.Total, res.Final.Elapsed)
	}
}

func TestFullHistoryEndsTheRun(t *testing.T) {
	o := options(t, open(t, "counter"))
	o.Transactions, o.Limit = 0, 200_000
	res, err := stress.Run(t.Context(), o)
	if !errors.Is(err, history.ErrFull) {
		t.Fatalf("error %v", err)
	}
	if _, ops := recorded(t, res.Path); len(ops) == 0 {
		t.Fatal("what was recorded before cannot be read")
	}
}
