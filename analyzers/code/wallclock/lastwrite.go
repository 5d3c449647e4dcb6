package wallclock

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

var (
	// saver is a method that replaces a stored record by the one that it is given.
	saver = regexp.MustCompile(`\.(Save|Put|Update|Updates|Upsert|Store|Replace|Set|Write|Copy|Push|Upload|Download|Apply|Restore)\w*$`)
	// nodeName is the field that says which machine made a record.
	nodeName = regexp.MustCompile(`(?i)^(node|replica|origin|peer|host|site|actor|device|client|writer)(_?(id|name))?$`)
)

// saves tells whether a call hands one of two records to a store.
func saves(c ssa.CallInstruction, a, b ssa.Value) bool {
	if !saver.MatchString(place.CalleeName(c.Common())) {
		return false
	}
	return slices.ContainsFunc(flat(c), func(v ssa.Value) bool {
		if mi, ok := v.(*ssa.MakeInterface); ok {
			v = mi.X
		}
		return whole(v, a) || whole(v, b)
	})
}

// newestParam finds the same where what comes in is no record yet: a value and its
// stamp, both parameters, that replace those of a record with an older stamp.
func (j *judge) newestParam(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, x, y := ordered(in)
		if v == nil {
			return
		}
		if _, ok := x.(*ssa.Parameter); !ok {
			x, y = y, x
		}
		p, ok := x.(*ssa.Parameter)
		f, _ := fieldRead(y)
		if ok && f != nil && isTime(f.Type()) && j.stampedOnce(p) && takes(v, p, f) {
			j.Found(in.Pos(), lastWriteWins, nil)
		}
	})
}

// stampedOnce tells whether one caller gives a parameter a reading, and others can
// give it what their clocks say.
func (j *judge) stampedOnce(p *ssa.Parameter) bool {
	fn := p.Parent()
	given := func(c ssa.CallInstruction) bool {
		i := slices.Index(fn.Params, p)
		r := reading{}
		if i < len(c.Common().Args) {
			r = j.clock.of(c.Common().Args[i])
		}
		return r.ok && !r.shifted
	}
	calls := j.calls.Calls(fn)
	foreign := func(c ssa.CallInstruction) bool { return !given(c) }
	return slices.ContainsFunc(calls, given) && (!j.calls.Closed(fn) || slices.ContainsFunc(calls, foreign))
}

// takes tells whether a branch on v sets the field of a record to a parameter, and
// another field, which is no time, to another one.
func takes(v ssa.Value, p *ssa.Parameter, f *types.Var) bool {
	stamped, valued := map[ssa.Value]bool{}, map[ssa.Value]bool{}
	for _, blk := range guarded(v) {
		for _, in := range blk.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			if q, ok := st.Val.(*ssa.Parameter); ok && q == p {
				stamped[fa.X] = stamped[fa.X] || place.FieldOf(fa.X.Type(), fa.Field).Origin() == f
			} else if ok && !isTime(q.Type()) {
				valued[fa.X] = true
			}
		}
	}
	for x := range stamped {
		if stamped[x] && valued[x] {
			return true
		}
	}
	return false
}

// newestKey finds the same in a key-value server: the stamp that was read from a key
// is compared with one that is then written.
func (j *judge) newestKey(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, x, y := ordered(in)
		if v == nil {
			return
		}
		if answer(x, 0) == nil {
			x, y = y, x
		}
		f, _ := fieldRead(behind(y))
		p, isParam := behind(y).(*ssa.Parameter)
		if answer(x, 0) != nil && (f != nil && orderName.MatchString(f.Name()) || isParam && orderName.MatchString(p.Name())) && writesKey(fn, y) {
			j.Found(in.Pos(), lastWriteWins, nil)
		}
	})
}

// writesKey tells whether a function writes a stamp to a key-value server.
func writesKey(fn *ssa.Function, stamp ssa.Value) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(*ssa.Call)
		found = found || ok && operation(c) == libs.KVWrite && slices.ContainsFunc(flat(c), func(v ssa.Value) bool {
			return place.Of(behind(v)).Equal(place.Of(behind(stamp)))
		})
	})
	return found
}

// sorted finds records of several machines that are brought into the order of their
// stamps, of which the last one wins.
func (j *judge) sorted(less *ssa.Function) {
	cfg.Each(less, func(in ssa.Instruction) {
		v, x, y := ordered(in)
		if v == nil {
			return
		}
		fx, _ := fieldRead(x)
		fy, _ := fieldRead(y)
		if fx == nil || fx != fy || !j.clock.fields[fx].ok || !ofNodes(recordOf(x)) {
			return
		}
		if slices.ContainsFunc(j.calls.Values(less), lastTaken) || madeFor(less, lastTaken) {
			j.Found(in.Pos(), lastWriteWins, nil)
		}
	})
}

// madeFor tells whether the closure of a function is used in such a way.
func madeFor(fn *ssa.Function, use func(ssa.Instruction) bool) bool {
	if fn.Parent() == nil {
		return false
	}
	found := false
	cfg.Each(fn.Parent(), func(in ssa.Instruction) {
		if mc, ok := in.(*ssa.MakeClosure); ok && mc.Fn == fn {
			found = found || slices.ContainsFunc(*mc.Referrers(), use)
		}
	})
	return found
}

// lastTaken tells whether a call sorts a list of which one end is then used as a
// whole, or answers with that end itself.
func lastTaken(in ssa.Instruction) bool {
	c, ok := in.(*ssa.Call)
	if !ok || len(c.Call.Args) == 0 {
		return false
	}
	name := place.CalleeName(c.Common())
	if name == "slices.MaxFunc" || name == "slices.MinFunc" {
		return true
	}
	if !strings.HasPrefix(name, "sort.Slice") && !strings.HasPrefix(name, "slices.Sort") {
		return false
	}
	found := false
	cfg.Each(c.Parent(), func(in ssa.Instruction) {
		ia, ok := in.(*ssa.IndexAddr)
		found = found || ok && !cfg.Within(ia.Block()) && place.Of(ia.X).Equal(place.Of(c.Call.Args[0])) && copied(ia)
	})
	return found
}

// copied tells whether an element is loaded whole, or one of its fields that is no time.
func copied(ia *ssa.IndexAddr) bool {
	for _, r := range *ia.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			return r.Op == token.MUL
		case *ssa.FieldAddr:
			return !isTime(place.FieldOf(r.X.Type(), r.Field).Type())
		}
	}
	return false
}

// ofNodes tells whether a record says which machine made it.
func ofNodes(t types.Type) bool {
	if t = element(t); t == nil {
		return false
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if nodeName.MatchString(f.Name()) {
			return true
		}
	}
	return false
}
