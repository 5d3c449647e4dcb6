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

func TestUnknown(t *testing.T) {
	tests := []struct {
		name string
		want clitest.Outcome
	}{
		{"jsom", clitest.Outcome{Code: exit.Usage, Msg: `there is nothing named "jsom"`, Hint: "did you mean `ccheck explain json`?"}},
		{"heisenbug", clitest.Outcome{Code: exit.Usage, Msg: `there is nothing named "heisenbug"`, Hint: "`ccheck list` has all names"}},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		if got := clitest.Of(run(&Options{Streams: s, Name: tt.name})); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
