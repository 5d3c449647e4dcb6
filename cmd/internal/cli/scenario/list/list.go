// Package list is the command that lists the built-in scenarios.
package list

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	JSON    bool
}

// item is a scenario in the JSON list.
type item struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Actors   []string `json:"actors"`
	Variants []string `json:"variants"`
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios that come with ccheck",
		Args:  flags.Args(),
		RunE: func(*cobra.Command, []string) error {
			if runF != nil {
				return runF(opts)
			}
			return run(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.JSON, "json", false, "write a JSON array of name, title, actors and variants")
	return cmd
}

func run(opts *Options) error {
	items := []item{}
	for _, sc := range scenario.Builtin() {
		i := item{Name: sc.Name, Title: sc.Title, Variants: append([]string{}, sc.Variants()...)}
		for _, a := range sc.Actors {
			i.Actors = append(i.Actors, a.Name)
		}
		items = append(items, i)
	}
	if opts.JSON {
		return opts.Streams.PrintJSON(items)
	}
	printText(opts.Streams, items)
	return nil
}

func printText(s *stdio.Streams, items []item) {
	width := 0
	for _, i := range items {
		width = max(width, len(i.Name))
	}
	for _, i := range items {
		s.Row(0, width, i.Name, i.Title)
		if len(i.Variants) > 0 {
			s.Row(0, width, "", "also as "+strings.Join(i.Variants, ", "))
		}
	}
}
