// Package startup tells which functions of a program run once, before or beside
// everything else: those that only main and package initialisation reach. Nobody
// races with code that runs before there is a second goroutine.
//
// It needs all packages of a program. Of a library it says nothing: there is no
// main, and anybody may call what it exports.
package startup

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// Analyzer collects the calls of a package. Its result is a *Package.
var Analyzer = &analysis.Analyzer{
	Name:       "startup",
	Doc:        "startup: who calls whom\n\nIt reports nothing; drivers use its result.",
	Requires:   []*analysis.Analyzer{flow.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Package](),
}

// Package is what is known about a package.
type Package struct {
	Funcs []Func
	// Taken are functions of which somebody has the value, and methods of types
	// that became interfaces: they may be called from anywhere.
	Taken []string
}

// Func is a function and where it lies.
type Func struct {
	Name        string
	File        string
	First, Last int
	Root        bool // main, initialisation, or what a command of the process runs
	Calls       []Call
}

// Call is a call of a function that is known.
type Call struct {
	Name string
	Go   bool // as a goroutine
	Loop bool
}

func run(pass *analysis.Pass) (any, error) {
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	p := &Package{}
	commands := commands(pkg.Funcs)
	for _, fn := range pkg.Funcs {
		f := Func{Name: name(fn)}
		f.Root = fn.Name() == "init" || fn.Name() == "main" && pass.Pkg.Name() == "main" || fn.Parent() != nil && fn.Parent().Name() == "init" && fn.Parent().Synthetic != "" || commands[fn]
		if fn.Syntax() != nil {
			from, to := pass.Fset.Position(fn.Syntax().Pos()), pass.Fset.Position(fn.Syntax().End())
			f.File, f.First, f.Last = from.Filename, from.Line, to.Line
		}
		cfg.Each(fn, func(in ssa.Instruction) { p.instruction(&f, in) })
		p.Funcs = append(p.Funcs, f)
	}
	return p, nil
}

// instruction collects the call in it, and the functions whose value it uses.
func (p *Package) instruction(f *Func, in ssa.Instruction) {
	var called *ssa.Function
	if c, ok := in.(ssa.CallInstruction); ok {
		if called = callers.Callee(c.Common()); called != nil {
			_, async := in.(*ssa.Go)
			f.Calls = append(f.Calls, Call{name(called), async, cfg.Within(in.Block())})
		}
	}
	switch in := in.(type) {
	case *ssa.MakeInterface:
		p.methods(in.X.Type(), in.Type())
	case *ssa.MakeClosure:
		if !onlyCalled(in) {
			p.Taken = append(p.Taken, name(in.Fn.(*ssa.Function)))
		}
		return
	}
	for _, op := range in.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && fn != called {
			p.Taken = append(p.Taken, name(fn))
		}
	}
}

// onlyCalled reports whether all that happens to a closure is that it is called,
// deferred or started.
func onlyCalled(mc *ssa.MakeClosure) bool {
	return !slices.ContainsFunc(*mc.Referrers(), func(in ssa.Instruction) bool {
		c, ok := in.(ssa.CallInstruction)
		return !ok || c.Common().Value != mc
	})
}

// methods takes the methods of a type that becomes an interface: those that the
// interface has, or all that are exported when it has none.
func (p *Package) methods(t, as types.Type) {
	iface, _ := as.Underlying().(*types.Interface)
	set := types.NewMethodSet(t)
	for m := range set.Methods() {
		fn, ok := m.Obj().(*types.Func)
		if !ok || !fn.Exported() {
			continue
		}
		if iface == nil || iface.NumMethods() == 0 || types.NewMethodSet(iface).Lookup(fn.Pkg(), fn.Name()) != nil {
			p.Taken = append(p.Taken, fn.FullName())
		}
	}
}

// name is that of the declaration, also of a method value and an instance of a
// generic function.
func name(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.Origin().FullName()
	}
	return fn.String()
}
