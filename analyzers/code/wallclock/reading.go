package wallclock

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// reading is a value that came from the clock of this machine.
type reading struct {
	ok      bool
	wall    bool // the monotonic part is gone
	number  bool // seconds or fractions since 1970
	shifted bool // something was added or taken away
}

// clock knows which values are readings.
type clock struct {
	calls  *callers.Index
	fact   func(types.Object, analysis.Fact) bool
	fields map[any]reading // fields and globals that are given nothing but readings
	known  map[ssa.Value]reading
	busy   map[ssa.Value]bool
}

func newClock(fns []*ssa.Function, calls *callers.Index, fact func(types.Object, analysis.Fact) bool) *clock {
	c := &clock{calls: calls, fact: fact, fields: map[any]reading{}, known: map[ssa.Value]reading{}, busy: map[ssa.Value]bool{}}
	for _, fn := range fns {
		cfg.Each(fn, c.stored)
	}
	return c
}

// stored notes what a field is given. One value that is no reading spoils it.
func (c *clock) stored(in ssa.Instruction) {
	var addr, val ssa.Value
	switch in := in.(type) {
	case *ssa.Store:
		addr, val = in.Addr, in.Val
	case *ssa.MapUpdate: // what a map holds is looked after under the map's name
		addr, val = loaded(in.Map), in.Value
	case *ssa.Call:
		addr, val = atomically(in)
	}
	var f any
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		f = place.FieldOf(a.X.Type(), a.Field).Origin()
	case *ssa.Global:
		f = a
	default:
		return
	}
	if !timely(val.Type()) || zero(val) {
		return
	}
	r := c.of(val)
	if old, seen := c.fields[f]; seen {
		r.ok, r.shifted = r.ok && old.ok, r.shifted || old.shifted
	}
	c.fields[f] = r
}

// atomically reads a call as the store of a value into an atomic number.
func atomically(c *ssa.Call) (addr, val ssa.Value) {
	name := place.CalleeName(c.Common())
	if !strings.HasPrefix(name, "(*sync/atomic.") && !strings.HasPrefix(name, "sync/atomic.") || len(c.Call.Args) < 2 {
		return nil, nil
	}
	return c.Call.Args[0], c.Call.Args[len(c.Call.Args)-1]
}

// loaded is the address that a value was loaded from, nil when it was not.
func loaded(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return v.X
		}
	case *ssa.Call:
		name := place.CalleeName(v.Common())
		if strings.HasPrefix(name, "sync/atomic.Load") || strings.HasPrefix(name, "(*sync/atomic.") && strings.HasSuffix(name, ".Load") {
			return v.Call.Args[0]
		}
	}
	return nil
}

func zero(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && (k.Value == nil || k.Value.ExactString() == "0")
}

// of says how v came from the clock.
func (c *clock) of(v ssa.Value) reading {
	if r, ok := c.known[v]; ok || c.busy[v] {
		return r
	}
	c.busy[v] = true
	r := c.read(v)
	delete(c.busy, v)
	c.known[v] = r
	return r
}

// present is of, and takes a parameter for a reading that is named now, or to which
// the package hands readings, unless a caller is seen to pass something else.
func (c *clock) present(v ssa.Value) reading { return c.presentFrom(v, 0) }

func (c *clock) presentFrom(v ssa.Value, depth int) reading {
	r := c.of(v)
	if conv, ok := v.(*ssa.Convert); ok && !r.ok {
		return c.presentFrom(conv.X, depth)
	}
	if f, tag := fieldRead(v); !r.ok && f != nil && f.Name() == "now" && tag == "" { // of the options of a check
		return c.fields[f]
	}
	p, ok := v.(*ssa.Parameter)
	if r.ok || !ok || depth > 4 || !timely(p.Type()) {
		return r
	}
	handed, _ := c.calls.Args(p)
	for _, a := range handed {
		if q := c.presentFrom(a, depth+1); !q.ok || q.shifted {
			return r
		}
	}
	return reading{ok: p.Name() == "now" || len(handed) > 0}
}

// start is of, and for a field that lives in this process alone what it is given.
func (c *clock) start(v ssa.Value) reading {
	f, tag := fieldRead(v)
	if f == nil || tagName.MatchString(tag) {
		return c.of(v)
	}
	return c.fields[f]
}

func (c *clock) read(v ssa.Value) reading {
	switch v := v.(type) {
	case *ssa.Call:
		return c.ofCall(v)
	case *ssa.BinOp:
		return c.ofSum(v)
	case *ssa.Convert:
		return c.of(v.X)
	case *ssa.ChangeType:
		return c.of(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return c.ofVariable(v.X)
		}
	case *ssa.FreeVar:
		return c.ofVariable(v)
	case *ssa.Phi:
		return c.all(v.Edges)
	case *ssa.Parameter:
		return c.ofParam(v)
	}
	return reading{}
}

func (c *clock) ofVariable(addr ssa.Value) reading {
	switch a := addr.(type) {
	case *ssa.Alloc:
		if s := place.Assigned(a); s != nil {
			return c.of(s)
		}
	case *ssa.FreeVar:
		if b := place.Captured(a); b != nil {
			if _, pointer := b.(*ssa.Alloc); pointer {
				return c.ofVariable(b)
			}
			return c.of(b)
		}
	}
	return reading{}
}

func (c *clock) all(vals []ssa.Value) reading {
	var sum reading
	for _, v := range vals {
		r := c.of(v)
		if !r.ok {
			return reading{}
		}
		sum = reading{true, sum.wall || r.wall, r.number, sum.shifted || r.shifted}
	}
	return sum
}

// ofParam is a reading when every caller hands one over.
func (c *clock) ofParam(p *ssa.Parameter) reading {
	if !timely(p.Type()) {
		return reading{}
	}
	return c.all(c.args(p))
}

// args are what callers pass for a parameter; none when not all of them are known.
func (c *clock) args(p *ssa.Parameter) []ssa.Value {
	fn := p.Parent()
	if !c.calls.Closed(fn) {
		return nil
	}
	var vals []ssa.Value
	for _, call := range c.calls.Calls(fn) {
		for i, q := range fn.Params {
			if q == p && i < len(call.Common().Args) {
				vals = append(vals, call.Common().Args[i])
			}
		}
	}
	return vals
}

func (c *clock) ofSum(v *ssa.BinOp) reading {
	if v.Op != token.ADD && v.Op != token.SUB && v.Op != token.QUO && v.Op != token.MUL {
		return reading{}
	}
	x, y := c.of(v.X), c.of(v.Y)
	if x.ok == y.ok { // neither, or the distance between two
		return reading{}
	}
	r := x
	if y.ok {
		r = y
	}
	r.shifted = r.shifted || v.Op == token.ADD || v.Op == token.SUB
	return r
}

func (c *clock) ofCall(v *ssa.Call) reading {
	name := place.CalleeName(v.Common())
	if name == "time.Now" || injected(v) {
		return reading{ok: true}
	}
	if m, ok := strings.CutPrefix(name, "(time.Time)."); ok && len(v.Call.Args) > 0 {
		return method(m, c.of(v.Call.Args[0]))
	}
	if !timely(v.Type()) {
		return reading{}
	}
	if fn := callers.Callee(v.Common()); fn != nil && fn.Blocks == nil {
		return c.imported(v)
	}
	if !v.Call.IsInvoke() && v.Call.StaticCallee() == nil {
		return reading{} // a function in a field can be another one
	}
	var vals []ssa.Value
	for _, fn := range c.calls.Targets(v.Common()) {
		vals = append(vals, results(fn)...)
	}
	return c.all(vals)
}

// method is what a method of time.Time makes of a reading.
func method(name string, r reading) reading {
	switch name {
	case "UTC", "Local", "In", "Round", "Truncate":
		r.wall = true
	case "Add", "AddDate":
		r.shifted = true
	case "Unix", "UnixNano", "UnixMilli", "UnixMicro":
		r.number, r.wall = true, true
	default:
		return reading{}
	}
	return r
}

// injected tells whether a call asks a clock that was passed in: a function
// value that takes nothing and answers with a time.
func injected(v *ssa.Call) bool {
	if v.Call.Signature().Params().Len() != 0 || v.Type().String() != "time.Time" {
		return false
	}
	return v.Call.IsInvoke() && v.Call.Method.Name() == "Now" || !v.Call.IsInvoke() && v.Call.StaticCallee() == nil
}

// results are the values that a function of one result returns.
func results(fn *ssa.Function) []ssa.Value {
	var vals []ssa.Value
	cfg.Each(fn, func(in ssa.Instruction) {
		if r, ok := in.(*ssa.Return); ok && len(r.Results) == 1 {
			vals = append(vals, r.Results[0])
		}
	})
	return vals
}

// timely tells whether a type can hold a time.
func timely(t types.Type) bool {
	if t.String() == "time.Time" {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}
