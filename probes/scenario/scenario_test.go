package scenario_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

func TestLoadResolvesEverything(t *testing.T) {
	folder := fstest.MapFS{
		"shop/ccheck.yaml": {Data: []byte(`version: 1
title: A shop
setup:
  - schema.sql
  - sql: INSERT INTO stock VALUES (:items)
params: {items: 0x10, kind: "7"}
load: {mode: rounds, think: 500us-2ms, lanes: {order: 2, rest: 1}}
isolation: rr
actors:
  - &order
    name: order
    script: order.sql
    params: {items: 3, customer: ann}
    effects: [{table: stock, key: id, column: n, at: ":items", add: -1}]
  - {<<: *order, name: rest, weight: 0}
invariants:
  - {name: none, sql: select 1 where false, fixes: do not}
variants:
  fast: {isolation: serializable, max_tries: 9, setup: {sql: ANALYZE}, scripts: {order: fast/order.sql}}
fixed: [fast]
`)},
		"shop/schema.sql":     {Data: []byte("CREATE TABLE stock (n int);\n")},
		"shop/order.sql":      {Data: []byte("-- @retry 40001\nUPDATE stock SET n = n - 1;\n")},
		"shop/fast/order.sql": {Data: []byte("SELECT 1;\n")},
	}
	s, err := scenario.Load(folder, "shop")
	if err != nil {
		t.Fatal(err)
	}
	fast, err := s.Variant("fast")
	if err != nil {
		t.Fatal(err)
	}
	type summary struct {
		Name, Title string
		Setup       []string
		Params      []string
		Load        scenario.Workload
		Isolation   scenario.Isolation
		Tries       int
		Fixed       bool
		Scripts     []string
	}
	sum := func(s *scenario.Scenario) summary {
		v := summary{Name: s.FullName(), Title: s.Title, Load: s.Load, Isolation: s.Isolation, Tries: s.MaxTries, Fixed: s.Fixed}
		for _, src := range s.Setup {
			v.Setup = append(v.Setup, src.Where.String()+" "+src.Text)
		}
		for _, a := range s.Actors {
			v.Scripts = append(v.Scripts, a.Name+" "+a.Path+" "+strings.Join(a.Script.Retry, ","))
			for _, p := range a.Params {
				v.Params = append(v.Params, p.Name+"="+p.Value)
			}
		}
		return v
	}
	load := scenario.Workload{
		Mode: scenario.Rounds, Clients: 3, Think: scenario.Think{Min: 500 * time.Microsecond, Max: 2 * time.Millisecond},
		Lanes: []scenario.Lane{{Actor: "order", Count: 2}, {Actor: "rest", Count: 1}},
	}
	params := []string{"items=3", "kind=7", "customer=ann", "items=3", "kind=7", "customer=ann"}
	setup := []string{"shop/schema.sql:1 CREATE TABLE stock (n int);\n", "shop/ccheck.yaml:5 INSERT INTO stock VALUES (:items)"}
	want := []summary{
		{"shop", "A shop", setup, params, load, scenario.RepeatableRead, 0, false, []string{"order order.sql 40001", "rest order.sql 40001"}},
		{"shop/fast", "", append(slices.Clone(setup), "shop/ccheck.yaml:19 ANALYZE"), params, load, scenario.Serializable, 9, true, []string{"order fast/order.sql ", "rest order.sql 40001"}},
	}
	if diff := cmp.Diff(want, []summary{sum(s), sum(fast)}); diff != "" {
		t.Error(diff)
	}
}

func TestSQLPutsLiteralsIn(t *testing.T) {
	params := []scenario.Param{
		{Name: "n", Value: "5"}, {Name: "neg", Value: "-5"},
		{Name: "s", Value: `it's`, Quoted: true}, {Name: "b", Value: `a\'b`, Quoted: true},
	}
	for text, want := range map[string]string{
		"select :n":                               "select 5",
		"select 1-:neg":                           "select 1-(-5)",
		"select :s, :b":                           `select 'it''s',  E'a\\''b'`,
		"select ':n', \":n\", x::n":               "select ':n', \":n\", x::n",
		"select :n::int, :s::text":                "select 5::int, 'it''s'::text",
		"select 1 -- :n\n, :n":                    "select 1 -- :n\n, 5",
		"select /* :n /* :n */ :n */ :n":          "select /* :n /* :n */ :n */ 5",
		"do $$ begin x := :n; end $$; select :n":  "do $$ begin x := :n; end $$; select 5",
		"do $a$ $$ :n $a$; select a$b, $1, :n":    "do $a$ $$ :n $a$; select a$b, $1, 5",
		`select E'\':n', :n`:                      `select E'\':n', 5`,
		`select '\', :n`:                          `select '\', 5`,
		"select a[1:2], a[:n:2], 'it''s :n', :n2": "",
		"select a[1:2], 'it''s :n' , x=:n":        "select a[1:2], 'it''s :n' , x=5",
		"select 'open :n":                         "select 'open :n",
		"select :N":                               "",
	} {
		got, err := scenario.SQL(text, params)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s\n got %s (%v)\nwant %s", text, got, err, want)
		}
	}
}

// The server reads every literal back as the value that went in.
func TestLiteralsComeBack(t *testing.T) {
	st := newStage(t, pgtest.Config(t), open(t, "counter"), scenario.ReadCommitted)
	for _, setting := range []string{"on", "off"} {
		st.ask("SET standard_conforming_strings = " + setting)
		for _, want := range []string{"", "'", `\`, `\'`, `'\`, "a''b", "$1", ":n", "é\n\t", "--", `\\n`} {
			sql, err := scenario.SQL("SELECT :v", []scenario.Param{{Name: "v", Value: want, Quoted: true}})
			if err != nil {
				t.Fatal(err)
			}
			if got := st.ask(sql).Rows[0][0]; got != history.Text(want) {
				t.Errorf("%q came back as %q from %s", want, got.Text, sql)
			}
		}
	}
}

func TestCountersOfActorsWithoutCallsAreZero(t *testing.T) {
	s := open(t, "wallet")
	params := s.Counters([]scenario.Count{{Actor: "topup", OK: 4, Refused: 3, Failed: 2, Unknown: 1}})
	got, err := scenario.SQL(":ok_topup :refused_topup :failed_topup :unknown_topup :ok_transfer", params)
	if err != nil || got != "4 3 2 1 0" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, "seat").Export(filepath.Join(dir, "hall")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "my bench-1.sql"), "\\set a 1\nSELECT :a;\n")
	write(t, filepath.Join(dir, "bad.sql"), "\\set a (\n")
	write(t, filepath.Join(dir, "notes.txt"), "x")
	t.Chdir(dir)
	for name, want := range map[string]string{
		"wallet":               "wallet",
		"wallet/atomic":        "wallet/atomic",
		"hall":                 "seat",
		"./hall/":              "seat",
		"hall/ccheck.yaml":     "seat",
		"hall/atomic":          "seat/atomic",
		"my bench-1.sql":       "my bench-1",
		"walet":                `no scenario "walet": neither built in nor a file or folder (did you mean "wallet"?)`,
		"wallet/atomik":        `wallet/ccheck.yaml: scenario "wallet" has no variant "atomik" (did you mean "atomic"?)`,
		"hall/atomik":          `hall/ccheck.yaml: scenario "seat" has no variant "atomik" (did you mean "atomic"?)`,
		"notes.txt":            "notes.txt: this is neither a pgbench script (.sql) nor a ccheck.yaml (a pgbench script is a file whose name ends in .sql)",
		".":                    `.: there is no ccheck.yaml in this folder ("ccheck scenario export wallet DIR" writes one to begin with)`,
		"bad.sql":              "bad.sql:1:9: syntax error: the expression is not complete (expected a number, a :variable, a function or an opening parenthesis)",
		"seat/atomic/deeper":   `seat/ccheck.yaml: scenario "seat" has no variant "atomic/deeper" (one of atomic, constraint, pessimistic, serializable)`,
		"no/such/file.sql":     `no scenario "no/such/file.sql": neither built in nor a file or folder (one of counter, coupon, deadlock, inventory, ledger, payment, queue, seat, unique-signup, wallet)`,
		"hall/ccheck.yaml/sub": `hall/ccheck.yaml/sub: not a directory ()`,
	} {
		s, err := scenario.Open(name)
		got := ""
		if err == nil {
			got = s.FullName()
		} else {
			got = err.Error() + " (" + scenario.Errors(err)[0].Hint + ")"
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	if a := open(t, "my bench-1.sql").Actors; len(a) != 1 || a[0].Name != "my_bench_1" || a[0].Weight != 1 {
		t.Errorf("%+v", a)
	}
}

// A folder from elsewhere must not reach out of itself.
// A file in another encoding is told with its line and how to convert it.
func TestFilesInAnotherEncoding(t *testing.T) {
	good := fstest.MapFS{
		"shop/ccheck.yaml": {Data: []byte("version: 1\nactors: [{name: pay, script: pay.sql}]\n")},
		"shop/pay.sql":     {Data: []byte("-- caf\u00e9\nSELECT 1;\n")},
	}
	if _, err := scenario.Load(good, "shop"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"shop/pay.sql":     "shop/ccheck.yaml:2:30: pay.sql: line 2 is no text in UTF-8",
		"shop/ccheck.yaml": "shop/ccheck.yaml: line 3 is no text in UTF-8",
	} {
		for _, foreign := range []string{"caf\xe9", "nul \x00"} {
			bad := maps.Clone(good)
			bad[name] = &fstest.MapFile{Data: append(bytes.TrimSuffix(good[name].Data, []byte("SELECT 1;\n")), foreign...)}
			_, err := scenario.Load(bad, "shop")
			all := scenario.Errors(err)
			if len(all) != 1 || all[0].Error() != want || !strings.Contains(all[0].Hint, "iconv") {
				t.Errorf("%s with %q: %v, want %q", name, foreign, err, want)
			}
		}
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secret.sql"), "SELECT 1;")
	if err := os.Mkdir(filepath.Join(dir, "shop"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret.sql", filepath.Join(dir, "shop", "pay.sql")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "shop", "ccheck.yaml"), "version: 1\nactors: [{name: pay, script: pay.sql}]\n")
	if _, err := scenario.Open(filepath.Join(dir, "shop")); err == nil || !strings.Contains(err.Error(), "pay.sql: path escapes") {
		t.Errorf("got %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An exported scenario is the scenario, and is not written over anything.
func TestExportLoadsAgain(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bench.sql")
	write(t, bare, "SELECT :client_id;\n")
	all := []*scenario.Scenario{open(t, bare)}
	for _, name := range []string{"07-room-overlapping-ranges", "25-outbox-cursor-skips-a-commit"} {
		all = append(all, versions(t, open(t, "testdata/cases/"+name))...)
	}
	for _, s := range scenario.Builtin() {
		all = append(all, versions(t, s)...)
	}
	for _, s := range all {
		dir := filepath.Join(t.TempDir(), "out")
		if err := s.Export(dir); err != nil {
			t.Fatal(err)
		}
		same(t, s, open(t, dir))
		if err := s.Export(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("%s was written over its first export: %v", s.FullName(), err)
		}
	}
}

// same compares what runs, not the places it stands at.
func same(t *testing.T, a, b *scenario.Scenario) {
	t.Helper()
	ignore := cmp.Options{
		cmpopts.IgnoreFields(scenario.Scenario{}, "Name", "Version", "FS", "Dir", "File", "Fixed"),
		cmpopts.IgnoreFields(scenario.Actor{}, "Script"), cmpopts.IgnoreFields(scenario.Effect{}, "At", "Add"),
		cmpopts.IgnoreTypes(scenario.Position{}), cmpopts.EquateEmpty(),
		cmpopts.IgnoreUnexported(scenario.Scenario{}, scenario.Actor{}, scenario.Source{}),
	}
	if diff := cmp.Diff(a, b, ignore); diff != "" {
		t.Errorf("%s (-) and its export (+):\n%s", a.FullName(), diff)
	}
	if a.Version == "" && !slices.Equal(a.Variants(), b.Variants()) {
		t.Errorf("%s: variants %q became %q", a.FullName(), a.Variants(), b.Variants())
	}
}
