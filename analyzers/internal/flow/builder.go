package flow

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/directive"
)

// tooMany is the number of events after which a summary stops to grow; tooLong and
// tooWide are the numbers of blocks and instructions of a function that is not
// looked at: machines write such functions, and values flow through each of their
// steps again and again.
const (
	tooMany = 160
	tooLong = 4000
	tooWide = 40000
)

// builder summarises the functions of one package, callees first.
type builder struct {
	pass  *analysis.Pass
	pkg   *Package
	fset  *token.FileSet
	done  map[*ssa.Function]*Summary
	busy  map[*ssa.Function]bool
	names map[string]*ssa.Function
	wires map[string]wire // fields of interface type, by declaration
	// constants are variables by name, of imported packages too.
	constants map[string]Constant
	// codes are the lists of texts of this package.
	codes map[*ssa.Global][]string
	// fields are the texts and prepared statements in fields, by declaration.
	fields map[string]string
	hooks  map[string]string // functions in fields, by declaration
}

func newBuilder(pass *analysis.Pass, p *Package) *builder {
	b := &builder{pass: pass, pkg: p, fset: pass.Fset, done: map[*ssa.Function]*Summary{}, busy: map[*ssa.Function]bool{}, names: map[string]*ssa.Function{}}
	p.SSA, p.Funcs = buildSSA(pass)
	b.constants, b.wires, b.fields = constants(p.SSA, p.Funcs), wires(p.Funcs), fieldTexts(p.Funcs)
	b.codes = codes(p.SSA, p.Funcs)
	b.hooks = hooks(p.Funcs)
	embedded(pass, p.SSA, b.constants)
	for _, f := range p.Funcs {
		b.names[funcName(f)] = f
	}
	return b
}

// buildSSA does what the buildssa pass does, but only for packages that are
// looked at: in a vet run that pass would build every dependency.
func buildSSA(pass *analysis.Pass) (*ssa.Package, []*ssa.Function) {
	prog := ssa.NewProgram(pass.Fset, ssa.InstantiateGenerics)
	for p := range mentioned(pass) {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	var funcs []*ssa.Function
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				if obj, ok := pass.TypesInfo.Defs[fd.Name].(*types.Func); ok {
					funcs = withClosures(funcs, prog.FuncValue(obj))
				}
			}
		}
	}
	if init := pkg.Func("init"); init != nil {
		for _, f := range init.AnonFuncs {
			funcs = withClosures(funcs, f)
		}
	}
	return pkg, funcs
}

// mentioned are the packages of which the source names something: its imports, and
// those that declare the methods which it calls. What else these import is many
// times as large.
func mentioned(pass *analysis.Pass) map[*types.Package]bool {
	all := map[*types.Package]bool{}
	for _, p := range pass.Pkg.Imports() {
		all[p] = true
	}
	for _, sel := range pass.TypesInfo.Selections {
		if p := sel.Obj().Pkg(); p != nil {
			all[p] = true
		}
	}
	delete(all, pass.Pkg)
	return all
}

func withClosures(all []*ssa.Function, f *ssa.Function) []*ssa.Function {
	if f == nil {
		return all
	}
	all = append(all, f)
	for _, c := range f.AnonFuncs {
		all = withClosures(all, c)
	}
	return all
}

func (b *builder) all() {
	generated := map[string]bool{}
	for _, f := range b.pass.Files {
		generated[b.fset.Position(f.FileStart).Filename] = directive.Generated(f)
	}
	for _, f := range b.pkg.Funcs {
		s := b.summary(f)
		s.Generated = generated[s.Pos.File]
		b.pkg.Own = append(b.pkg.Own, s)
		if why := tooLarge(f); why != "" && !s.Generated {
			b.pkg.Skipped = append(b.pkg.Skipped, s.Name+" has "+why+" that are looked at")
		}
	}
}

// tooLarge says of what a function has too much, "" for nothing.
func tooLarge(f *ssa.Function) string {
	if len(f.Blocks) > tooLong {
		return fmt.Sprintf("%d blocks of code, more than the %d", len(f.Blocks), tooLong)
	}
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Instrs)
	}
	if n > tooWide {
		return fmt.Sprintf("%d instructions, more than the %d", n, tooWide)
	}
	return ""
}

// worth are the summaries that a caller in another package can learn from: those
// with events, and those that say which parts of their arguments go where.
func (b *builder) worth() []*Summary {
	var worth []*Summary
	for _, s := range b.pkg.Own {
		if len(s.Events) > 0 || len(s.Asks) > 0 || s.Parent == "" && len(s.Params) > 0 && len(s.Results)+len(s.Outs) > 0 {
			worth = append(worth, s)
		}
	}
	return worth
}

// summary returns the summary of a function of this package; one without
// events while it is being made, which cuts recursion.
func (b *builder) summary(f *ssa.Function) *Summary {
	if s := b.done[f]; s != nil {
		return s
	}
	s := &Summary{Name: funcName(f), Pos: b.pos(f.Pos())}
	if b.busy[f] || len(f.Blocks) == 0 || tooLarge(f) != "" {
		return s
	}
	b.busy[f] = true
	newMaker(b, f, s).make()
	b.done[f] = s
	if f.Origin() == nil || f.Origin() == f {
		b.pkg.All[s.Name] = s
	}
	return s
}

// callee finds the summary of a function of this or another package, nil when
// there is none.
func (b *builder) callee(f *ssa.Function) *Summary {
	if len(f.Blocks) > 0 && f.Origin() != nil && f.Origin().Pkg == b.pkg.SSA {
		return b.summary(f) // the instance of a generic function: it knows the types
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if f.Pkg == b.pkg.SSA && len(f.Blocks) > 0 {
		return b.summary(f)
	}
	return b.pkg.All[funcName(f)]
}

func (b *builder) pos(p token.Pos) Pos {
	if !p.IsValid() {
		return Pos{}
	}
	at := b.fset.PositionFor(p, false)
	return Pos{at.Filename, at.Line, at.Column}
}

func funcName(f *ssa.Function) string {
	if f.Origin() != nil {
		f = f.Origin()
	}
	return f.String()
}

// byName finds a function by its name, of this package or another.
func (b *builder) byName(name string) *Summary {
	if s := b.pkg.All[name]; s != nil {
		return s
	}
	if f := b.names[name]; f != nil {
		return b.summary(f)
	}
	return nil
}
