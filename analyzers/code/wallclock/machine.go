package wallclock

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// same tells whether a part of an id is the same for all that are made here: written
// out, what the id is for, or the machine that it is made on or for. A machine alone
// has one id for each start; where the ids are the keys of a map, it has many.
func (j *judge) same(v ssa.Value) bool {
	if sum, ok := v.(*ssa.BinOp); ok && sum.Op == token.ADD {
		return j.same(sum.X) && j.same(sum.Y)
	}
	_, constant := v.(*ssa.Const)
	return constant || kindName(v) || machine(v) && j.entries(v.Parent())
}

var machineName = regexp.MustCompile(`(?i)^(host(_?name)?|ip|ip_?addr(ess)?|addr|machine|node|node_?name|region|zone|cluster|data_?cent(er|re))$`)

// machine tells whether a value names a machine, as a parameter or a field of one.
func machine(v ssa.Value) bool {
	if f, _ := fieldRead(v); f != nil {
		return machineName.MatchString(f.Name())
	}
	p, ok := v.(*ssa.Parameter)
	return ok && machineName.MatchString(p.Name())
}

// entries tells whether what a function makes becomes the key of a map: in it, in one
// that calls it, or in one that reads the field in which that keeps it.
func (j *judge) entries(fn *ssa.Function) bool {
	if len(mapKeys(fn)) > 0 {
		return true
	}
	return slices.ContainsFunc(j.calls.Calls(fn), func(c ssa.CallInstruction) bool {
		id := c.Value()
		if id == nil {
			return false
		}
		if slices.Contains(mapKeys(c.Parent()), ssa.Value(id)) {
			return true
		}
		kept := keptIn(id)
		return kept != nil && slices.ContainsFunc(j.fns, func(o *ssa.Function) bool {
			return slices.ContainsFunc(mapKeys(o), func(k ssa.Value) bool { f, _ := fieldRead(k); return f == kept })
		})
	})
}

// mapKeys are the keys under which a function stores something in maps.
func mapKeys(fn *ssa.Function) (keys []ssa.Value) {
	cfg.Each(fn, func(in ssa.Instruction) {
		if u, ok := in.(*ssa.MapUpdate); ok {
			keys = append(keys, u.Key)
		}
	})
	return keys
}

// keptIn is the field that a value is stored in, nil for none.
func keptIn(v ssa.Value) *types.Var {
	for _, r := range *v.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Val == v {
			if fa, ok := st.Addr.(*ssa.FieldAddr); ok {
				return place.FieldOf(fa.X.Type(), fa.Field)
			}
		}
	}
	return nil
}
