package wallclock

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// helps tells whether a function that compares two records that it was given says which
// is newer, or answers with that one, and a caller keeps it in place of the other.
func (j *judge) helps(v, a, b ssa.Value) bool {
	p, okay := a.(*ssa.Parameter)
	q, ok := b.(*ssa.Parameter)
	if !ok || !okay {
		return false
	}
	says, picks := returnedBy(v), answersWith(p, q)
	return (says || picks) && slices.ContainsFunc(j.calls.Calls(v.Parent()), func(c ssa.CallInstruction) bool {
		if c.Value() == nil {
			return false
		}
		return picks && keeps(c.Value()) || says && replaces(c.Value(), argument(c, p), argument(c, q))
	})
}

// returnedBy tells whether a function answers with a comparison, as it is or turned.
func returnedBy(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Return:
			return len(r.Results) == 1
		case *ssa.UnOp:
			return returnedBy(r)
		case *ssa.BinOp: // of the number that Compare gives
			return returnedBy(r)
		case *ssa.Phi:
			return returnedBy(r)
		}
		return false
	})
}

// answersWith tells whether a function returns one of two parameters here, and the
// other one there.
func answersWith(p, q *ssa.Parameter) bool {
	first, second := false, false
	for _, r := range results(p.Parent()) {
		vals := []ssa.Value{r}
		if phi, ok := r.(*ssa.Phi); ok {
			vals = phi.Edges
		}
		first = first || slices.ContainsFunc(vals, func(v ssa.Value) bool { return behindCopy(v) == p })
		second = second || slices.ContainsFunc(vals, func(v ssa.Value) bool { return behindCopy(v) == q })
	}
	return first && second
}

// behindCopy is the record behind a value: what was copied, or is pointed at.
func behindCopy(v ssa.Value) ssa.Value {
	if addr := loaded(v); addr != nil {
		return record(addr)
	}
	return record(v)
}

// argument is the record that a call hands over for a parameter.
func argument(c ssa.CallInstruction, p *ssa.Parameter) ssa.Value {
	i := slices.Index(p.Parent().Params, p)
	if i >= len(c.Common().Args) {
		return nil
	}
	return behindCopy(c.Common().Args[i])
}

// keeps tells whether a record is stored where others can see it.
func keeps(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.MapUpdate:
			return r.Value == v && !made(r.Map)
		case *ssa.Store:
			return r.Val == v && place.Of(r.Addr).Shared()
		case *ssa.MakeInterface:
			return keeps(r)
		case ssa.CallInstruction:
			return saver.MatchString(place.CalleeName(r.Common()))
		}
		return false
	})
}
