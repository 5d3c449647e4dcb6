package flags

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestGlobal(t *testing.T) {
	tests := []struct {
		args    string
		err     string
		quiet   bool
		verbose bool
		color   bool
	}{
		{args: ""},
		{args: "-q", quiet: true},
		{args: "-v", verbose: true},
		{args: "--color always", color: true},
		{args: "--color=blue", err: `--color cannot be "blue"`},
		{args: "-q -v", err: "--quiet and --verbose contradict each other"},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		var g Global
		fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
		g.Register(fs)
		if err := fs.Parse(strings.Fields(tt.args)); err != nil {
			t.Fatal(err)
		}
		err := g.Apply(s)
		if tt.err != "" {
			if err == nil || err.Error() != tt.err || exit.Code(err) != exit.Usage {
				t.Errorf("%q: error %v, want %q", tt.args, err, tt.err)
			}
			continue
		}
		if err != nil || s.Quiet != tt.quiet || s.Verbose != tt.verbose || s.Color != tt.color {
			t.Errorf("%q: %v, streams %+v", tt.args, err, s)
		}
	}
}

func TestSeed(t *testing.T) {
	parse := func(args ...string) (*Seed, error) {
		var v Seed
		fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
		v.Register(fs)
		return &v, fs.Parse(args)
	}
	v, err := parse("--seed", "18446744073709551615")
	if err != nil || v.Pick() != 1<<64-1 {
		t.Errorf("largest seed: %d, %v", v.Pick(), err)
	}
	if v, err := parse("--seed=0"); err != nil || v.Pick() != 0 {
		t.Errorf("a seed of 0 that was given must stay: %d, %v", v.Pick(), err)
	}
	v, _ = parse()
	if first := v.Pick(); first != v.Pick() || first > 1<<32-1 {
		t.Errorf("a chosen seed must stay and be short: %d, then %d", first, v.Pick())
	}
	for _, bad := range []string{"-1", "x", "1.5", "18446744073709551616", ""} {
		if _, err := parse("--seed=" + bad); err == nil {
			t.Errorf("seed %q was taken", bad)
		}
	}
}

func TestArgs(t *testing.T) {
	cmd := &cobra.Command{Use: "export <name> [folder]"}
	check := Args("<name>", "[folder]")
	tests := []struct {
		args []string
		want string
	}{
		{nil, "export needs <name>"},
		{[]string{"a"}, ""},
		{[]string{"a", "b"}, ""},
		{[]string{"a", "b", "c"}, `export does not take the argument "c"`},
		{[]string{""}, "export was given an empty word for <name>"},
		{[]string{"a", ""}, "export was given an empty word for folder"},
	}
	for _, tt := range tests {
		got := ""
		if err := check(cmd, tt.args); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestShownHidesConnectionStrings(t *testing.T) {
	for _, arg := range []string{"postgres://u:canary@h/d", "password=canary host=h", "://canary"} {
		if strings.Contains(Shown(arg), "canary") {
			t.Errorf("Shown(%q) shows the password", arg)
		}
	}
	if got := Shown("walet"); got != `"walet"` {
		t.Errorf("Shown(walet) = %s", got)
	}
}
