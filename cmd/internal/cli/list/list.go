// Package list is the command that shows what ccheck has.
package list

import (
	"fmt"
	"slices"
	"strings"

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
	Kind    string // one of catalog's; "" for all
	JSON    bool
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:       "list [kind]",
		Short:     "List analyzers, checkers, probes and formats",
		Args:      flags.Args("[KIND]"),
		ValidArgs: kinds(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Kind = strings.TrimSuffix(args[0], "s")
			}
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.JSON, "json", false, "write a JSON array of kind, name and summary")
	return cmd
}

func kinds() []string {
	var all []string
	for _, k := range catalog.Kinds {
		all = append(all, k.Kind+"s")
	}
	return all
}

func run(opts *Options) error {
	entries := catalog.All()
	if opts.Kind != "" {
		if !slices.Contains(kinds(), opts.Kind+"s") {
			return unknown(opts.Kind)
		}
		entries = catalog.Of(opts.Kind)
	}
	if opts.JSON {
		return printJSON(opts.Streams, entries)
	}
	printText(opts.Streams, entries)
	return nil
}

func unknown(kind string) error {
	err := exit.Usagef("there is no kind %s", flags.Shown(kind))
	if near := suggest.Nearest(kind+"s", kinds()); near != "" {
		return err.WithHint("did you mean `ccheck list %s`?", near)
	}
	return err.WithHint("the kinds are %s", strings.Join(kinds(), ", "))
}

func printJSON(s *stdio.Streams, entries []catalog.Entry) error {
	if entries == nil {
		entries = []catalog.Entry{} // [] and not null
	}
	return s.PrintJSON(entries)
}

func printText(s *stdio.Streams, entries []catalog.Entry) {
	width := 0
	for _, e := range entries {
		width = max(width, len(e.Name))
	}
	blank := ""
	for _, k := range catalog.Kinds {
		title := k.Title
		for _, e := range entries {
			if e.Kind != k.Kind {
				continue
			}
			if title != "" {
				fmt.Fprintf(s.Out, "%s%s\n", blank, title)
				title, blank = "", "\n"
			}
			s.Row(2, width, e.Name, e.Summary)
		}
	}
}
