// Package catalog is what ccheck has, by name: analyzers, checkers, probes,
// formats. It reads the registries and gives every entry the same shape, for
// `ccheck list`, `ccheck explain` and the generated pages. It holds no text of
// its own: that is in the Doc of each thing.
package catalog

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/probes"
)

// The kinds of entries, in the order in which they are listed.
const (
	Analyzer = "analyzer" // judges Go source
	Checker  = "checker"  // judges a recorded history
	Probe    = "probe"    // observes a running system
	Format   = "format"   // tells a result
)

// Kinds are all kinds, with what a heading says about each.
var Kinds = []struct{ Kind, Title string }{
	{Analyzer, "Analyzers judge Go source"},
	{Checker, "Checkers judge a recorded history"},
	{Probe, "Probes observe a running system"},
	{Format, "Formats tell a result"},
}

// Entry is one thing that ccheck has.
type Entry struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Summary string `json:"summary"` // one line
	Doc     string `json:"-"`       // the rest; empty when the line says all
}

// All returns the entries of all kinds, in the order of the registries.
func All() []Entry {
	var all []Entry
	for _, a := range analyzers.Code {
		all = append(all, entry(Analyzer, a.Name, a.Doc))
	}
	for _, c := range analyzers.History {
		all = append(all, entry(Checker, c.Name, c.Doc))
	}
	for _, c := range analyzers.Series {
		all = append(all, entry(Checker, c.Name, c.Doc))
	}
	for _, p := range probes.All {
		all = append(all, entry(Probe, p.Name, p.Doc))
	}
	for _, f := range output.All {
		all = append(all, entry(Format, f.Name, f.Doc))
	}
	return all
}

// Of returns the entries of one kind.
func Of(kind string) []Entry {
	return slices.DeleteFunc(All(), func(e Entry) bool { return e.Kind != kind })
}

// Find returns the entries of that name. A checker and an analyzer for the same
// bug share one; "checker/invariant" is one of the two.
func Find(name string) []Entry {
	return slices.DeleteFunc(All(), func(e Entry) bool {
		return e.Name != name && e.Kind+"/"+e.Name != name
	})
}

// Names returns every name once.
func Names() []string {
	var names []string
	for _, e := range All() {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// entry takes a Doc apart: its first line is "name: summary".
func entry(kind, name, doc string) Entry {
	first, rest, _ := strings.Cut(strings.TrimSpace(doc), "\n")
	return Entry{
		Kind: kind, Name: name,
		Summary: strings.TrimSpace(strings.TrimPrefix(first, name+":")),
		Doc:     strings.TrimSpace(rest),
	}
}
