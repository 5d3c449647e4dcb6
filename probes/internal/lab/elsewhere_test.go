package lab

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// What a setup makes outside of the schema of the run would stay there.
func TestElsewhere(t *testing.T) {
	conn, err := pg.Connect(t.Context(), pgtest.Config(t), nil, pg.Simple)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for sql, want := range map[string]string{
		"select 1;\nCREATE SCHEMA app;":                         "the schema app",
		"create schema if not exists \"My App\";":               `the schema "My App"`,
		"CREATE TABLE public.account (id int)":                  "the table public.account",
		"create unlogged table if not exists app.t (id int)":    "the table app.t",
		"create temp table v (id int)":                          "",
		"select 'create schema x' as text, 1 as \"table a.b\"":  "",
		"create temp table pg_temp.u (id int)":                  "",
		"create temp table w as select extract(day from now())": "",
	} {
		err := RunSource(conn, scenario.Source{Text: sql}, nil, "setup")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", sql, err)
		}
	}
}

// A statement that names a table elsewhere is found, a column after FROM is not.
func TestForeign(t *testing.T) {
	conn, err := pg.Connect(t.Context(), pgtest.Config(t), nil, pg.Simple)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Ask("drop schema if exists foreign_lab cascade; create schema foreign_lab; create table foreign_lab.acct (id int)"); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"UPDATE foreign_lab.acct SET id = 1":                                      "foreign_lab.acct",
		"SELECT * FROM pg_catalog.pg_class c JOIN foreign_lab.acct a USING (oid)": "foreign_lab.acct",
		"SELECT extract(epoch from acct.id), 1 is distinct from acct.id":          "",
		"SELECT relname FROM pg_catalog.pg_class":                                 "",
		"SELECT id FROM nosuch.acct":                                              "",
	} {
		_, table, err := Foreign(conn, []*history.Stmt{{SQL: sql}})
		if err != nil || table != want {
			t.Errorf("%q: %q, %v", sql, table, err)
		}
	}
	if _, table, err := Foreign(conn, []*history.Stmt{{SQL: "DELETE FROM foreign_lab.acct", Outside: true}}); err != nil || table != "" {
		t.Errorf("another service's: %q, %v", table, err)
	}
}
