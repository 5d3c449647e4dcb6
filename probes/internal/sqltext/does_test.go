package sqltext

import (
	"slices"
	"testing"
)

func TestWhatAStatementDoes(t *testing.T) {
	tests := []struct {
		sql                           string
		writes, keeps, peeks, session bool
	}{
		{sql: "INSERT INTO a VALUES (1)", writes: true},
		{sql: "/* update */ select 1 -- delete from a"},
		{sql: "-- first\n/* then */ Update a SET b = 1", writes: true},
		{sql: "select 'delete from a' from b"},
		{sql: `select "update" from b`},
		{sql: "with x as (delete from a returning *) select * from x", writes: true},
		{sql: "with x as (select 1) insert into a select * from x", writes: true},
		{sql: "with x as (select * from a for update) select * from x", keeps: true},
		{sql: "with x as (select (update) from a) select * from x"},
		{sql: `with x as materialized (update "A" set b = 1 returning b) table x`, writes: true},
		{sql: "with x as (select 1) merge into a using x on true when matched then do nothing", writes: true},
		{sql: "truncate a", writes: true},
		{sql: "copy a (b) from stdin", writes: true},
		{sql: "copy a to stdout"},
		{sql: "copy (select b from a) to stdout"},
		{sql: "select * from a for no key update", keeps: true},
		{sql: "select * from a for key share nowait", keeps: true, peeks: true},
		{sql: "select * from a for share", keeps: true},
		{sql: "select 'for update' from a"},
		{sql: "select id from a order by id for update skip locked", keeps: true, peeks: true},
		{sql: "select locked from a"},
		{sql: "select pg_advisory_xact_lock(1)", keeps: true},
		{sql: "select pg_try_advisory_xact_lock(1)", keeps: true, peeks: true},
		{sql: "select pg_catalog.pg_advisory_lock($1)", session: true},
		{sql: "select pg_try_advisory_lock(1) as got", peeks: true, session: true},
		{sql: "select pg_advisory_unlock(1)"},
		{sql: "set local lock_timeout = '1s'", peeks: true},
		{sql: ""},
	}
	for _, tt := range tests {
		if got := Writes(tt.sql); got != tt.writes {
			t.Errorf("%s: writes %v", tt.sql, got)
		}
		if got := Keeps(tt.sql); got != tt.keeps {
			t.Errorf("%s: keeps %v", tt.sql, got)
		}
		if got := Peeks(tt.sql); got != tt.peeks {
			t.Errorf("%s: peeks %v", tt.sql, got)
		}
		if got := LocksSession(tt.sql); got != tt.session {
			t.Errorf("%s: locks session %v", tt.sql, got)
		}
	}
}

func TestWords(t *testing.T) {
	tests := []struct {
		sql, verb, plain, print string
	}{
		{"SELECT a.B, 'x''y' FROM \"T\" WHERE c = 12 ;", "select", "SELECT a.B, 'x''y' FROM \"T\" WHERE c = 12", `select a . b , ? from "T" where c = ?`},
		{"/* id 7 */ select '--', E'a\\'b' -- end", "select", "select '--', E'a\\'b'", "select ? , ?"},
		{"select $1, $$ a $$, 1.5", "select", "select $1, $$ a $$, 1.5", "select $ ? , ? , ? . ?"},
		{"(select 1)", "select", "(select 1)", "( select ? )"},
		{"  ", "", "", ""},
	}
	for _, tt := range tests {
		if got := Verb(tt.sql); got != tt.verb {
			t.Errorf("%q: verb %q", tt.sql, got)
		}
		if got := Plain(tt.sql); got != tt.plain {
			t.Errorf("%q: plain %q", tt.sql, got)
		}
		if got := Fingerprint(tt.sql); got != tt.print {
			t.Errorf("%q: fingerprint %q", tt.sql, got)
		}
	}
	if got := Commands("set a = 1; select ';' ;"); !slices.Equal(got, []string{"set a = ?", "select ?"}) {
		t.Errorf("commands %q", got)
	}
	if got := Calls("select cast(a as varchar(6)), f (1), (2)"); !slices.Equal(got, []string{"cast", "varchar", "f"}) {
		t.Errorf("calls %q", got)
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"select 1", "E'", "$a$", "/*", "\"", "with (", "copy ("} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, sql string) {
		_, _, _, _ = Writes(sql), Keeps(sql), Plain(sql), Commands(sql)
		for w := range Words(sql) {
			if w == "" {
				panic("a piece of nothing")
			}
		}
	})
}
