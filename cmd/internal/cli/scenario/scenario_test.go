package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/check"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/export"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/list"
	"github.com/ccheck/ccheck/cmd/internal/cli/scenario/show"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	s, _ := stdio.Test()
	var l list.Options
	if err := clitest.Run(t, list.New(s, func(o *list.Options) error { l = *o; return nil }), "--json"); err != nil || !l.JSON {
		t.Errorf("list: %+v, %v", l, err)
	}
	var sh show.Options
	if err := clitest.Run(t, show.New(s, func(o *show.Options) error { sh = *o; return nil }), "wallet"); err != nil || sh.Name != "wallet" {
		t.Errorf("show: %+v, %v", sh, err)
	}
	var e export.Options
	if err := clitest.Run(t, export.New(s, func(o *export.Options) error { e = *o; return nil }), "wallet", "shop"); err != nil || e.Name != "wallet" || e.Folder != "shop" {
		t.Errorf("export: %+v, %v", e, err)
	}
	var c check.Options
	if err := clitest.Run(t, check.New(s, func(o *check.Options) error { c = *o; return nil }), "a", "b"); err != nil || !slices.Equal(c.Names, []string{"a", "b"}) {
		t.Errorf("check: %+v, %v", c, err)
	}
}

// Every built-in scenario in every version can be shown, exported, and checked
// after that; and what was exported shows the same SQL.
func TestEveryBuiltinGoesRound(t *testing.T) {
	for _, name := range flags.ScenarioNames() {
		s, b := stdio.Test()
		s.Quiet = true
		if err := clitest.Run(t, show.New(s, nil), name); err != nil {
			t.Errorf("show %s: %v", name, err)
			continue
		}
		shown := b.Out.String()
		folder := filepath.Join(t.TempDir(), "mine")
		if err := clitest.Run(t, export.New(s, nil), name, folder); err != nil {
			t.Errorf("export %s: %v", name, err)
			continue
		}
		b.Out.Reset()
		if err := clitest.Run(t, check.New(s, nil), folder); err != nil || !strings.Contains(b.Out.String(), ": ok (") {
			t.Errorf("check of the exported %s: %v, said %q", name, err, b.Out.String())
		}
		b.Out.Reset()
		if err := clitest.Run(t, show.New(s, nil), folder); err != nil || code(b.Out.String()) != code(shown) {
			t.Errorf("the exported %s shows other SQL:\n%s\nand not\n%s", name, code(b.Out.String()), code(shown))
		}
	}
}

// code keeps the indented lines: the SQL, without names and places.
func code(shown string) string {
	var lines []string
	for line := range strings.Lines(shown) {
		if strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func TestExportNeverOverwrites(t *testing.T) {
	folder := t.TempDir()
	precious := filepath.Join(folder, "schema.sql")
	if err := os.WriteFile(precious, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, _ := stdio.Test()
	if err := clitest.Run(t, export.New(s, nil), "wallet", folder); exit.Code(err) != exit.Usage {
		t.Errorf("export into a folder in use: %v", err)
	}
	if text, _ := os.ReadFile(precious); string(text) != "mine" {
		t.Errorf("the file became %q", text)
	}
}
