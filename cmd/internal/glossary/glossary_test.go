package glossary

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Every term says what it is, where it comes from, and leads on.
func TestEveryTermIsWhole(t *testing.T) {
	names := map[string]string{}
	for _, term := range Terms() {
		for _, n := range term.names() {
			if other := names[key(n)]; other != "" && other != term.Name {
				t.Errorf("%q is a name of %s and of %s", n, other, term.Name)
			}
			names[key(n)] = term.Name
		}
		if term.Short == "" || len(term.Short) > 120 || strings.HasSuffix(term.Short, ".") {
			t.Errorf("%s: the short line must be at most 120 bytes without a full stop: %q", term.Name, term.Short)
		}
		if !strings.HasSuffix(term.Text, ".") {
			t.Errorf("%s: the text is no sentence: %q", term.Name, term.Text)
		}
		if len(term.Sources) == 0 {
			t.Errorf("%s has no source", term.Name)
		}
		for _, s := range term.Sources {
			if u, err := url.Parse(s.URL); err != nil || u.Host == "" || len(s.Title) < 10 {
				t.Errorf("%s: the source %q at %q is none", term.Name, s.Title, s.URL)
			}
		}
	}
	for _, term := range Terms() {
		for _, r := range term.Related {
			if names[key(r)] == "" || names[key(r)] == term.Name {
				t.Errorf("%s refers to %q, which is no other term", term.Name, r)
			}
		}
	}
}

// The SQLSTATEs have their form, and those that a retry mends are there.
func TestStates(t *testing.T) {
	state := regexp.MustCompile(`^[0-9][0-9A-Z]{4}$`)
	for _, term := range Terms() {
		if m := regexp.MustCompile(`SQLSTATE (\S+),`).FindStringSubmatch(term.Short); m != nil && (!state.MatchString(m[1]) || len(Find(m[1])) != 1) {
			t.Errorf("%s: %q is no SQLSTATE that is found", term.Name, m[1])
		}
	}
	for _, want := range []string{"40001", "40P01", "23505", "23P01", "55P03", "57014", "25P02"} {
		if len(Find(want)) != 1 {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestFind(t *testing.T) {
	tests := []struct{ name, want string }{
		{"lost update", "lost update"},
		{"Lost Updates", "lost update"},
		{"P4", "lost update"},
		{"p4c", "cursor lost update"},
		{"write-skew", "write skew"},
		{"Read-Your-Writes", "read your writes"},
		{"read_your_writes", "read your writes"},
		{"fencing tokens", "fencing token"},
		{"serialization failure", "serialization failure"},
		{"40001", "serialization failure"},
		{"40p01", "deadlock detected"},
		{"toctou", "check then act"},
		{"for update", "row lock"},
		{"nosuch", ""},
		{"", ""},
	}
	for _, tt := range tests {
		got := ""
		for _, term := range Find(tt.name) {
			got += term.Name
		}
		if got != tt.want {
			t.Errorf("Find(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{"lost updaet": "lost update", "write scew": "write skew", "40002": "40001", "fencing tokn": "fencing token", "zzzzzz": ""} {
		if got := Nearest(name); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
