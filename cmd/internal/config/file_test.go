package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ccheck/ccheck/cmd/internal/exit"
)

func TestFaults(t *testing.T) {
	tests := []struct{ name, text, msg, hint string }{
		{"no version", "run: {clients: 3}\n", ".ccheck.yaml:1:1: version is missing", "begin the file with version: 1"},
		{"other version", "version: 2\n", ".ccheck.yaml:1:10: version is 2, and this ccheck reads 1", "write version: 1, or update ccheck"},
		{"command", "version: 1\nrnu: {clients: 3}\n", `.ccheck.yaml:2:1: there is no key "rnu"`, `did you mean "run"?`},
		{"flag", "version: 1\nrun:\n  client: 3\n", `.ccheck.yaml:3:3: there is no flag "client"`, `did you mean "clients"?`},
		{"flag of another command", "version: 1\nscenario list: {clients: 3}\n", `.ccheck.yaml:2:17: there is no flag "clients"`, "`ccheck config schema` has the keys; a flag is written without its dashes"},
		{"scenario", "version: 1\nactors: []\n", `.ccheck.yaml:2:1: there is no key "actors"`, "that belongs into the ccheck.yaml of a scenario, without the dot"},
		{"twice", "version: 1\nrun: {clients: 3, clients: 4}\n", `.ccheck.yaml:2:19: "clients" is here twice`, "leave one of them out"},
		{"number", "version: 1\nrun: {clients: many}\n", `.ccheck.yaml:2:16: --clients cannot be "many"`, "it takes a whole number"},
		{"duration", "version: 1\nflags: {duration: 3}\n", `.ccheck.yaml:2:19: --duration cannot be "3"`, "it takes a time such as 500ms, 30s or 5m"},
		{"list", "version: 1\nrun: {clients: [1, 2]}\n", ".ccheck.yaml:2:16: --clients takes one value, not a list", "write clients: VALUE"},
		{"nothing", "version: 1\nrun: {clients: }\n", ".ccheck.yaml:2:15: clients: expected a value, not nothing", "write what --clients takes on the command line"},
		{"nested", "version: 1\nrun: {clients: {a: 1}}\n", ".ccheck.yaml:2:16: clients: expected a value, not keys and values", "write what --clients takes on the command line"},
		{"no flags", "version: 1\nrun: 3\n", ".ccheck.yaml:2:1: expected flags and their values below run", "write them on lines of their own, indented: clients: 50"},
		{"empty command", "version: 1\nrnu: {}\n", `.ccheck.yaml:2:1: there is no key "rnu"`, `did you mean "run"?`},
		{"rail", "version: 1\nrun: {dsn: x}\n", ".ccheck.yaml:2:7: --dsn is not taken from here, because " + rails["dsn"].why, "give --dsn on the command line"},
		{"list of text", "- a\n", ".ccheck.yaml:1:1: the file: expected keys and values, not a list", "begin with version: 1"},
	}
	for _, tt := range tests {
		c, err := world{repository: tt.text}.load(t)
		if err != nil {
			t.Fatal(err)
		}
		root, _, _ := tree()
		p := exit.Problems(c.Check(root, true))
		if len(p) != 1 || p[0].Msg != tt.msg || p[0].Hint != tt.hint {
			t.Errorf("%s:\n%+v, want\n%s\n%s", tt.name, p, tt.msg, tt.hint)
		}
	}
}

func TestRight(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "version: 1\n", "version: 1\nrun: {}\n", "version: 1\nrun: {format: []}\nscenario list: {json: true}\n"} {
		c, err := world{repository: text}.load(t)
		if err != nil {
			t.Fatal(err)
		}
		root, _, _ := tree()
		if err := c.Check(root, true); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// All faults are told, in the order of their lines.
func TestAllFaultsInOrder(t *testing.T) {
	c, err := world{repository: "version: 1\nrun:\n  clients: x\n  clint: 3\nactors: 3\n"}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	root, _, _ := tree()
	var at []string
	for _, p := range exit.Problems(c.Check(root, true)) {
		place, _, _ := strings.Cut(p.Msg, ": ")
		at = append(at, place)
	}
	if got := strings.Join(at, " "); got != ".ccheck.yaml:3:12 .ccheck.yaml:4:3 .ccheck.yaml:5:1" {
		t.Error(got)
	}
}

func TestTooLarge(t *testing.T) {
	_, err := world{repository: "version: 1\n#" + strings.Repeat("x", maxBytes)}.load(t)
	if exit.Code(err) != exit.Usage {
		t.Errorf("%v", err)
	}
}

// Whatever the text, reading it ends without a panic, and what was understood
// has a place.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"version: 1\nrun: {clients: 3}\n", "a: &b\n  <<: *b\n", "? [x]\n: y\n", "x: [", "--- \n---\n", "- - -", "\t", "version: !!int 1", "a: |\n  x\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		settings, faults := parse("f", User, text)
		for _, s := range settings {
			if s.origin.Line < 1 || s.section.Line < 1 {
				t.Errorf("%+v has no place", s)
			}
		}
		for _, f := range faults {
			if f.err == nil || f.at.Line < 1 {
				t.Errorf("%+v", f)
			}
		}
	})
}

// The schema takes what ccheck takes, and refuses what it refuses.
func TestSchema(t *testing.T) {
	root, _, _ := tree()
	text, err := Schema(root)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		text string
		ok   bool
	}{
		{`{"version": 1, "run": {"clients": 3, "format": ["text"], "duration": "3s"}, "flags": {"json": true}}`, true},
		{`{"run": {"clients": 3}}`, false},
		{`{"version": 1, "run": {"client": 3}}`, false},
		{`{"version": 1, "run": {"clients": "many"}}`, false},
		{`{"version": 1, "run": {"dsn": "x"}}`, false},
		{`{"version": 1, "scenario list": {"clients": 3}}`, false},
	}
	for _, tt := range tests {
		var v any
		if err := json.Unmarshal([]byte(tt.text), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.text, err)
		}
	}
}
