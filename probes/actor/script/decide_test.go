package script

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/history"
)

// A condition of @decide compares text, and numbers as pgbench does.
func TestDecideKnowsText(t *testing.T) {
	vars := map[string]history.Value{
		"status": history.Text("open"), "no": history.Text("12A"), "on": history.Text("on"), "n": history.Text("9"), "m": history.Text("10"),
		"none": history.Null, "me": history.Text("open"), "quote": history.Text("it's"),
	}
	for _, tt := range []struct {
		expr string
		want string // "" is NULL
	}{
		{":status = 'open'", "true"}, {":status <> 'open'", "false"}, {"'open' = :status", "true"}, {":status = :me", "true"},
		{":status != 'open' or :n = 9", "true"}, {"not (:status = 'shut')", "true"}, {":quote = 'it''s'", "true"},
		{":on = 'on'", "true"}, {":n = '9'", "true"}, {":n < :m", "true"}, {"'9' < :m", "false"}, {":no > '12'", "true"},
		{":none = 'open'", ""}, {":no is not null", "true"}, {":no is null", "false"}, {":no isnull", "false"}, {":no notnull", "true"},
		{":none is null", "true"}, {":n + 1 = 10", "true"}, {":no = 12", "false"},
	} {
		m, err := NewMachine(Options{Vars: vars})
		if err != nil {
			t.Fatal(err)
		}
		root, err := parseCondition(&source{file: "x", text: tt.expr}, len(tt.expr))
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		v, err := root.eval(m)
		if got := v.text(); err != nil || got.Text != tt.want {
			t.Errorf("%s is %q, want %q (%v)", tt.expr, got.Text, tt.want, err)
		}
	}
}

// What is no condition stays an error that names its place; \set and \if stay
// pgbench's.
func TestDecideErrors(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1;\n-- @decide :status = 'open": `txn.sql:2:22: quoted string is not closed`,
		"SELECT 1;\n\\set x 'open'\n":           `unexpected character`,
	} {
		if _, err := Parse("a", "txn.sql", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	m, err := NewMachine(Options{})
	if err != nil {
		t.Fatal(err)
	}
	root, err := parseCondition(&source{file: "x", text: "'open' + 1"}, 10)
	if err == nil {
		_, err = root.eval(m)
	}
	if err == nil || !strings.Contains(err.Error(), "a string can only be compared") {
		t.Errorf("got %v", err)
	}
}
