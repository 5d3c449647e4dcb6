package explain

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/catalog"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	s, _ := stdio.Test()
	var got Options
	cmd := New(s, func(o *Options) error { got = *o; return nil })
	if err := clitest.Run(t, cmd, "checker/lostupdate"); err != nil || got.Name != "checker/lostupdate" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Whatever is listed can be explained, by its name and by kind and name.
func TestEverythingIsExplained(t *testing.T) {
	for _, e := range catalog.All() {
		for _, name := range []string{e.Name, e.Kind + "/" + e.Name} {
			s, b := stdio.Test()
			if err := run(&Options{Streams: s, Name: name}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got := b.Out.String(); !strings.Contains(got, e.Name+" ("+e.Kind+"): "+e.Summary) || !strings.Contains(got, e.Doc) {
				t.Errorf("%s: the page is\n%s", name, got)
			}
		}
	}
}

// Words of the field are explained by any of their names, quoted or not.
func TestTerms(t *testing.T) {
	tests := []struct {
		args []string
		want []string
	}{
		{[]string{"lost update"}, []string{"lost update: two transactions", "also called P4", "ccheck stress wallet", "Critique of ANSI SQL"}},
		{[]string{"lost", "update"}, []string{"lost update: two transactions"}},
		{[]string{"P4"}, []string{"lost update: two transactions"}},
		{[]string{"40001"}, []string{"serialization failure: SQLSTATE 40001", "docs/current/errcodes-appendix.html"}},
		{[]string{"read-your-writes"}, []string{"Session Guarantees"}},
		{[]string{"fencing", "token"}, []string{"fencing token: a number", "ccheck vet --rules fencing"}},
		{[]string{"fencing"}, []string{"fencing (analyzer)", "fencing token: a number"}},
		{[]string{"glossary"}, []string{"write skew", "deadlock detected"}},
	}
	for _, tt := range tests {
		s, b := stdio.Test()
		if err := clitest.Run(t, New(s, nil), tt.args...); err != nil {
			t.Errorf("%q: %v", tt.args, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(b.Out.String(), want) {
				t.Errorf("%q: no %q in\n%s", tt.args, want, b.Out.String())
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	tests := []struct {
		name string
		want clitest.Outcome
	}{
		{"jsom", clitest.Outcome{Code: exit.Usage, Msg: `there is nothing named "jsom"`, Hint: "did you mean `ccheck explain json`?"}},
		{"lost updaet", clitest.Outcome{Code: exit.Usage, Msg: `there is nothing named "lost updaet"`, Hint: "did you mean `ccheck explain lost update`?"}},
		{"heisenbug", clitest.Outcome{Code: exit.Usage, Msg: `there is nothing named "heisenbug"`, Hint: "`ccheck list` has all names, `ccheck explain glossary` all words of the field"}},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		if got := clitest.Of(run(&Options{Streams: s, Name: tt.name})); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
