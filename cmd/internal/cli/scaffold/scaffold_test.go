package scaffold

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	tests := []struct {
		args, pkg, err string
	}{
		{"", "ledger", ""},
		{"./internal/money-book", "moneybook", ""},
		{"x --package book", "book", ""},
		{"x --table customers --key customer_id --key-type uuid", "x", ""},
		{"--table app.customers", "", `--table "app.customers" is no name that the migration can hold`},
		{"--key Id", "", `--key "Id" is no name that the migration can hold`},
		{"--table ledger_entry", "", "--table ledger_entry is a table of the ledger itself"},
		{"--key-type money", "", `--key-type cannot be "money"`},
		{"9th", "", `"9th" is no name of a Go package`},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		var got Options
		err := clitest.Run(t, newLedger(s, func(o *Options) error { got = *o; return nil }), strings.Fields(tt.args)...)
		if msg := clitest.Of(err).Msg; msg != tt.err || err == nil && got.Package != tt.pkg {
			t.Errorf("%s: error %q, package %q", tt.args, msg, got.Package)
		}
	}
}

// written is the folder of a ledger.
func written(t *testing.T, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ledger")
	s, _ := stdio.Test()
	if err := clitest.Run(t, newLedger(s, nil), append([]string{dir}, args...)...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Without a flag what is written is what is compiled and tested here.
func TestSourceIsWritten(t *testing.T) {
	dir := written(t)
	for _, name := range names {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := sources.ReadFile("ledger/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs from its source", name)
		}
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := written(t)
	s, _ := stdio.Test()
	err := clitest.Run(t, newLedger(s, nil), dir)
	if got := clitest.Of(err); got.Code != exit.Usage || got.Msg != "the folder "+dir+" is not empty" {
		t.Errorf("%+v", got)
	}
}

// With other names and types it compiles, and passes at all three levels.
func TestVariants(t *testing.T) {
	for _, args := range []string{
		"--table customers --key customer_id --key-type uuid --package book",
		"--table wallet --key name --key-type text",
		"--table wallet --key no --key-type integer",
	} {
		t.Run(args, func(t *testing.T) {
			dir := written(t, strings.Fields(args)...)
			test := compiled(t, dir)
			cmd := exec.CommandContext(t.Context(), test, "-test.v")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Count(string(out), "schedules hold") != 9 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// compiled is the test of the folder as a program. An overlay puts the files into
// this module, which has all that they import.
func compiled(t *testing.T, dir string) string {
	t.Helper()
	here, err := filepath.Abs("scaffolded")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]map[string]string{"Replace": {}}
	for _, name := range names {
		overlay["Replace"][filepath.Join(here, name)] = filepath.Join(dir, name)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file, test := filepath.Join(t.TempDir(), "overlay.json"), filepath.Join(t.TempDir(), "ledger.test")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", file, "-o", test, "./scaffolded")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("it does not compile: %v\n%s", err, out)
	}
	return test
}
