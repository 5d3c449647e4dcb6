// Package explain is the command that prints the page of one thing: the same
// words as in the generated docs.
package explain

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/catalog"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Name    string // "invariant", or "checker/invariant"
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	return &cobra.Command{
		Use:   "explain <name>",
		Short: "Explain a rule, a probe or a format",
		Long: "Explain prints what a rule reports and why it matters, what a probe does and proves,\n" +
			"or what a format holds. `ccheck list` has the names.",
		Example: "ccheck explain invariant\nccheck explain json",
		Args:    flags.Args("<name>"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return catalog.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name = args[0]
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

func run(opts *Options) error {
	entries := catalog.Find(opts.Name)
	if len(entries) == 0 {
		return unknown(opts.Name)
	}
	for i, e := range entries {
		if i > 0 {
			fmt.Fprintln(opts.Streams.Out)
		}
		print(opts.Streams, e)
	}
	return nil
}

func unknown(name string) error {
	err := exit.Usagef("there is nothing named %s", flags.Shown(name))
	if near := suggest.Nearest(name, catalog.Names()); near != "" {
		return err.WithHint("did you mean `ccheck explain %s`?", near)
	}
	return err.WithHint("`ccheck list` has all names")
}

func print(s *stdio.Streams, e catalog.Entry) {
	fmt.Fprintf(s.Out, "%s (%s): %s\n", e.Name, e.Kind, e.Summary)
	if e.Doc != "" {
		fmt.Fprintf(s.Out, "\n%s\n", e.Doc)
	}
}
