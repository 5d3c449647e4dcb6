package target_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/target"
)

func sandbox(t *testing.T, tg *target.Target) (*target.Sandbox, *pgconn.PgConn) {
	t.Helper()
	r := run()
	conn := connect(t, tg, r)
	s, err := tg.CreateSandbox(t.Context(), conn, r)
	if err != nil {
		t.Fatal(err)
	}
	return s, conn
}

// lane is one more session of a sandbox's run.
func lane(t *testing.T, tg *target.Target, s *target.Sandbox) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), tg.Config(s.Run, settings))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// schemas are those of ccheck that exist.
func schemas(t *testing.T, conn *pgconn.PgConn) string {
	t.Helper()
	var names []string
	for _, r := range query(t, conn, `select nspname from pg_namespace where nspname like 'ccheck\_%' order by 1`) {
		names = append(names, r[0])
	}
	return strings.Join(names, " ")
}

func TestSandbox(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	s, conn := sandbox(t, tg)
	comment := query(t, admin, "select obj_description('"+s.Schema+"'::regnamespace)")[0][0]
	want := fmt.Sprintf("ccheck run=%s host=", s.Run.ID)
	if !strings.HasPrefix(comment, want) || !strings.HasSuffix(comment, " started=2026-01-02T03:04:05Z") {
		t.Errorf("comment %q", comment)
	}
	query(t, lane(t, tg, s), "create table account (id int primary key); insert into account values (1)")
	query(t, conn, "select id from account")
	for range 2 {
		if err := s.Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left := schemas(t, admin); left != "" {
		t.Errorf("left behind: %s", left)
	}
	if locks := query(t, admin, "select 1 from pg_locks where locktype = 'advisory'"); len(locks) != 0 {
		t.Error("the lock is still held")
	}
	silent(t, s, tg.Config(s.Run, settings).Password)
}

// TestOneRun has several runs begin at once: one gets the database, and the
// others are told who has it.
func TestOneRun(t *testing.T) {
	tg, _ := fresh(t)
	const runs = 6
	var wg sync.WaitGroup
	boxes, errs := make([]*target.Sandbox, runs), make([]error, runs)
	for i := range runs {
		r := run()
		conn := connect(t, tg, r)
		wg.Go(func() { boxes[i], errs[i] = tg.CreateSandbox(t.Context(), conn, r) })
	}
	wg.Wait()
	var winner *target.Sandbox
	for _, b := range boxes {
		if b != nil && winner != nil {
			t.Fatal("two runs in one database")
		}
		if b != nil {
			winner = b
		}
	}
	if winner == nil {
		t.Fatalf("no run got the database: %v", errs)
	}
	for i, err := range errs {
		if boxes[i] != nil {
			continue
		}
		e := problem(t, err)
		if e.Kind != target.Busy || e.Exit != 5 || !strings.Contains(e.Msg, "run="+winner.Run.ID) {
			t.Errorf("kind %q, exit %d, %q", e.Kind, e.Exit, e.Msg)
		}
	}
	if err := winner.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	next, _ := sandbox(t, tg)
	if err := next.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestTwoDatabasesTwoRuns(t *testing.T) {
	one, _ := fresh(t)
	two, _ := fresh(t)
	for _, tg := range []*target.Target{one, two} {
		s, _ := sandbox(t, tg)
		defer s.Drop(context.WithoutCancel(t.Context()))
	}
}

func TestSandboxRefuses(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	tests := []struct {
		name, comment string
		msg           string
	}{
		{"foreign schema", "mine", "is there already and is not ccheck's"},
		{"no comment", "", "is there already and is not ccheck's"},
		{"left by a run", "ccheck run=%s host=box pid=7 started=2025-12-31T23:59:00Z", "left by the run of 2025-12-31 23:59 on box"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := run()
			query(t, admin, fmt.Sprintf("create schema %s; comment on schema %[1]s is '%s'", r.Schema(), strings.ReplaceAll(tt.comment, "%s", r.ID)))
			_, err := tg.CreateSandbox(t.Context(), connect(t, tg, r), r)
			if e := problem(t, err); e.Kind != target.Rail || e.Exit != 5 || !strings.Contains(e.Msg, tt.msg) {
				t.Errorf("kind %q, exit %d, %q; want %q", e.Kind, e.Exit, e.Msg, tt.msg)
			}
			if !strings.Contains(schemas(t, admin), r.Schema()) {
				t.Error("the schema is gone")
			}
		})
	}
	t.Run("run id", func(t *testing.T) {
		r := run()
		r.ID = `x"; drop table y`
		_, err := tg.CreateSandbox(t.Context(), connect(t, tg, run()), r)
		if e := problem(t, err); e.Kind != target.Usage {
			t.Errorf("kind %q, %q", e.Kind, e.Msg)
		}
	})
	t.Run("no rights", func(t *testing.T) {
		app := parse(t, role(t, admin, dsn, ""))
		r := run()
		conn := connect(t, app, r)
		_, err := app.CreateSandbox(t.Context(), conn, r)
		e := problem(t, err)
		if e.Kind != target.Rights || e.Exit != 3 || !strings.Contains(e.Msg, "may not create a schema") || !strings.Contains(e.Hint, "GRANT CREATE ON DATABASE") {
			t.Errorf("kind %q, exit %d, %q, hint %q", e.Kind, e.Exit, e.Msg, e.Hint)
		}
		if locks := query(t, admin, "select 1 from pg_locks where locktype = 'advisory'"); len(locks) != 0 {
			t.Error("the lock is kept after the refusal")
		}
	})
}

// TestDropWithLanesAtWork: sessions that a drained run left hold locks, one of
// them in the middle of a statement.
func TestDropWithLanesAtWork(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	s, _ := sandbox(t, tg)
	query(t, lane(t, tg, s), "create table account (id int primary key); insert into account values (1)")
	query(t, lane(t, tg, s), "begin; update account set id = 2")
	waiting := lane(t, tg, s)
	done := make(chan error, 1)
	go func() {
		_, err := waiting.Exec(t.Context(), "update account set id = 3").ReadAll()
		done <- err
	}()
	await(t, func() bool {
		return len(query(t, admin, fmt.Sprintf("select 1 from unnest(pg_blocking_pids(%d))", waiting.PID()))) > 0
	})
	if err := s.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the waiting statement was not stopped")
	}
	if left := schemas(t, admin); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// TestDropAfterTheConnectionDied covers the ways in which the sandbox's own
// connection can be of no use any more.
func TestDropAfterTheConnectionDied(t *testing.T) {
	tests := []struct {
		name string
		ruin func(t *testing.T, admin, conn *pgconn.PgConn)
	}{
		{"ended by a DBA", func(t *testing.T, admin, conn *pgconn.PgConn) {
			query(t, admin, fmt.Sprintf("select pg_terminate_backend(%d)", conn.PID()))
		}},
		{"closed", func(t *testing.T, _, conn *pgconn.PgConn) { conn.Close(t.Context()) }},
		{"in a failed transaction", func(t *testing.T, _, conn *pgconn.PgConn) {
			conn.Exec(t.Context(), "begin; select 1/0").ReadAll()
		}},
		{"busy", func(t *testing.T, _, conn *pgconn.PgConn) { conn.Exec(t.Context(), "select pg_sleep(3600)") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tg, dsn := fresh(t)
			admin := plain(t, dsn)
			s, conn := sandbox(t, tg)
			query(t, conn, "create table account (id int)")
			tt.ruin(t, admin, conn)
			if err := s.Drop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := schemas(t, admin); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// TestDropTwiceAtOnce: a signal's clean-up may meet the ordinary one.
func TestDropTwiceAtOnce(t *testing.T) {
	tg, dsn := fresh(t)
	s, _ := sandbox(t, tg)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Drop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if left := schemas(t, plain(t, dsn)); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestDropOnlyItsOwn(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	s, _ := sandbox(t, tg)
	query(t, admin, "comment on schema "+s.Schema+" is 'precious'")
	err := s.Drop(t.Context())
	if e := problem(t, err); e.Kind != target.Rail || !strings.Contains(e.Msg, "no longer the marker") {
		t.Errorf("kind %q, %q", e.Kind, e.Msg)
	}
	if schemas(t, admin) != s.Schema {
		t.Error("a schema without the marker was dropped")
	}
}

func TestRelease(t *testing.T) {
	tg, dsn := fresh(t)
	s, _ := sandbox(t, tg)
	if err := s.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if schemas(t, plain(t, dsn)) != s.Schema {
		t.Error("the schema was not kept")
	}
	other, _ := sandbox(t, tg)
	if err := other.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestClean has one sandbox of every sort in a database.
func TestClean(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	make := func(id, comment string) {
		query(t, admin, fmt.Sprintf("create schema ccheck_%s; create table ccheck_%[1]s.t (id int); comment on schema ccheck_%[1]s is '%s'", id, comment))
	}
	now := time.Now().UTC()
	marker := func(id string, age time.Duration) string {
		return fmt.Sprintf("ccheck run=%s host=box pid=7 started=%s", id, now.Add(-age).Format(time.RFC3339))
	}
	make("old", marker("old", 2*time.Hour))
	make("young", marker("young", time.Minute))
	make("alive", marker("alive", 3*time.Hour))
	make("copied", marker("elsewhere", 4*time.Hour))
	make("foreign", "a schema of my own")
	make("nearly", marker("nearly", 5*time.Hour)+" x")
	alive := run()
	alive.ID = "alive"
	connect(t, tg, alive)
	conn := connect(t, tg, run())

	clean := func(force bool) string {
		t.Helper()
		list, err := tg.Clean(t.Context(), conn, time.Hour, force)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, c := range list {
			if c.Tables != 1 || c.Run.Host != "box" || c.Owner == "" || c.Age <= 0 {
				t.Errorf("orphan %+v", c.Orphan)
			}
			lines = append(lines, fmt.Sprintf("%s removed=%t: %s", c.Schema, c.Removed, c.Why))
		}
		return strings.Join(lines, "\n")
	}
	want := "ccheck_alive removed=false: its run is still connected\n" +
		"ccheck_old removed=true: its run of " + now.Add(-2*time.Hour).Format("2006-01-02 15:04") + " on box is over\n" +
		"ccheck_young removed=false: it is younger than 1h0m0s; --force removes it"
	if diff := cmp.Diff(want, clean(false)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	clean(true)
	if left := schemas(t, admin); left != "ccheck_alive ccheck_copied ccheck_foreign ccheck_nearly" {
		t.Errorf("left: %s", left)
	}
}

func TestCleanWithoutRights(t *testing.T) {
	tg, dsn := fresh(t)
	admin := plain(t, dsn)
	s, conn := sandbox(t, tg)
	conn.Close(t.Context())
	app := parse(t, role(t, admin, dsn, ""))
	list, err := app.Clean(t.Context(), connect(t, app, run()), 0, true)
	if err != nil || len(list) != 1 || list[0].Removed || !strings.Contains(list[0].Why, "may not drop it") {
		t.Errorf("got %+v, %v", list, err)
	}
	if schemas(t, admin) != s.Schema {
		t.Error("dropped without the right to")
	}
}

func TestTables(t *testing.T) {
	tg, _ := fresh(t)
	s, conn := sandbox(t, tg)
	query(t, conn, `
		create table owner (id bigint generated always as identity primary key);
		create table account (
			id bigint primary key, gone int, owner bigint references owner, code varchar(8) not null, balance numeric(12,2) not null check (balance >= 0),
			during tsrange, exclude using gist (during with &&));
		alter table account drop column gone;
		create unique index account_code on account (lower(code)) where balance > 0;
		create table "Line Item" (b int, a int, primary key (a, b) include (c), c text) partition by hash (a);
		create table line_0 partition of "Line Item" for values with (modulus 1, remainder 0);
		create view v as select 1;
		create table bare ()`)
	got, err := tg.Tables(t.Context(), conn, s.Schema)
	if err != nil {
		t.Fatal(err)
	}
	want := []history.Table{
		{Name: "Line Item", Columns: []string{"b", "a", "c"}, Types: []string{"integer", "integer", "text"}, Key: []string{"a", "b"}},
		{Name: "account", Columns: []string{"id", "owner", "code", "balance", "during"},
			Types: []string{"bigint", "bigint", "character varying(8)", "numeric(12,2)", "tsrange"}, Key: []string{"id"},
			Unique:      []string{"CREATE UNIQUE INDEX account_code ON " + s.Schema + ".account USING btree (lower((code)::text)) WHERE (balance > (0)::numeric)"},
			Constraints: []string{"CHECK ((balance >= (0)::numeric))", "FOREIGN KEY (owner) REFERENCES owner(id)", "EXCLUDE USING gist (during WITH &&)"}},
		{Name: "bare"},
		{Name: "owner", Columns: []string{"id"}, Types: []string{"bigint"}, Key: []string{"id"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if none, err := tg.Tables(t.Context(), conn, "no_such_schema"); err != nil || len(none) != 0 {
		t.Errorf("got %v, %v", none, err)
	}
}
