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
	"go/build"
	"go/types"
	"path/filepath"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/schema"
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
	Impls     []Impl
	Constants []Constant
}

// AFact marks the type as a fact.
func (*Fact) AFact() {}

func (f *Fact) String() string { return "flow summaries" }

// Package is what is known about a package.
type Package struct {
	Path string
	// Own are the functions declared here, in source order, closures after
	// their parents. All has those of the imported packages too, by name.
	Own []*Summary
	All map[string]*Summary
	// SSA and Funcs are nil for packages outside of the module. Funcs has
	// closures too.
	SSA   *ssa.Package
	Funcs []*ssa.Function
	// Impls are the pairs of a type and an interface that is declared here or in
	// an import, of the imports' types too.
	Impls []Impl
	// Sets are the method sets of the types and interfaces declared here, for Link.
	Sets []Methods
	// Imports are the packages of the module that it imports, for Link; nil when
	// that is not known.
	Imports []string

	// Skipped says which functions were not looked at, a sentence each.
	Skipped []string
	// Schema has the unique keys in the statements of the package, Models those of
	// the structures that it declares for tables.
	Schema, Models schema.Schema

	view *View
}

func run(pass *analysis.Pass) (any, error) {
	p := &Package{Path: pass.Pkg.Path(), All: map[string]*Summary{}, view: newView()}
	if foreign(pass) {
		return p, nil
	}
	b := newBuilder(pass, p)
	named := exported(b.constants)
	for _, f := range pass.AllPackageFacts() {
		fact := f.Fact.(*Fact)
		for _, c := range fact.Constants {
			b.constants[c.Name] = c
		}
		p.Impls = append(p.Impls, fact.Impls...)
		for _, s := range fact.Summaries {
			p.All[s.Name] = s
		}
	}
	b.all()
	p.Schema = unique(p.Own)
	literals(pass.Files, p.Schema)
	p.Models = models(p.SSA)
	p.view.add(p.Own...)
	p.view.declare(p)
	p.view.index()
	own := implementations(pass.Pkg)
	p.Impls = append(p.Impls, own...)
	p.Sets = append(methodSets(pass.Pkg), instances(p.Funcs)...)
	pass.ExportPackageFact(&Fact{b.worth(), own, named})
	return p, nil
}

// foreign reports whether the package is not part of the module that is being
// looked at: the standard library, a dependency with a version, or one that the
// tables describe.
func foreign(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Version != "" || len(pass.Files) == 0 || libs.Known(pass.Pkg.Path()) {
		return true
	}
	file := pass.Fset.File(pass.Files[0].FileStart).Name()
	return strings.HasPrefix(file, "$GOROOT") || strings.HasPrefix(file, filepath.Join(build.Default.GOROOT, "src")+string(filepath.Separator))
}

// Portable is the package without syntax and types: what Link needs.
func (p *Package) Portable() Package {
	return Package{Path: p.Path, Own: p.Own, Impls: p.Impls, Sets: p.Sets, Schema: p.Schema}
}

func namedTypes(pkg *types.Package) []*types.Named {
	var all []*types.Named
	for _, name := range pkg.Scope().Names() {
		if tn, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			if n, ok := tn.Type().(*types.Named); ok {
				all = append(all, n)
			}
		}
	}
	return all
}

// sameModule guesses from the import paths whether two packages belong to one
// module: their first element, or the first three below a host, are the same.
func sameModule(a, b string) bool { return modulePart(a) == modulePart(b) }

func modulePart(path string) string {
	parts := strings.SplitN(path, "/", 4)
	if !strings.Contains(parts[0], ".") {
		return parts[0]
	}
	return strings.Join(parts[:min(len(parts), 3)], "/")
}
