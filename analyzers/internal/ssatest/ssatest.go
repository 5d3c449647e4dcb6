// Package ssatest builds the functions of a piece of source for tests.
package ssatest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Build type-checks a file of package p and builds its functions, by name;
// those of literals are called "f$1". The file may import the standard library.
func Build(t *testing.T, src string) map[string]*ssa.Function {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", "p"), []*ast.File{f}, 0)
	if err != nil {
		t.Fatal(err)
	}
	fns := map[string]*ssa.Function{}
	for fn := range ssautil.AllFunctions(pkg.Prog) {
		if fn.Pkg == pkg && fn.Synthetic == "" {
			fns[fn.Name()] = fn
		}
	}
	return fns
}

// All lists the functions.
func All(fns map[string]*ssa.Function) []*ssa.Function {
	var all []*ssa.Function
	for _, fn := range fns {
		all = append(all, fn)
	}
	return all
}

// Calls lists the calls of a function to one of the given name, in the order of
// the source.
func Calls(fn *ssa.Function, name string) []*ssa.Call {
	var out []*ssa.Call
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == name {
				out = append(out, c)
			}
		}
	}
	return out
}
