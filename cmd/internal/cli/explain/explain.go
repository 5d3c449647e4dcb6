// Package explain is the command that prints the page of one thing, or what a
// word of the field means: the same words as in the generated docs.
package explain

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/catalog"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/glossary"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Name    string // "invariant", "checker/invariant", "lost update", "40001"
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	return &cobra.Command{
		Use:   "explain <name>",
		Short: "Explain a rule, a word of the field, an SQLSTATE, a probe or a format",
		Long: "Explain prints what a rule reports and why it matters, what a probe does and proves, what a format holds, " +
			"or what a word of the field means: where it comes from, and which command shows it.\n\n" +
			"`ccheck list` has the names of what ccheck has, `ccheck explain glossary` all words.",
		Example: "ccheck explain invariant\nccheck explain write skew\nccheck explain 40001",
		Args:    atLeastOne,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			opts.Name = strings.Join(args, " ")
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
}

// atLeastOne takes the words of a name without quotes, too.
func atLeastOne(cmd *cobra.Command, args []string) error {
	return flags.Args("<name>")(cmd, args[:min(len(args), 1)])
}

func names() []string {
	all := append(catalog.Names(), glossaryName)
	for _, t := range glossary.Terms() {
		all = append(all, t.Name)
	}
	return all
}

func run(opts *Options) error {
	if opts.Name == glossaryName {
		printGlossary(opts.Streams)
		return nil
	}
	entries, terms := catalog.Find(opts.Name), glossary.Find(opts.Name)
	if len(entries)+len(terms) == 0 {
		return unknown(opts.Name)
	}
	blank := false
	for _, e := range entries {
		separate(opts.Streams, &blank)
		printEntry(opts.Streams, e)
	}
	for _, t := range terms {
		separate(opts.Streams, &blank)
		printTerm(opts.Streams, t)
	}
	return nil
}

func unknown(name string) error {
	err := exit.Usagef("there is nothing named %s", flags.Shown(name))
	if near := suggest.Nearest(name, catalog.Names()); near != "" {
		return err.WithHint("did you mean `ccheck explain %s`?", near)
	}
	if near := glossary.Nearest(name); near != "" {
		return err.WithHint("did you mean `ccheck explain %s`?", near)
	}
	return err.WithHint("`ccheck list` has all names, `ccheck explain glossary` all words of the field")
}
