package wire

import (
	"fmt"
	"testing"
)

func TestConstants(t *testing.T) {
	for _, tc := range []struct{ sql, want string }{
		{"SELECT abalance FROM pgbench_accounts WHERE aid = 12345;", "SELECT abalance FROM pgbench_accounts WHERE aid = $1; [12345]"},
		{"update t set a = a - 5, b='it''s' where id in (1, 2) and c <> 'x'", "update t set a = a - $1, b=$2 where id in ($3, $4) and c <> $5 [5 it's 1 2 x]"},
		{"insert into t (a, b) values (1, 'x'), (2, null)", "insert into t (a, b) values ($1, $2), ($3, null) [1 x 2]"},
		{"select 1, 2.5 from t where x between 1 and 2", "select $1, $2 from t where x between $3 and $4 [1 2.5 1 2]"},
		{"select a from t order by 1, 2 limit 10 offset 5", "select a from t order by 1, 2 limit 10 offset 5 []"},
		{"select x::numeric(10, 2), '5'::int from t where y > interval '1 day'", "select x::numeric(10, 2), $1::int from t where y > interval '1 day' [5]"},
		{"select date '2026-01-01' + 3", "select date '2026-01-01' + $1 [3]"},
		{"select f(1, 2), array[1, 2], t.a from t1 where b2 = 3", "select f(1, 2), array[1, 2], t.a from t1 where b2 = $1 [3]"},
		{"select 1e5, 0x1F, a1 from t where a = -7", "select 1e5, 0x1F, a1 from t where a = -$1 [7]"},
		{`select "a 1" from "t" where "b" = 1`, `select "a 1" from "t" where "b" = $1 [1]`},
		// What is not understood stays as it is.
		{"select E'\\n', 1", "select E'\\n', 1 []"},
		{"select 'a\\b', 1", "select 'a\\b', 1 []"},
		{"select $1, 2", "select $1, 2 []"},
		{"select 1 -- one", "select 1 -- one []"},
		{"select 1 /* one */", "select 1 /* one */ []"},
		{"select 'not ended", "select 'not ended []"},
		{`select "not ended`, `select "not ended []`},
		{"create table t (a int default 5)", "create table t (a int default 5) []"},
		{"", " []"},
	} {
		sql, args := Constants(tc.sql)
		if got := fmt.Sprintf("%s %v", sql, args); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.sql, got, tc.want)
		}
	}
}

func FuzzConstants(f *testing.F) {
	f.Add("select 'a', 1 from t where (x) = (2, '3''')")
	f.Add("insert into t values (1,2)")
	f.Fuzz(func(t *testing.T, sql string) {
		text, args := Constants(sql)
		if len(args) == 0 && text != sql {
			t.Errorf("%q became %q without a value", sql, text)
		}
		verbOf(sql)
	})
}

func TestVerbOf(t *testing.T) {
	for sql, want := range map[string]string{
		"select 1": "SELECT", "  \n/* a /* nested */ b */ -- c\n begin": "BEGIN", "START TRANSACTION": "BEGIN", "start": "START",
		"end": "COMMIT", "Commit Work": "COMMIT", "abort": "ROLLBACK", "rollback": "ROLLBACK", "rollback transaction": "ROLLBACK",
		"rollback to s": "ROLLBACK TO", "rollback work to savepoint s": "ROLLBACK TO", "commit prepared 'x'": "COMMIT PREPARED",
		"prepare transaction 'x'": "COMMIT", "prepare p as select 1": "PREPARE", ";;commit": "COMMIT", "": "", "/* open": "", "-- all": "",
	} {
		if got := verbOf(sql); got != want {
			t.Errorf("verbOf(%q) = %q, want %q", sql, got, want)
		}
	}
}

func TestTracker(t *testing.T) {
	n := int64(0)
	next := func() int64 { n++; return n }
	var tr tracker
	var got []int64
	for _, verb := range []string{"SELECT", "S", "BEGIN", "UPDATE", "S", "SELECT", "COMMIT", "SELECT", "S", "SELECT", "ROLLBACK TO", "S", "BEGIN", "S", "ROLLBACK", "SELECT"} {
		if verb == "S" {
			tr.sync()
			continue
		}
		got = append(got, tr.enter(verb, next))
	}
	if want := "[1 2 2 2 2 3 4 4 5 5 6]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	tr.correct('E')
	if tr.enter("SELECT", next) != 6 {
		t.Error("a failed transaction is over")
	}
	tr.correct('I')
	if tr.enter("SELECT", next) != 7 {
		t.Error("a transaction that is over goes on")
	}
}
