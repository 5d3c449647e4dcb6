package lockorder

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// stored lists the functions that the package stores in fields and globals of
// function type, and in lists and maps of such, itself or through a function of
// another package; and the parameters that it stores there for its importers.
func (j *judge) stored() (fields, params map[string][]string) {
	fields, params = map[string][]string{}, map[string][]string{}
	add := func(addr, val ssa.Value) {
		class := declared(addr)
		if class == "" {
			return
		}
		fields[class] = append(fields[class], j.functions(val)...)
		j.handBack(class, addr, val)
		for _, p := range given(val) {
			params[p] = append(params[p], class)
		}
	}
	for _, fn := range j.pkg.Funcs {
		cfg.Each(fn, func(in ssa.Instruction) {
			switch in := in.(type) {
			case *ssa.Store:
				add(in.Addr, in.Val)
			case *ssa.MapUpdate:
				if u, ok := in.Map.(*ssa.UnOp); ok {
					add(u.X, in.Value)
				}
			case ssa.CallInstruction:
				j.passed(in.Common(), fields)
			}
		})
	}
	return fields, params
}

// passed notes the functions that a call hands to a function of another package
// which stores them.
func (j *judge) passed(c *ssa.CallCommon, fields map[string][]string) {
	callee := c.StaticCallee()
	if callee == nil || callee.Pkg == nil || callee.Pkg.Pkg == j.pass.Pkg {
		return
	}
	for i, a := range c.Args {
		for _, class := range j.params[param(callee, i)] {
			for _, e := range elements(a) {
				fields[class] = append(fields[class], j.functions(e)...)
				j.handBack(class, nil, e)
			}
		}
	}
}

// elements are the arguments of a variadic call, or the argument itself.
func elements(a ssa.Value) []ssa.Value {
	if all := place.Variadic(a); len(all) > 0 {
		return all
	}
	return []ssa.Value{a}
}

// given are the parameters of exported functions that a value can be.
func given(v ssa.Value) []string {
	var out []string
	switch v := captured(v).(type) {
	case *ssa.ChangeType:
		return given(v.X)
	case *ssa.Call:
		if place.CalleeName(v.Common()) == "builtin.append" {
			for _, e := range place.Variadic(v.Call.Args[1]) {
				out = append(out, given(e)...)
			}
		}
	case *ssa.Parameter:
		for i, q := range v.Parent().Params {
			if q == v && v.Parent().Object() != nil && v.Parent().Object().Exported() {
				out = append(out, param(v.Parent(), i))
			}
		}
	}
	return out
}

// captured is the value of a variable that is set once, and is a variable because a
// function literal uses it too.
func captured(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	if cell, ok := load.X.(*ssa.Alloc); ok && place.Assigned(cell) != nil {
		return place.Assigned(cell)
	}
	return v
}

// param names the i-th parameter of a function, the receiver first.
func param(fn *ssa.Function, i int) string { return fmt.Sprint(callers.Origin(fn), "#", i) }

// declared is the declaration behind an address: of a field or a global.
func declared(addr ssa.Value) string {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return fieldClass(a)
	case *ssa.Global:
		return place.Of(a).Name
	}
	return ""
}

// functions names the functions that a value can be: itself, what callers pass
// for a parameter, or what is appended to a list of them.
func (j *judge) functions(v ssa.Value) []string {
	v = captured(v)
	if ct, ok := v.(*ssa.ChangeType); ok {
		v = ct.X
	}
	if c, ok := v.(*ssa.Call); ok && place.CalleeName(c.Common()) == "builtin.append" {
		var out []string
		for _, e := range place.Variadic(c.Call.Args[1]) {
			out = append(out, j.functions(e)...)
		}
		return out
	}
	if fn := callers.Function(v); fn != nil {
		if s := j.summary(fn); s != nil {
			return []string{s.Name}
		}
		if s := j.pkg.All[fn.String()]; s != nil {
			return []string{s.Name}
		}
		return nil
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if class := declared(v.X); class != "" {
			return []string{same + class}
		}
	case *ssa.Parameter:
		return j.handed(v)
	}
	return nil
}

// same begins the name of a field or global from which another one is copied: what
// is stored in the one is in the other.
const same = "= "

// handed names the functions that the callers in the package pass for a parameter.
func (j *judge) handed(p *ssa.Parameter) []string {
	var out []string
	for _, h := range j.origins(p, nil) {
		if _, further := h.val.(*ssa.Parameter); !further {
			out = append(out, j.functions(h.val)...)
		}
	}
	return out
}

// summary finds the summary of a function of this package.
func (j *judge) summary(fn *ssa.Function) *flow.Summary {
	p := j.pass.Fset.Position(fn.Pos())
	for _, s := range j.pkg.Own {
		if s.Pos.File == p.Filename && s.Pos.Line == p.Line && s.Pos.Col == p.Column {
			return s
		}
	}
	return nil
}

// fieldClass is the declaration of a field: "path.Type.field".
func fieldClass(fa *ssa.FieldAddr) string {
	t := fa.X.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return libs.Path(t) + "." + libs.TypeName(t) + "." + place.FieldOf(fa.X.Type(), fa.Field).Name()
}

// called looks at a call under a lock whose target only the program knows: a
// function in a field, or a method behind an interface.
func (j *judge) called(s *flow.Summary, e *flow.Event) {
	o := open{Iface: e.Iface, Method: e.Method, Field: strings.TrimRight(e.On.Class, "[]"), Made: innermost(e)}
	for _, h := range e.Held {
		held := &s.Events[h]
		if from := class(held); from != "" && (o.Iface != "" || o.Field != "") {
			o.Inward, o.Call = inward(held, e), e.Site[0]
			o.Edge = edge{From: from, At: j.at(e), Held: innermost(held), Under: j.under(s, e, h), Func: s.Name, FromRead: held.Op == libs.RLock}
			j.open = append(j.open, o)
		}
	}
}

// open is a call under a lock whose target only the program knows. Edge lacks
// the lock that the target takes.
type open struct {
	Iface, Method string   // a method of an interface,
	Field         string   // or a function in a field; of an interface the field that has it
	Inward        bool     // the holder of the lock calls what it has itself
	Call          flow.Pos // what leads to it, in the function that holds the lock
	Made          flow.Pos // the call itself
	Edge          edge
}

// closed finds the targets of the calls under locks, and returns those calls that
// this package makes itself: its importers have more targets.
func (j *judge) closed() (mine []open) {
	for _, o := range j.open {
		if j.mine(o.Edge) {
			mine = append(mine, o)
		}
		for _, name := range j.targets(o) {
			if t := j.named(name); t != nil && !wraps(t, o) {
				j.through(o, t)
			}
		}
	}
	return mine
}

// wraps tells whether a method behind an interface makes the very call itself, on
// what it wraps: the call is then of the thing inside, and not of one more wrapper
// around the same.
func wraps(target *flow.Summary, o open) bool {
	return o.Iface != "" && slices.ContainsFunc(target.Events, func(e flow.Event) bool {
		return e.Op == libs.Calls && e.Iface == o.Iface && innermost(&e) == o.Made
	})
}

// named finds the summary of a function, here or in an import.
func (j *judge) named(name string) *flow.Summary {
	for _, s := range j.pkg.Own {
		if s.Name == name {
			return s
		}
	}
	return j.pkg.All[name]
}

// targets are the functions that an unresolved call can reach.
func (j *judge) targets(o open) []string {
	if o.Iface == "" {
		return j.contents(o.Field, map[string]bool{})
	}
	var out []string
	for _, i := range append(j.impls, j.pkg.Impls...) {
		if name := i.Type + "." + o.Method; i.Iface == o.Iface && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// contents are the functions in a field or global, and in those that it is copied
// from.
func (j *judge) contents(field string, seen map[string]bool) (out []string) {
	if seen[field] {
		return nil
	}
	seen[field] = true
	for _, name := range j.fields[field] {
		if from, copied := strings.CutPrefix(name, same); copied {
			out = append(out, j.contents(from, seen)...)
		} else {
			out = append(out, name)
		}
	}
	return out
}

// joined are the types of other packages that this one hands over as an interface
// of yet another: neither of the two may know the other.
func (j *judge) joined() []flow.Impl {
	var out []flow.Impl
	for _, fn := range j.pkg.Funcs {
		cfg.Each(fn, func(in ssa.Instruction) {
			mi, ok := in.(*ssa.MakeInterface)
			if ok && libs.TypeName(mi.Type()) != "" && libs.TypeName(mi.X.Type()) != "" {
				out = append(out, flow.Impl{Type: "(" + mi.X.Type().String() + ")", Iface: libs.Path(mi.Type()) + "." + libs.TypeName(mi.Type())})
			}
		})
	}
	return out
}

// through notes that a callback takes locks under what its caller holds.
func (j *judge) through(o open, target *flow.Summary) {
	for k := range target.Events {
		l := &target.Events[k]
		to := class(l)
		if l.Op != libs.Lock && l.Op != libs.RLock || l.Async || l.Later || to == "" {
			continue
		}
		if to == o.Edge.From {
			j.backAgain(o, target, l)
			continue
		}
		e := o.Edge
		e.To, e.Through, e.Inner, e.ToRead = to, target.Name, innermost(l), l.Op == libs.RLock
		if !slices.ContainsFunc(j.all, func(o edge) bool { return o.At == e.At && o.From == e.From && o.To == e.To }) {
			j.own = append(j.own, e) // and no import has found it
		}
	}
}
