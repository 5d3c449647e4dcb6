package lockorder

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// handBack notes that an object puts itself, or one of its methods, where something
// that it has will find it: the field of a part that points back at its whole. So
// does a function literal that uses what it is handed to.
//
//	s.bus = bus.New(s.handle)
//	c := &Conn{handler: p}
//	s.OnChange(func() { s.Get() })
//
// What is put into a field of another object of the same type is not its own.
func (j *judge) handBack(class string, addr, val ssa.Value) {
	into, _ := addr.(*ssa.FieldAddr)
	owner, to := "", ssa.Value(nil)
	if into != nil {
		owner, to = named(into.X), root(into.X)
	}
	for _, h := range j.origins(val, to) {
		self := bound(h.val)
		if self != nil && ownself(self) && named(self) != "" && (owner != named(self) || h.to == root(self)) {
			j.selves[class] = append(j.selves[class], named(self))
		}
		j.selves[class] = append(j.selves[class], j.literal(h)...)
		if h.to != nil && strings.HasPrefix(class, named(h.to)+".") {
			j.selves[class] = append(j.selves[class], pointing(h)...)
		}
	}
}

// handed is a value that is put somewhere, and what it is put into: the object that
// has the field, or the one whose method is called.
type handed struct{ val, to ssa.Value }

// origins are the values that a value can be: the elements of a list, and what the
// callers in the package pass for a parameter.
func (j *judge) origins(v, to ssa.Value) (out []handed) {
	switch v := captured(v).(type) {
	case *ssa.ChangeType:
		return j.origins(v.X, to)
	case *ssa.Call:
		if place.CalleeName(v.Common()) == "builtin.append" {
			for _, e := range place.Variadic(v.Call.Args[1]) {
				out = append(out, j.origins(e, to)...)
			}
			return out
		}
	case *ssa.Parameter:
		for _, c := range j.calls.Calls(v.Parent()) {
			for i, q := range v.Parent().Params {
				if q == v && i < len(c.Common().Args) {
					out = append(out, handed{c.Common().Args[i], receiving(c.Common())})
				}
			}
		}
		return out
	}
	return []handed{{v, to}}
}

// receiving is the object whose method is called, nil for a function.
func receiving(c *ssa.CallCommon) ssa.Value {
	if c.Signature().Recv() == nil || len(c.Args) == 0 {
		return nil
	}
	return root(c.Args[0])
}

// root is the value whose field, or field of a field, a value is.
func root(v ssa.Value) ssa.Value {
	for {
		v = captured(v)
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.UnOp:
			if _, field := x.X.(*ssa.FieldAddr); !field {
				return v
			}
			v = x.X
		default:
			return v
		}
	}
}

// literal names a function literal with the captured variable that is what the
// literal is put into, "path.Func$1#2"; none when it captured no such.
func (j *judge) literal(h handed) (out []string) {
	mc, ok := h.val.(*ssa.MakeClosure)
	if !ok || h.to == nil {
		return nil
	}
	fn := mc.Fn.(*ssa.Function)
	s := j.summary(fn)
	if s == nil {
		return nil
	}
	for k, b := range mc.Bindings {
		if cell, ok := b.(*ssa.Alloc); ok && place.Assigned(cell) != nil {
			b = place.Assigned(cell)
		}
		if b == h.to || ownself(b) && named(b) != "" && named(b) != named(h.to) { // a part that its whole has made
			out = append(out, fmt.Sprint(s.Name, "#", len(fn.Params)+k))
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
	reading := o.Edge.FromRead && l.Op == libs.RLock
	if !o.Inward || reading || l.On.Root != flow.Param || !strings.Contains(l.On.Path, ".") || !j.mine(o.Edge) || !j.hasSelf(o.Field, selfOf(target, l), map[string]bool{}) {
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

// selfOf names the object whose lock a callback takes: the type of a method, the field
// in which it has the object, or the captured variable of a literal.
func selfOf(target *flow.Summary, l *flow.Event) string {
	field := l.On.Path[:max(strings.LastIndexByte(l.On.Path, '.'), 0)]
	if typ, _, method := strings.Cut(strings.TrimPrefix(target.Name, "(*"), ")."); method && target.Parent == "" {
		if l.On.N == 0 {
			return typ + field
		}
		return ""
	}
	return fmt.Sprint(target.Name, "#", l.On.N, field)
}

// hasSelf tells whether objects hand themselves out into a field.
func (j *judge) hasSelf(field, self string, seen map[string]bool) bool {
	if seen[field] {
		return false
	}
	seen[field] = true
	if slices.Contains(j.selves[field], self) {
		return true
	}
	for _, name := range j.fields[field] {
		if from, copied := strings.CutPrefix(name, same); copied && j.hasSelf(from, self, seen) {
			return true
		}
	}
	return false
}

// inward tells whether a call goes to something that the holder of the lock has.
func inward(held, e *flow.Event) bool {
	return held.On.Root == flow.Param && e.On.Root == flow.Param && held.On.N == e.On.N && strings.Count(held.On.Path, ".") == 1 && e.On.Path != ""
}
