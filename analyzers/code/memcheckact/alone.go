package memcheckact

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// alone tells whether setting a flag is all that the check decides on:
//
//	if !seen.Load() { seen.Store(true) }
//
// Two goroutines that both do it do no harm.
func alone(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	check, act := &s.Events[p.Check], &s.Events[p.Act]
	if act.Op != libs.Store || act.Note != "atomic" || act.Val.Root != flow.Const || len(check.Site) > 1 || len(act.Site) > 1 {
		return false
	}
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	load, store := callAt(pass, pkg, check.Site[0]), callAt(pass, pkg, act.Site[0])
	if load == nil || store == nil || load.Parent() != store.Parent() {
		return false
	}
	for _, br := range branches(load) {
		yes, no := cfg.Sides(br.Block())
		side := yes
		if no[store.Block()] {
			side = no
		}
		if side[store.Block()] && !works(side, store) {
			return true
		}
	}
	return false
}

// callAt is the call at a place in the source.
func callAt(pass *analysis.Pass, pkg *flow.Package, at flow.Pos) *ssa.Call {
	pos := at.In(pass.Fset)
	for _, fn := range pkg.Funcs {
		if fn.Syntax() == nil || pos < fn.Syntax().Pos() || pos >= fn.Syntax().End() {
			continue
		}
		var found *ssa.Call
		cfg.Each(fn, func(in ssa.Instruction) {
			if c, ok := in.(*ssa.Call); ok && c.Pos() == pos {
				found = c
			}
		})
		if found != nil {
			return found
		}
	}
	return nil
}

// branches lists the branches on a value, its negation or its comparison.
func branches(v ssa.Value) []*ssa.If {
	var out []*ssa.If
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.If:
			out = append(out, r)
		case *ssa.UnOp:
			out = append(out, branches(r)...)
		case *ssa.BinOp:
			out = append(out, branches(r)...)
		}
	}
	return out
}

// works tells whether anything but the store happens in the blocks.
func works(blocks map[*ssa.BasicBlock]bool, store *ssa.Call) bool {
	for b := range blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Jump, *ssa.DebugRef, *ssa.FieldAddr, *ssa.Return, *ssa.UnOp:
			case *ssa.Call:
				if in != store {
					return true
				}
			default:
				return true
			}
		}
	}
	return false
}
