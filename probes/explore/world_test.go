package explore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

const oddTables = `
create table parent (id int primary key, note text);
create table child (id bigint generated always as identity primary key, parent int references parent on delete cascade, twice int generated always as (parent * 2) stored);
create table bag (what text, n int);
create table big (a int, b text, v numeric, primary key (a, b));
create table part (d int not null, who text) partition by range (d);
create table part_1 partition of part for values from (0) to (10);
create table seen (n int not null);
create sequence ticket start 7;
create function count_bag() returns trigger language plpgsql as $$ begin update seen set n = n + 1; return null; end $$;
insert into parent values (1, 'one'), (2, null);
insert into child (parent) values (1), (2), (1);
insert into bag values ('x', 1), ('x', 1), (null, null), ('', 0);
insert into big select n, 'b''' || n, n / 3.0 from generate_series(1, 80) n;
insert into part values (1, 'a'), (2, 'b');
insert into seen values (0);
create trigger counted after insert or delete on bag for each row execute function count_bag();
`

// What a schedule can do to the tables is undone, in every one of them.
func TestResetIsExact(t *testing.T) {
	cfg := pgtest.Config(t)
	conn, err := pg.Connect(t.Context(), cfg, nil, pg.Simple)
	must(t, err)
	t.Cleanup(conn.Close)
	_, err = conn.Ask(oddTables)
	must(t, err)
	raw, err := pgconn.ConnectConfig(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() { raw.Close(context.Background()) })
	list, err := lab.Tables(t.Context(), raw)
	must(t, err)
	w, err := newWorld(conn, nil, list, 1000, false)
	must(t, err)
	before := dump(t, conn)
	for _, sql := range []string{
		"select 1",
		"update parent set note = 'changed' where id = 2",
		"delete from parent where id = 1",
		"insert into child (parent) values (2)",
		"insert into bag values ('x', 1); delete from bag where what is null",
		"delete from bag where ctid in (select ctid from bag where what = 'x' limit 1)",
		"update big set v = 0 where a = 5; delete from big where a = 6; insert into big values (900, 'new', 1); update big set b = 'moved' where a = 7",
		"update part set d = 3 where d = 2; insert into part values (9, 'c')",
		"select nextval('ticket')",
		"truncate parent, child, bag, big, part, seen",
	} {
		_, err := conn.Ask(sql)
		must(t, err)
		c, err := w.diff(false)
		must(t, err)
		if changed := dump(t, conn) != before; changed == c.none() {
			t.Errorf("%s: changed %v, and the difference is seen %v", sql, changed, !c.none())
		}
		must(t, w.reset(c))
		must(t, w.proof())
		if after := dump(t, conn); after != before {
			t.Errorf("%s: after the reset\n%s\nwant\n%s", sql, after, before)
		}
	}
}

// dump is all rows and all sequences as text.
func dump(t *testing.T, conn *pg.Conn) string {
	t.Helper()
	var b strings.Builder
	for _, table := range []string{"parent", "child", "bag", "big", "part", "seen", "ticket", "child_id_seq"} {
		columns := "t::text"
		if strings.Contains(table, "_seq") || table == "ticket" {
			columns = "last_value || ' ' || is_called"
		}
		res, err := conn.Ask("select " + columns + " from " + table + " t order by 1")
		must(t, err)
		for _, row := range res.Rows {
			b.WriteString(table + " " + row[0].Text + "\n")
		}
	}
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTooLarge(t *testing.T) {
	o := options(t, open(t, "../scenario/testdata/cases/03-transfer-opposite-order"), []string{"a", "b"}, "")
	o.MaxRows = 1
	_, err := Drive(t.Context(), o)
	if large := new(TooLargeError); !errors.As(err, &large) {
		t.Fatalf("error %v", err)
	}
}

// A table with too many rows is left alone, and a write to it is seen, even one
// that changes nothing or is rolled back. What it refers to is put back as before.
func TestLargeTableIsWatched(t *testing.T) {
	cfg := pgtest.Config(t)
	conn, err := pg.Connect(t.Context(), cfg, nil, pg.Simple)
	must(t, err)
	t.Cleanup(conn.Close)
	_, err = conn.Ask(oddTables + "create table log (id serial primary key, parent int references parent on delete cascade); insert into log (parent) select 1 from generate_series(1, 50)")
	must(t, err)
	raw, err := pgconn.ConnectConfig(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() { raw.Close(context.Background()) })
	list, err := lab.Tables(t.Context(), raw)
	must(t, err)
	const rows = "select count(*) from log"
	for _, sql := range []string{
		"select * from log", "update parent set note = 'changed'", "update parent set note = 'x' where id = 2; insert into bag values ('y', 2)",
	} {
		k, err := KeepOrWatch(t.Context(), cfg, list, 40)
		must(t, err)
		_, err = conn.Ask(sql)
		must(t, err)
		if _, err := k.Restore(); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		if names := strings.Join(k.Watched(), " "); names != "big log" {
			t.Errorf("%q are watched", names)
		}
		if res, err := conn.Ask(rows); err != nil || res.Rows[0][0].Text != "50" {
			t.Errorf("%s: after the reset the log has %v rows, %v", sql, res.Rows, err)
		}
		k.Close()
	}
	for _, sql := range []string{
		"insert into log (parent) values (2)", "update log set parent = parent", "delete from log where id = 3",
		"begin; insert into log (parent) values (2); rollback", "delete from log where false", "truncate log",
	} {
		k, err := KeepOrWatch(t.Context(), cfg, list, 40)
		must(t, err)
		_, err = conn.Ask(sql)
		must(t, err)
		large := new(TooLargeError)
		if _, err := k.Restore(); !errors.As(err, &large) || !large.Written || large.Table != "log" {
			t.Errorf("%s: %v", sql, err)
		}
		k.Close()
	}
}
