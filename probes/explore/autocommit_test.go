package explore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// What happens between the snapshot of a statement on autocommit and its commit
// is seen, and a constraint that holds there is believed.
func TestAutocommit(t *testing.T) {
	const person, twice = "create table person (mail text not null);", "select mail from person group by mail having count(*) > 1"
	const limited = `create table booking (id int generated always as identity primary key, who text);
create function full_house() returns trigger language plpgsql as $$ begin
	if (select count(*) from booking) >= 1 then raise exception 'full' using errcode = '23514'; end if; return new; end $$;
create trigger full_house before insert on booking for each row execute function full_house();`
	const purse = `create table purse (id int primary key, cents int not null, taken int not null);
insert into purse values (1, 100, 0);
create function take(n int) returns bool language plpgsql as $$ declare c int; begin
	select cents into c from purse where id = 1;
	if c < n then return false; end if;
	update purse set cents = c - n, taken = taken + n where id = 1; return true; end $$;`
	tests := []struct {
		name, schema, script, invariant string
		breaks                          bool
	}{
		{"insert where not exists", person, "INSERT INTO person SELECT 'a@b' WHERE NOT EXISTS (SELECT FROM person WHERE mail = 'a@b');\n", twice, true},
		{"with a unique index", person + "create unique index on person (mail);", "INSERT INTO person VALUES ('a@b') ON CONFLICT DO NOTHING;\n", twice, false},
		{"a trigger that counts", limited, "-- @refuse 23514\nINSERT INTO booking (who) VALUES ('x');\n", "select count(*) from booking having count(*) > 1", true},
		{"a function that reads and writes", purse, "SELECT take(60)::int AS ok \\gset\n-- @decide :ok = 1\n", "select * from purse where cents <> 100 - taken", true},
		{"a guarded update", purse, "UPDATE purse SET cents = cents - 60, taken = taken + 60 WHERE id = 1 AND cents >= 60;\n", "select * from purse where cents <> 100 - taken", false},
	}
	for _, tt := range tests {
		n, _ := explored(t, written(t, tt.schema, tt.script, tt.invariant), []string{"a", "b"}, scenario.ReadCommitted, nil)
		if (n.Broken > 0) != tt.breaks || !n.Whole {
			t.Errorf("%s: %d of %d schedules break, whole %v", tt.name, n.Broken, n.Schedules, n.Whole)
		}
	}
}

// A ROLLBACK is a step where somebody looks at locks without waiting for them.
func TestRollbackIsSeen(t *testing.T) {
	const job = "create table job (id int primary key, seen int); insert into job values (1, null);"
	const look = `BEGIN;
SELECT count(*) AS free FROM (SELECT FROM job WHERE id = 1 FOR UPDATE SKIP LOCKED) x \gset
UPDATE job SET seen = :free WHERE id = 1;
COMMIT;
`
	for _, give := range []string{
		"BEGIN;\nSELECT id FROM job WHERE id = 1 FOR UPDATE;\nROLLBACK;\n",
		"BEGIN;\nSAVEPOINT s;\nUPDATE job SET seen = 7 WHERE id = 1;\nROLLBACK TO s;\nCOMMIT;\n",
	} {
		sc := written(t, job, "\\if :me = 1\n"+give+"\\else\n"+look+"\\endif\n", "select * from job where seen = 0")
		if n, _ := explored(t, sc, []string{"a", "b"}, scenario.ReadCommitted, nil); n.Broken == 0 {
			t.Errorf("in %d schedules of\n%s\nnobody sees the lock before it is given up", n.Schedules, give)
		}
	}
}

// What no reset undoes is refused, and names the statement.
func TestUnfit(t *testing.T) {
	const tables = "create table t (id int primary key, v int not null); insert into t values (1, 1); create materialized view total as select sum(v) from t;"
	for script, want := range map[string]string{
		"CREATE TABLE copied AS SELECT * FROM t;\n":                                     "CREATE TABLE copied",
		"BEGIN;\nUPDATE t SET v = 2 WHERE id = 1;\nALTER TABLE t ADD w int;\nCOMMIT;\n": "ALTER TABLE t ADD w int",
		"BEGIN;\nUPDATE t SET v = 2 WHERE id = 1;\nPREPARE TRANSACTION 'x';\n":          "PREPARE TRANSACTION",
		"REFRESH MATERIALIZED VIEW total;\n":                                            "REFRESH MATERIALIZED VIEW total",
	} {
		_, err := Drive(t.Context(), options(t, written(t, tables, script, "select 1 where false"), []string{"a", "b"}, scenario.ReadCommitted))
		var unfit *UnfitError
		if !errors.As(err, &unfit) || !strings.Contains(unfit.Error(), want) {
			t.Errorf("%q: %v", script, err)
		}
	}
	temp := "BEGIN;\nCREATE TEMP TABLE scratch ON COMMIT DROP AS SELECT v FROM t;\nUPDATE t SET v = v + 1 WHERE id = 1;\nCOMMIT;\n"
	if _, err := Drive(t.Context(), options(t, written(t, tables, temp, "select 1 where false"), []string{"a", "b"}, scenario.ReadCommitted)); err != nil {
		t.Errorf("a temporary table: %v", err)
	}
}

// A table that others inherit from has rows of its own.
func TestInheritance(t *testing.T) {
	sc := written(t, `create table base (id int primary key, v int not null);
create table child () inherits (base);
insert into base values (1, 1);
insert into child values (2, 1);
`, "BEGIN;\nSELECT sum(v) AS v FROM base \\gset\nUPDATE base SET v = :v WHERE id = 2;\nCOMMIT;\n", "select 1 where false")
	_, path := explored(t, sc, []string{"a", "b"}, scenario.ReadCommitted, nil)
	found := judged(t, path, false)
	if len(found) == 0 || found[0].Count != 12 {
		t.Errorf("12 of 14 schedules lose an update: %+v", found)
	}
}

// A step that does not end is ended when somebody asks for the end, on the
// server too.
func TestStopEndsAStep(t *testing.T) {
	o := options(t, written(t, "create table t (id int primary key); insert into t values (1);", "SELECT pg_sleep(3600) FROM t;\n", "select 1 where false"), []string{"a", "b"}, scenario.ReadCommitted)
	stop := make(chan struct{})
	close(stop)
	o.Stop = stop
	if _, err := Drive(t.Context(), o); !errors.Is(err, context.Canceled) {
		t.Fatalf("the exploration ends with %v", err)
	}
	conn, err := pg.Connect(t.Context(), o.Config(), nil, pg.Simple)
	must(t, err)
	defer conn.Close()
	for range 100 {
		res, err := conn.Ask("select pg_sleep(0.05) from pg_stat_activity where pid <> pg_backend_pid() and query like '%pg_sleep(3600)%' and state = 'active' limit 1")
		must(t, err)
		if len(res.Rows) == 0 {
			return
		}
	}
	t.Error("the statement goes on on the server")
}
