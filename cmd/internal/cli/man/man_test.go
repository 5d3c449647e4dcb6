package man

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	s, _ := stdio.Test()
	var got Options
	cmd := New(s, func(o *Options) error { got = *o; return nil })
	if err := clitest.Run(t, cmd); err != nil || got.Root != cmd {
		t.Errorf("%+v, %v", got, err)
	}
}

// The page has every command that is not hidden, and not the date of today.
func TestRun(t *testing.T) {
	root := &cobra.Command{Use: "ccheck", Short: "Finds bugs"}
	root.AddCommand(&cobra.Command{Use: "list", Short: "List things", Run: func(*cobra.Command, []string) {}})
	root.AddCommand(&cobra.Command{Use: "secret", Short: "Hidden", Hidden: true, Run: func(*cobra.Command, []string) {}})
	s, b := stdio.Test()
	if err := run(&Options{Streams: s, Root: root}); err != nil {
		t.Fatal(err)
	}
	got := b.Out.String()
	if !strings.Contains(got, `.TH CCHECK 1 "1970-01-01"`) || !strings.Contains(got, "List things") || strings.Contains(got, "secret") {
		t.Errorf("the page is\n%s", got)
	}
}
