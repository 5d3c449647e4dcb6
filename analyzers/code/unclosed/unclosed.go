package unclosed

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
)

// Analyzer reports what stays open on some path.
var Analyzer = &analysis.Analyzer{
	Name:      "unclosed",
	Doc:       Doc,
	URL:       "https://github.com/ccheck/ccheck/blob/main/docs/analyzers/unclosed.md",
	Requires:  []*analysis.Analyzer{buildssa.Analyzer},
	Run:       run,
	FactTypes: []analysis.Fact{new(leavesOpen)},
}

// leavesOpen says which parameters of a function, the receiver first, can be
// open still when it returns, and whether it opens what it returns. Of a
// function without it nothing is known.
type leavesOpen struct {
	Params []bool
	Opens  bool
}

// AFact marks the type as a fact.
func (*leavesOpen) AFact() {}

func (l *leavesOpen) String() string {
	return fmt.Sprint("leaves open ", l.Params, ", opens ", l.Opens)
}

func run(pass *analysis.Pass) (any, error) {
	if !relevant(pass.Pkg) {
		return nil, nil
	}
	s := &search{pass: pass, busy: map[*ssa.Function]bool{}, done: map[*ssa.Function][]bool{}, fresh: map[*ssa.Function]bool{}}
	for _, f := range pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).SrcFuncs {
		s.export(f)
		for _, b := range f.Blocks {
			for i, in := range b.Instrs {
				if call, ok := in.(*ssa.Call); ok {
					s.opened(b, i, call)
				}
			}
		}
	}
	return nil, nil
}

// export tells importers which parameters stay open.
func (s *search) export(f *ssa.Function) {
	obj, ok := f.Object().(*types.Func)
	fact := &leavesOpen{Params: s.params(f), Opens: s.returnsOpened(f)}
	if ok && (fact.Opens || slices.Contains(fact.Params, true)) {
		s.pass.ExportObjectFact(obj, fact)
	}
}

// opened looks at a call that may have opened something.
func (s *search) opened(b *ssa.BasicBlock, i int, call *ssa.Call) {
	v, err := results(call)
	if v == nil || v.Referrers() == nil {
		return
	}
	r := resourceOf(v.Type())
	if !s.opens(r, &call.Call) || r.watches() && cancelled(&call.Call) {
		return
	}
	w := newWalk(s, r, v, err)
	if leak := w.from(b, i+1); leak != nil {
		s.report(call, r, w, leak)
	}
}

// results finds the resource among the results of a call, and the error beside it.
func results(call *ssa.Call) (v, err ssa.Value) {
	if resourceOf(call.Type()) != nil {
		return call, nil
	}
	if call.Referrers() == nil {
		return nil, nil
	}
	for _, ref := range *call.Referrers() {
		e, ok := ref.(*ssa.Extract)
		switch {
		case !ok:
		case resourceOf(e.Type()) != nil:
			v = e
		case types.Identical(e.Type(), types.Universe.Lookup("error").Type()):
			err = e
		}
	}
	return v, err
}

func (s *search) report(call *ssa.Call, r *resource, w *walk, leak ssa.Instruction) {
	at := leaves(leak)
	d := analysis.Diagnostic{
		Pos: call.Pos(), Category: "unclosed/medium",
		Message: fmt.Sprintf("the %s on a path that returns at line %d", stays(r.what), s.pass.Fset.Position(at).Line) +
			"\n  " + lost(r) + "\n" + mend(r),
		Related: []analysis.RelatedInformation{{Pos: at, Message: "returns without giving it back"}},
	}
	if w.helper.IsValid() {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: w.helper, Message: "this call does not give it back on every path"})
	}
	if e := s.edit(call, w); e != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "close it when the function returns", TextEdits: []analysis.TextEdit{*e}}}
	}
	s.pass.Report(d)
}

// leaves is where a path leaves the function: its last brace, where no return is written.
func leaves(leak ssa.Instruction) token.Pos {
	if leak.Pos().IsValid() || leak.Parent().Syntax() == nil {
		return leak.Pos()
	}
	return leak.Parent().Syntax().End() - 1
}

func stays(what string) string {
	if strings.HasSuffix(what, "s") {
		return what + " opened here stay open"
	}
	return what + " opened here stays open"
}

func lost(r *resource) string {
	if r.body != "" {
		return "each such call keeps a socket and its goroutines; the client opens another one every time"
	}
	return "each such call keeps one connection of the pool; when the last is gone, all callers wait"
}

func mend(r *resource) string {
	if r.defers("") == "" {
		return "fix: defer its Rollback right after the error check (it does nothing after Commit), or let pgx.BeginFunc end it"
	}
	return "fix: " + r.defers(r.usual) + " right after the error check"
}
