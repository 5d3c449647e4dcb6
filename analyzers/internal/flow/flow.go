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
}

// AFact marks the type as a fact.
func (*Fact) AFact() {}

func (f *Fact) String() string { return "flow summaries" }

// Impl says that a type of the module has the methods of an interface.
type Impl struct {
	Type  string // as in the names of its methods: "(*path.T)", "(path.T)"
	Iface string // "path.I"
}

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
	// Impls are the pairs of type and interface known here, of the imports too.
	Impls []Impl
}

func run(pass *analysis.Pass) (any, error) {
	p := &Package{Path: pass.Pkg.Path(), All: map[string]*Summary{}}
	if foreign(pass) {
		return p, nil
	}
	for _, f := range pass.AllPackageFacts() {
		fact := f.Fact.(*Fact)
		p.Impls = append(p.Impls, fact.Impls...)
		for _, s := range fact.Summaries {
			p.All[s.Name] = s
		}
	}
	b := newBuilder(pass, p)
	b.all()
	own := implementations(pass.Pkg)
	p.Impls = append(p.Impls, own...)
	pass.ExportPackageFact(&Fact{Summaries: b.worth(), Impls: own})
	return p, nil
}

// foreign reports whether the package is not part of the module that is being
// looked at: the standard library, or a dependency with a version.
func foreign(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Version != "" || len(pass.Files) == 0 {
		return true
	}
	file := pass.Fset.File(pass.Files[0].FileStart).Name()
	return strings.HasPrefix(file, "$GOROOT") || strings.HasPrefix(file, filepath.Join(build.Default.GOROOT, "src")+string(filepath.Separator))
}

// implementations pairs the types of the package with the interfaces they have
// the methods of: its own and those of its imports. A type of one package and
// an interface of another, with none importing the other, is paired by Link.
func implementations(pkg *types.Package) []Impl {
	var impls []Impl
	for _, t := range namedTypes(pkg) {
		if types.IsInterface(t) || t.TypeParams().Len() > 0 {
			continue
		}
		for _, p := range append(pkg.Imports(), pkg) {
			if p != pkg && !sameModule(p.Path(), pkg.Path()) {
				continue
			}
			for _, i := range namedTypes(p) {
				impls = append(impls, implements(t, i)...)
			}
		}
	}
	return impls
}

func implements(t, i *types.Named) []Impl {
	iface, ok := i.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || i.TypeParams().Len() > 0 {
		return nil
	}
	name := i.Obj().Pkg().Path() + "." + i.Obj().Name()
	switch {
	case types.Implements(t, iface):
		return []Impl{{"(" + t.String() + ")", name}, {"(*" + t.String() + ")", name}}
	case types.Implements(types.NewPointer(t), iface):
		return []Impl{{"(*" + t.String() + ")", name}}
	}
	return nil
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
