// Package show is the command that tells what is in a scenario.
package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options are what the command is run with.
type Options struct {
	Streams *stdio.Streams
	Open    func(string) (*scenario.Scenario, error)
	Name    string
}

// New returns the command.
func New(s *stdio.Streams, runF func(*Options) error) *cobra.Command {
	opts := &Options{Streams: s, Open: flags.OpenScenario}
	return &cobra.Command{
		Use:               "show <scenario>",
		Short:             "Show the actors, the SQL and the invariants of a scenario",
		Example:           "ccheck scenario show wallet\nccheck scenario show wallet/atomic\nccheck scenario show ./shop",
		Args:              flags.Args("<scenario>"),
		ValidArgsFunction: flags.Scenarios,
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
	sc, err := opts.Open(opts.Name)
	if err != nil {
		return err
	}
	w := opts.Streams.Out
	head(w, sc)
	load(w, sc)
	for _, src := range sc.Setup {
		code(w, "setup", src.Where.String(), src.Text)
	}
	for _, a := range sc.Actors {
		actor(w, a)
	}
	for _, i := range sc.Invariants {
		code(w, "invariant", i.Where.String(), fmt.Sprintf("-- %s (%s)\n%s", i.Name, i.When, i.SQL.Text))
	}
	return nil
}

func head(w io.Writer, sc *scenario.Scenario) {
	fmt.Fprintf(w, "%s: %s\n", sc.FullName(), sc.Title)
	if doc := strings.TrimSpace(sc.Doc); doc != "" {
		fmt.Fprintf(w, "\n%s\n", doc)
	}
	if v := sc.Variants(); len(v) > 0 {
		fmt.Fprintf(w, "\nversions: %s\n", strings.Join(v, ", "))
	}
	if len(sc.Params) > 0 {
		fmt.Fprintf(w, "params: %s\n", params(sc.Params))
	}
}

func load(w io.Writer, sc *scenario.Scenario) {
	words := []string{string(sc.Load.Mode)}
	if n := sc.Load.Clients; n > 0 {
		words = append(words, fmt.Sprintf("%d clients", n))
	}
	if t := sc.Load.Think; t.Max > 0 {
		words = append(words, fmt.Sprintf("think %v to %v", t.Min, t.Max))
	}
	for _, l := range sc.Load.Lanes {
		words = append(words, fmt.Sprintf("%d × %s", l.Count, l.Actor))
	}
	if sc.Isolation != "" {
		words = append(words, string(sc.Isolation))
	}
	fmt.Fprintf(w, "load: %s\n", strings.Join(words, ", "))
}

func params(list []scenario.Param) string {
	var words []string
	for _, p := range list {
		words = append(words, p.Name+"="+p.Value)
	}
	return strings.Join(words, " ")
}

func actor(w io.Writer, a scenario.Actor) {
	title := fmt.Sprintf("actor %s, weight %d", a.Name, a.Weight)
	code(w, title, a.Path, a.Text)
	for _, e := range a.Effects {
		fmt.Fprintf(w, "    -- effect: %s.%s where %s = %s changes by %s\n", e.Table, e.Column, e.Key, e.AtText, e.AddText)
	}
}

// code prints a titled piece of SQL, indented so that titles stand out.
func code(w io.Writer, title, where, text string) {
	fmt.Fprintf(w, "\n%s  (%s)\n", title, where)
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintln(w, strings.TrimRight("    "+line, " \t\n"))
	}
}
