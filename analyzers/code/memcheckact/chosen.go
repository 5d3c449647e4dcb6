package memcheckact

import (
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// chosen finds entries of a map that are chosen under one lock, used, and taken out
// under the next: two callers can choose the same ones. takes asks the code whether
// it is a choice.
func chosen(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		act := &s.Events[j]
		if act.Op != libs.MapDelete || len(act.Held) == 0 || !shared(act.On.Desc) {
			continue
		}
		for i := range s.Events {
			e := &s.Events[i]
			if e.Op == libs.MapRange && len(e.Held) > 0 && e.On.Same(act.On.Desc) && pair.Ours(s, i, j) && !pair.Locked(s, i, j) && from(act.Key, i) && !searchedAgain(s, i, j) && used(s, i) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// ends are names of what can be done to a thing a second time.
var ends = regexp.MustCompile(`^(?i)(close|stop|cancel|shutdown|disconnect|release|kill)`)

// used tells whether a call gets what was chosen, outside of the lock of the choice, or
// the caller does.
func used(s *flow.Summary, i int) bool {
	return pair.Returned(s, i) || slices.ContainsFunc(s.Events, func(e flow.Event) bool {
		return e.Op == libs.Calls && !sharesLock(&s.Events[i], &e) && !ends.MatchString(called(&e)) && slices.ContainsFunc(e.Args, func(v flow.Value) bool { return from(v, i) })
	})
}

// takes tells whether a loop over a map ends as soon as it has what it wants, and more
// than one goroutine can want something. A loop that goes over all of them is that of
// a sweep, or of somebody who writes out what there is.
func takes(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	over, ok := at[*ssa.Range](pass, pair.Check(s, p.Check))
	if !ok || !leaves(over) {
		return false
	}
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	owner := function(pass, pkg, s)
	return owner == nil || !single(callers.Of(pkg.Funcs), owner)
}

// leaves tells whether a loop over a map is left before its end, be it after the first.
func leaves(over *ssa.Range) bool {
	for _, b := range over.Parent().Blocks {
		if !heads(b, over) {
			continue
		}
		loop := body(b)
		if len(loop) == 1 {
			return true
		}
		for in := range loop {
			if in != b && slices.ContainsFunc(in.Succs, func(n *ssa.BasicBlock) bool { return !loop[n] }) {
				return true
			}
		}
	}
	return false
}

// heads tells whether a block asks for the next entry of the map.
func heads(b *ssa.BasicBlock, over *ssa.Range) bool {
	return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
		next, ok := in.(*ssa.Next)
		return ok && next.Iter == over
	})
}

// body is the loop that a block is the head of, without those around it: what leads
// back to the head, and does not go through it.
func body(head *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	loop := map[*ssa.BasicBlock]bool{head: true}
	var work []*ssa.BasicBlock
	for _, p := range head.Preds {
		if head.Dominates(p) {
			work = append(work, p)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		if work = work[:len(work)-1]; !loop[b] {
			loop[b] = true
			work = append(work, b.Preds...)
		}
	}
	return loop
}
