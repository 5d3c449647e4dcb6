// Package flow tells who decides on what: for every function the things it does
// to what others can see (statements, locks, keys, files, shared memory), in
// order, with the values they use, the branches they depend on and where those
// values came from. Callees are folded in, so that the two ends of a race can
// be in different functions and packages.
//
// It judges nothing: the analyzers of analyzers/code do. It knows other
// packages only through the tables of package libs.
package flow

import (
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer computes the summaries of a package. Its result is a *Package.
var Analyzer = &analysis.Analyzer{
	Name:       "flow",
	Doc:        "flow: summaries of what functions do to shared state\n\nIt reports nothing; other analyzers use its result.",
	Run:        run,
	ResultType: reflect.TypeFor[*Package](),
	FactTypes:  []analysis.Fact{new(Fact)},
}

// Fact carries the summaries of a package to those that import it.
type Fact struct {
	Summaries []*Summary
	Types     []Impl
}

// AFact marks the type as a fact.
func (*Fact) AFact() {}

func (f *Fact) String() string { return "flow summaries" }

// Impl is a named type of the module and its methods, for the resolution of
// interfaces.
type Impl struct {
	Type       string   // "path.Type"
	Methods    []string // names
	Implements []string // interfaces of the module it satisfies: "path.Type"
}

// Package is what is known about a package.
type Package struct {
	Path string
	// Own are the functions declared here, in source order, closures after
	// their parents. All has those of the imported packages too, by name.
	Own []*Summary
	All map[string]*Summary
	// SSA and Funcs are nil for packages outside of the module.
	SSA   *ssa.Package
	Funcs []*ssa.Function
	Fact  *Fact
}

func run(pass *analysis.Pass) (any, error) {
	p := &Package{Path: pass.Pkg.Path(), All: map[string]*Summary{}, Fact: new(Fact)}
	return p, nil
}
