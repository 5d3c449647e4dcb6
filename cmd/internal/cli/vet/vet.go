// Package vet is the command that judges Go source. It needs no server and
// runs nothing of the code it reads.
package vet

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/baseline"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams

	Patterns []string
	Rules    []string // rules to report; those with a leading - not
	Severity string
	Tests    bool
	Tags     string
	Fix      bool
	Diff     bool
	NoCache  bool
	Scenario string // folder for scenarios; "" for none
	Rev      string // only what has to do with lines changed since

	TUI      bool   // look through the findings on the full screen
	Theme    string // of the full screen
	Output   output.Flags
	Baseline baseline.Flags
	Outcome  flags.Outcome
}

const long = `Reads Go packages and reports where two requests at the same time can break an
invariant: a row, key, file or map entry that is checked and then written with
nothing that guards both, across functions and behind interfaces; locks in
opposite orders; retries that are missing; state that handlers share. Each
finding tells the race and the fixes in the order to try them.

PACKAGES are named as for the go command; the default is ./... . What is called
through an interface is looked up in all packages that are named.

To begin with code that has findings, keep them in a baseline, or report only what
has to do with lines that a change touches: --new-from-rev counts a finding as new
when its place, or a step that leads there, lies in such a line.

--scenario drafts what can prove a check-then-act on rows: tables guessed from
the statements and the module's .sql files, and the call that two lanes make
with the same parameters. One finding becomes the folder itself, several one
folder each below it.

--tui shows the findings on the full screen: the source with its places marked,
the race in two lanes, and the edit, which it makes when you say so. A report that
--format json wrote shows there later: ` + "`ccheck show FILE`" + `.

To silence one finding, write //ccheck:ignore RULE reason beside it or above it.`

const example = `
# everything below this folder
ccheck vet

# the gravest only, for a code review on GitHub
ccheck vet --severity high --format sarif:ccheck.sarif

# see the edits, then make them
ccheck vet --diff ./internal/...
ccheck vet --fix ./internal/...

# look through them, with the source beside each
ccheck vet --tui

# only what is new: since the branch began, or since a file was written
ccheck vet --new-from-rev "$(git merge-base origin/main HEAD)"
ccheck vet --write-baseline known.json
ccheck vet --baseline known.json

# prove it: every interleaving of the statements that were found, on a server
ccheck vet --rules sqlcheckact --scenario race ./internal/orders
ccheck explore race

# one rule, or all but one
ccheck vet --rules sqlcheckact
ccheck vet --rules=-unclosed`

// New returns the command.
func New(s *stdio.Streams, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:     "vet [packages]",
		Short:   "Find races on rows, keys, files and memory in Go source",
		Long:    long,
		Example: example,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Patterns = args; len(args) == 0 {
				o.Patterns = []string{"./..."}
			}
			if err := o.resolve(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.register(cmd)
	return cmd
}

func (o *Options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Rules, "rules", nil, "`names` of the rules to report, joined by commas; -NAME leaves one out (default: all)")
	f.StringVar(&o.Severity, "severity", string(report.Low), "least severity to report: low, medium or high")
	f.BoolVar(&o.Tests, "tests", false, "judge test files, too")
	f.StringVar(&o.Tags, "tags", "", "build `tags`, joined by commas")
	f.BoolVar(&o.Fix, "fix", false, "make the first suggested edit of each finding")
	f.BoolVar(&o.Diff, "diff", false, "print the edits that --fix would make as a unified diff, and make none")
	f.StringVar(&o.Scenario, "scenario", "", "write findings of sqlcheckact as scenarios for explore into the new folder `dir`")
	f.BoolVar(&o.NoCache, "no-cache", false, "judge packages anew that did not change since the last run")
	f.StringVar(&o.Rev, "new-from-rev", "", "report only what has to do with lines changed since this git `revision`")
	f.BoolVar(&o.TUI, "tui", false, "look through the findings on the full screen, with the source and the edits")
	f.StringVar(&o.Theme, "theme", "", "colours of the full screen: default, high-contrast or mono")
	o.Baseline.Register(f)
	o.Outcome.Register(f)
	o.Output.Register(f)
	_ = cmd.RegisterFlagCompletionFunc("rules", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return rules(), cobra.ShellCompDirectiveNoFileComp
	})
}

// rules are the names that --rules takes.
func rules() []string {
	var names []string
	for _, a := range analyzers.Code {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// resolve checks what can be checked before anything is read.
func (o *Options) resolve() error {
	if report.Severity(o.Severity).Rank() == 0 {
		return exit.Usagef("--severity %q is no severity", o.Severity).WithHint("it takes low, medium or high")
	}
	if err := o.Outcome.Check(); err != nil {
		return err
	}
	known := rules()
	for _, r := range o.Rules {
		name := strings.TrimPrefix(r, "-")
		if slices.Contains(known, name) {
			continue
		}
		err := exit.Usagef("there is no rule %s", flags.Shown(name))
		if near := suggest.Nearest(name, known); near != "" {
			return err.WithHint("did you mean %q?", near)
		}
		return err.WithHint("`ccheck list analyzers` has the rules")
	}
	if o.Fix && o.Diff {
		return exit.Usagef("--fix makes the edits and --diff makes none").WithHint("leave one of them out")
	}
	if o.Diff && o.Scenario != "" {
		return exit.Usagef("--diff prints a diff and --scenario writes folders").WithHint("leave one of them out")
	}
	if o.Diff && o.Output.Given() {
		return exit.Usagef("--diff prints a diff and no report").WithHint("leave --format, --json and --output out")
	}
	if o.TUI && (o.Output.Given() || o.Diff) {
		return exit.Usagef("--tui shows the findings on the screen, in no format").WithHint("leave --format, --json, --output and --diff out")
	}
	if o.TUI && !o.Streams.Interactive() {
		return exit.Usagef("--tui needs a terminal").WithHint("leave it out; what is printed has the same findings")
	}
	if err := (&display.Flags{Theme: o.Theme}).Check(); err != nil {
		return err
	}
	if o.Rev != "" && o.Baseline.Write != "" {
		return exit.Usagef("--write-baseline with --new-from-rev would leave out what is older than %s", flags.Shown(o.Rev)).WithHint("leave one of them out")
	}
	if err := o.Baseline.Check(); err != nil {
		return err
	}
	if err := o.room(); err != nil {
		return err
	}
	return o.Output.Check()
}

// wanted reports whether a finding is of the rules and the severity that were
// asked for.
func (o *Options) wanted(f report.Finding) bool {
	if f.Severity.Rank() < report.Severity(o.Severity).Rank() || slices.Contains(o.Rules, "-"+f.Rule) {
		return false
	}
	named := slices.ContainsFunc(o.Rules, func(r string) bool { return !strings.HasPrefix(r, "-") })
	return !named || slices.Contains(o.Rules, f.Rule)
}
