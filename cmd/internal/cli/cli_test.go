package cli

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/catalog"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/glossary"
	"github.com/ccheck/ccheck/cmd/internal/signals"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/scenario"
)

func TestIsVet(t *testing.T) {
	tests := []struct {
		args string
		want bool
	}{
		{"ccheck", false},
		{"ccheck -V=full", true},
		{"ccheck -flags", true},
		{"ccheck /tmp/b001/vet.cfg", true},
		{"ccheck -json -lostupdate=false /tmp/b001/vet.cfg", true},
		{"ccheck stress vet.cfg", false},
		{"ccheck scenario check a.cfg", false},
		{"ccheck --format=x.cfg", false},
		{"ccheck --version", false},
		{"ccheck -V=full version", false},
	}
	for _, tt := range tests {
		if got := isVet(strings.Fields(tt.args)); got != tt.want {
			t.Errorf("isVet(%s) = %v, want %v", tt.args, got, tt.want)
		}
	}
}

func TestSettle(t *testing.T) {
	sigint, sigterm := &signals.Caught{Signal: syscall.SIGINT}, &signals.Caught{Signal: syscall.SIGTERM}
	tests := []struct {
		name   string
		err    error
		caught *signals.Caught
		want   int
	}{
		{"clean", nil, nil, exit.Clean},
		{"findings", exit.Status(exit.Findings), nil, exit.Findings},
		{"interrupted with nothing found", nil, sigint, exit.Interrupt},
		{"terminated before a verdict", exit.Status(exit.Unknown), sigterm, exit.Terminate},
		{"a finding outranks the signal", exit.Status(exit.Findings), sigint, exit.Findings},
		{"an error outranks the signal", exit.Failedf("no server"), sigint, exit.Failed},
		{"the context's own error does not", exit.Failedf("stopped: %w", context.Canceled), sigterm, exit.Terminate},
		{"a cancelled context without a signal", context.Canceled, nil, exit.Failed},
	}
	for _, tt := range tests {
		if got := settle(tt.err, tt.caught); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A panic is one sentence that names the place and neither a stack nor the
// value, which may quote a connection string.
func TestCrash(t *testing.T) {
	tests := []struct {
		name  string
		value func()
		want  string
	}{
		{"runtime error", func() { var p *stdio.Streams; p.Plain = true }, "nil pointer dereference"},
		{"own error", func() { panic(errors.New("postgres://u:canary@h/d")) }, "a panic of type *errors.errorString"},
		{"text", func() { panic("password=canary") }, "a panic of type string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, b := stdio.Test()
			code := panicking(s, tt.value)
			got := b.Err.String()
			if code != exit.Failed || !strings.Contains(got, tt.want) || !strings.Contains(got, "cmd/internal/cli.TestCrash.func") {
				t.Errorf("code %d, said\n%s", code, got)
			}
			if strings.Contains(got, "canary") || strings.Contains(got, "goroutine") || strings.Count(got, "\n") != 2 {
				t.Errorf("said too much:\n%s", got)
			}
		})
	}
}

func panicking(s *stdio.Streams, f func()) (code int) {
	defer func() { code = crashed(s, recover()) }()
	root := &cobra.Command{Use: "ccheck", RunE: func(*cobra.Command, []string) error { f(); return nil }}
	_ = run(context.Background(), s, root, nil)
	return exit.Clean
}

// Every command must refuse what it does not know, describe itself, and have
// its own behaviour behind a run function.
func TestEveryCommandIsWellFormed(t *testing.T) {
	s, _ := stdio.Test()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || len(cmd.Short) > 72 {
			t.Errorf("%s: Short is %q, want a phrase of at most 72 bytes without a full stop", cmd.CommandPath(), cmd.Short)
		}
		if cmd.Run != nil {
			t.Errorf("%s has Run, which cannot return an error: use RunE", cmd.CommandPath())
		}
		if !cmd.HasParent() || cmd.Parent().HasParent() {
			for _, sub := range cmd.Commands() {
				walk(sub)
			}
			return
		}
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group of the help", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(Root(s))
}

var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`) // one word to a shell

// What the help shows must work: the command, its flags, and what it explains.
func TestExamplesParse(t *testing.T) {
	s, _ := stdio.Test()
	examples := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			if words := strings.Fields(quoted.ReplaceAllString(line, "quoted")); len(words) > 1 && words[0] == "ccheck" {
				examples++
				example(t, line, words[1:])
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(Root(s))
	if examples < 5 {
		t.Errorf("found %d examples", examples)
	}
}

func example(t *testing.T, line string, words []string) {
	if i := slices.Index(words, ">"); i >= 0 {
		words = words[:i]
	}
	s, _ := stdio.Test()
	cmd, rest, err := Root(s).Find(words)
	if err != nil || !cmd.HasParent() {
		t.Errorf("%q: no such command (%v)", line, err)
		return
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%q: %v", line, err)
	}
	switch cmd.Name() {
	case "explain":
		if name := strings.Join(rest, " "); len(catalog.Find(name))+len(glossary.Find(name)) == 0 {
			t.Errorf("%q: nothing has that name", line)
		}
	case "vet":
		list, err := cmd.Flags().GetStringSlice("rules")
		for _, rule := range list {
			if len(catalog.Find(strings.TrimPrefix(rule, "-"))) == 0 {
				t.Errorf("%q: there is no rule %s (%v)", line, rule, err)
			}
		}
	}
}

// What the glossary says to run is there: command, flags, rules, scenarios,
// versions and lanes.
func TestGlossaryCommands(t *testing.T) {
	for _, term := range glossary.Terms() {
		for _, show := range term.Show {
			words := strings.Fields(show.Run)
			example(t, show.Run, words[1:])
			if len(words) > 2 && (words[1] == "stress" || words[1] == "explore") {
				inScenario(t, show.Run, words[1:])
			}
		}
	}
}

func inScenario(t *testing.T, line string, words []string) {
	s, _ := stdio.Test()
	cmd, rest, err := Root(s).Find(words)
	if err != nil || cmd.ParseFlags(rest) != nil {
		return // told by example
	}
	sc, err := scenario.Open(cmd.Flags().Arg(0))
	if err == nil && cmd.Flag("variant").Value.String() != "" {
		sc, err = sc.Variant(cmd.Flag("variant").Value.String())
	}
	if err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	if f := cmd.Flag("lanes"); f != nil && f.Value.String() != "" {
		for lane := range strings.SplitSeq(f.Value.String(), ",") {
			if sc.Actor(lane) == nil {
				t.Errorf("%q: no actor %s", line, lane)
			}
		}
	}
}

// A terminal that wants no colours gets no escape sequence at all.
func TestPlainHelpOnATerminal(t *testing.T) {
	for _, args := range [][]string{{"--color=never", "list", "--help"}, {"--color", "never", "--help"}, {"--color", "never"}} {
		s, b := stdio.Test()
		s.OutTTY = true
		if err := execute(context.Background(), s, args); err != nil {
			t.Fatal(err)
		}
		got := b.Out.String()
		if !strings.Contains(got, "USAGE") || strings.Contains(got, "\x1b") {
			t.Errorf("%q: the help is %q", args, got)
		}
	}
}
