package place

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// made is a database of a user, with what could stay another role's.
const made = `
create schema more;
create extension citext;
create type mood as enum ('good', 'bad');
create table t (id serial primary key, name citext, m mood);
create table more.u (id int references t);
create view v as select * from t;
create function f() returns int language sql as 'select 1';
create materialized view mv as select 1 as one;
comment on extension citext is 'texts';
select lo_create(0);
insert into t (name) values ('Ann')`

// owned is what only an owner may do.
const owned = `
alter table t add column more text; alter table more.u add column x int; drop view v; drop function f();
alter type mood add value 'so so'; refresh materialized view mv; alter sequence t_id_seq restart with 100; create table w (); create schema yet;
comment on database app is 'mine'; insert into t (name) values ('Bob')`

func TestOwner(t *testing.T) {
	ctx := t.Context()
	s, _ := stdio.Test()
	p, err := (&Flags{Throwaway: true}).Open(ctx, s, 10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(context.Background()) })
	run(t, p.Target.Config(NewRun(), p.Limits), "set search_path = public;"+made)
	db, err := p.Database(ctx, "app", "1s")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Copy(ctx, p.Target); err != nil {
		t.Fatal(err)
	}
	if err := db.Owner(ctx); err != nil {
		t.Fatal(err)
	}
	cfg := db.Target.Config(NewRun(), db.Limits)
	cfg.User, cfg.Password = db.Role.User, db.Role.Password
	if got := run(t, cfg, "select rolsuper from pg_roles where rolname = current_user"); got != "f" {
		t.Errorf("superuser: %s", got)
	}
	run(t, cfg, "set search_path = public;"+owned)
}

// run runs SQL and returns the first value of the last result.
func run(t *testing.T, cfg *pgconn.Config, sql string) string {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", strings.TrimSpace(sql), err)
	}
	if last := results[len(results)-1]; len(last.Rows) > 0 {
		return string(last.Rows[0][0])
	}
	return ""
}
