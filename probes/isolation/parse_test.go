package isolation

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseErrors(t *testing.T) {
	const s = "session s step a {x} step b {y}\nsession t step c {z}\n"
	tests := []struct{ name, src, want string }{
		{"empty", "", `f:1:1: expected a session, found the end of the file; the order is setup, teardown, sessions, permutations`},
		{"comment only", "# nothing\n", `f:2:1: expected a session, found the end of the file; the order is setup, teardown, sessions, permutations`},
		{"setup without block", "setup step", `f:1:7: expected an SQL block in braces after setup, found step; a keyword needs double quotes to be a name`},
		{"second teardown", "teardown {} teardown {}", `f:1:13: expected a session, found teardown; the order is setup, teardown, sessions, permutations`},
		{"session without name", "session {}", `f:1:9: expected a name after session, found an SQL block`},
		{"session named as a keyword", "session step", `f:1:9: expected a name after session, found step; a keyword needs double quotes to be a name`},
		{"session without steps", "session s teardown {}", `f:1:11: expected a step of session s, found teardown; a session has at most one setup, then one or more steps`},
		{"two setups", "session s setup {} setup {}", `f:1:20: expected a step of session s, found setup; a session has at most one setup, then one or more steps`},
		{"step without name", "session s step {}", `f:1:16: expected a name after step, found an SQL block`},
		{"step without block", "session s step a 7", `f:1:18: expected an SQL block in braces after step a, found 7`},
		{"open block", "session s step a {\n SELECT 1\n", `f:1:18: the SQL block is not closed; it ends at the first }`},
		{"zero byte", "setup {a\x00}", `f:1:7: the SQL block holds a zero byte, which PostgreSQL does not take`},
		{"open name", "session \"s\nstep", `f:1:9: the quoted name does not end on its line; close it with a double quote`},
		{"open name at the end", `session "s`, `f:1:9: the quoted name does not end on its line; close it with a double quote`},
		{"semicolon", s + "permutation a; b", `f:3:14: ';' has no meaning in a spec; SQL stands between braces`},
		{"column in characters", "session żó step ę (", `f:1:19: expected an SQL block in braces after step ę, found (`},
		{"step twice", "session s step a {} session t\nstep a {}", `f:2:6: there is a step "a" already, in line 1; step names are unique in a spec, over all sessions`},
		{"permutation of nothing", s + "permutation", `f:3:12: expected the name of a step after permutation, found the end of the file`},
		{"session after permutation", s + "permutation a session u", `f:3:15: expected a permutation or the end of the file, found session; the order is setup, teardown, sessions, permutations`},
		{"unknown step", s + "permutation a d", `f:3:15: there is no step "d"`},
		{"other case", s + "permutation a\n B", `f:4:2: there is no step "B"; did you mean "b"?`},
		{"misspelt", "session s step check {}\npermutation chek", `f:2:13: there is no step "chek"; did you mean "check"?`},
		{"empty marker", s + "permutation a()", `f:3:15: expected a marker: * or the name of a step, found )`},
		{"open marker", s + "permutation a(c b", `f:3:17: expected a comma or ) after a marker of step a, found "b"`},
		{"notices of how many", s + "permutation a(c notices) c", `f:3:24: expected a number after notices, found )`},
		{"no notices", s + "permutation a(c notices 0) c", `f:3:25: 0 is no number of notices to wait for; give one from 1 on`},
		{"too many notices", s + "permutation a(c notices 99999999999999999999) c", `f:3:25: 99999999999999999999 is no number of notices to wait for; give one from 1 on`},
		{"unknown marker", s + "permutation a(d) c", `f:3:15: there is no step "d"`},
		{"absent marker", s + "permutation a(c) b", `f:3:15: step a waits for c, which this permutation does not have`},
		{"own session", s + "permutation a(b) b", `f:3:15: step a waits for b of its own session, which cannot run beside it`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f", []byte(tt.src))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("want an *Error, got %v", err)
			}
			if e.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", e, tt.want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	src := "setup{ \t one\n}setup {two } # comment {\r\nteardown {# no comment\n three}\n" +
		`session "a ""b"""` + "\nsetup {s}step _x$1 { } step y{\tq \n } teardown { }\nsession ż step z {}" +
		"\npermutation _x$1(z notices 12,*)z y(z)\npermutation z"
	spec, err := Parse("dir/some.spec", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	got := describe(spec)
	want := strings.Join([]string{
		`setup "one\n" setup "two" teardown "# no comment\n three"`,
		`session a "b" setup "s" step _x$1 "" step y "q \n" teardown ""`,
		`session ż step z ""`,
		`permutation _x$1(12 notices of z,*) z y(z)`,
		`permutation z`,
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if spec.Test() != "some" {
		t.Errorf("the test is called %q", spec.Test())
	}
}

// FuzzParse wants no panic, errors that point into the source, and specs whose
// permutations hold steps of the spec alone.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/specs/*.spec")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte(`session "" step "" {} permutation ""(`))
	f.Fuzz(func(t *testing.T, src []byte) {
		spec, err := Parse("f", src)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Line > 1+strings.Count(string(src), "\n") || e.Column < 1 || e.Column > len(src)+1 {
				t.Fatalf("%v does not point into the file", err)
			}
			return
		}
		for _, p := range spec.Permutations {
			for _, l := range p {
				if spec.step(l.Step.Name) != l.Step {
					t.Fatalf("step %q is not of the spec", l.Step.Name)
				}
			}
		}
	})
}
