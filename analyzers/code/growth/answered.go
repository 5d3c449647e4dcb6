package growth

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// answered judges channels that are kept for one answer each, under a key that no other
// request has: the answer is sent to the channel, and the entry stays. Queues that live
// on under a name that somebody gives are none.
func (j *judge) answered(g growing) {
	if len(j.answers[g.holds]) > 0 || !single(g.val) || !j.unique(g.key) && !callee(g.key) || slices.ContainsFunc(j.fns, func(fn *ssa.Function) bool { return deletes(fn, g.holds) }) {
		return
	}
	for _, fn := range j.fns {
		if fn != g.in.Parent() && asks(fn, g.holds) && wakes(fn) && !ranges(fn, g.holds) {
			j.Found(g.pos, tell.Story(
				named(g.holds)+" keeps each request when it has been answered, and nothing in this package that can run takes an entry out",
				"  a request is sent, and the channel for its answer kept under its key",
				"  the answer comes, and is sent to the channel: the entry stays",
				"  there is one more for each request, and memory rises until the process is killed",
				"fix: delete the entry where the answer is sent, under the same lock; and in a defer of whoever waits, who may give up before",
			), nil, tell.Place{Pos: fn.Pos(), Text: "the answer is sent here, and the entry left"})
			return
		}
	}
}

// single tells whether a value is a channel that was made here, with room for one
// answer at the most.
func single(v ssa.Value) bool {
	if ct, ok := v.(*ssa.ChangeType); ok {
		v = ct.X
	}
	made, ok := v.(*ssa.MakeChan)
	if !ok {
		return false
	}
	k, ok := made.Size.(*ssa.Const)
	if !ok {
		return false
	}
	n, ok := constant.Int64Val(k.Value)
	return ok && n <= 1
}

// callee tells whether a key is what a call has answered, which had to do with the
// request: a job, a serial number.
func callee(key ssa.Value) bool {
	if ex, ok := key.(*ssa.Extract); ok {
		call, ok := ex.Tuple.(*ssa.Call)
		return ok && len(call.Call.Args) > 0
	}
	call, ok := key.(*ssa.Call)
	return ok && callers.Callee(call.Common()) == nil && !call.Call.IsInvoke() && len(call.Call.Args) > 0
}

// deletes tells whether a function takes entries out, though nobody in the package may
// call it: who is called from outside sends the answer as well.
func deletes(fn *ssa.Function, h container) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		found = found || ok && place.CalleeName(c.Common()) == "builtin.delete" && heldBy(c.Common().Args[0]) == h
	})
	return found
}

// ranges tells whether a function goes through all entries: those who listen, and get
// whatever there is.
func ranges(fn *ssa.Function, h container) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
			r, ok := in.(*ssa.Range)
			return ok && heldBy(r.X) == h
		})
	})
}
