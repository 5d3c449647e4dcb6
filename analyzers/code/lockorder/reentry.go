package lockorder

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// handBack notes that an object puts itself, or one of its methods, where something
// that it has will find it: the field of a part that points back at its whole.
//
//	s.bus = bus.New(s.handle)
//	c := &Conn{handler: p}
//
// What is put into a field of another object of the same type is not its own.
func (j *judge) handBack(class string, addr, val ssa.Value) {
	into, _ := addr.(*ssa.FieldAddr)
	for _, v := range j.passedFor(val) {
		self := bound(v)
		if self == nil || !ownself(self) || named(self) == "" || into != nil && named(into.X) == named(self) && into.X != self {
			continue
		}
		j.selves[class] = append(j.selves[class], named(self))
	}
}

// passedFor is what the callers in the package pass for a parameter; of any other
// value the value itself.
func (j *judge) passedFor(v ssa.Value) (out []ssa.Value) {
	p, ok := captured(v).(*ssa.Parameter)
	if !ok {
		return []ssa.Value{v}
	}
	for _, c := range j.calls.Calls(p.Parent()) {
		for i, q := range p.Parent().Params {
			if q == p && i < len(c.Common().Args) {
				out = append(out, c.Common().Args[i])
			}
		}
	}
	return out
}

// bound is the object behind a method value, or behind an interface.
func bound(v ssa.Value) ssa.Value {
	switch v := captured(v).(type) {
	case *ssa.MakeClosure:
		if fn := v.Fn.(*ssa.Function); strings.HasPrefix(fn.Synthetic, "bound method") && len(v.Bindings) == 1 {
			return v.Bindings[0]
		}
	case *ssa.ChangeType:
		return bound(v.X)
	case *ssa.MakeInterface:
		return captured(v.X)
	}
	return nil
}

// ownself reports whether a value is the receiver of the method that runs, or what
// the function has just made.
func ownself(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Alloc:
		return v.Heap
	case *ssa.Parameter:
		return v.Parent().Signature.Recv() != nil && v == v.Parent().Params[0]
	}
	return false
}

// named is the type that a pointer points to: "path.Type".
func named(v ssa.Value) string {
	path, name := libs.Path(v.Type()), libs.TypeName(v.Type())
	if name == "" {
		return ""
	}
	return path + "." + name
}

// backAgain reports a callback that takes the lock under which it is called, of the
// object that had handed itself out.
func (j *judge) backAgain(o open, target *flow.Summary, l *flow.Event) {
	typ, _, isMethod := strings.Cut(strings.TrimPrefix(target.Name, "(*"), ").")
	reading := o.Edge.FromRead && l.Op == libs.RLock
	if !isMethod || !o.Inward || reading || l.On.Root != flow.Param || l.On.N != 0 || !j.mine(o.Edge) || !j.hasSelf(o.Field, typ, map[string]bool{}) {
		return
	}
	name := short(o.Edge.From)
	f := flow.Found{At: o.Call, Severity: "high",
		Message: tell.Story("deadlock: "+name+" is taken by a callback while its caller holds it already",
			"  "+short(o.Edge.Func)+" holds the lock, and calls what leads to "+short(target.Name),
			"  that takes the lock again: sync locks are not re-entrant, it waits for itself, and everybody else waits too",
			"fix: give back the lock before the call, with a copy of what is needed"),
		Related: []flow.Note{{At: o.Edge.Held, Text: name + " was taken here, and is still held"}, {At: innermost(l), Text: "it is taken again here"}},
	}
	if o.Edge.At != o.Call {
		f.Related = append(f.Related, flow.Note{At: o.Edge.At, Text: "the callback is called here"})
	}
	j.report(f)
}

// hasSelf tells whether objects of a type hand themselves out into a field.
func (j *judge) hasSelf(field, typ string, seen map[string]bool) bool {
	if seen[field] {
		return false
	}
	seen[field] = true
	if slices.Contains(j.selves[field], typ) {
		return true
	}
	for _, name := range j.fields[field] {
		if from, copied := strings.CutPrefix(name, same); copied && j.hasSelf(from, typ, seen) {
			return true
		}
	}
	return false
}

// inward tells whether a call goes to something that the holder of the lock has.
func inward(held, e *flow.Event) bool {
	return held.On.Root == flow.Param && e.On.Root == flow.Param && held.On.N == e.On.N && strings.Count(held.On.Path, ".") == 1 && e.On.Path != ""
}
