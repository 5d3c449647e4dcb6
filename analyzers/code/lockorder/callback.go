package lockorder

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// stored lists the functions that the package stores in fields and globals of
// function type, and in lists and maps of such.
func (j *judge) stored() map[string][]string {
	fields := map[string][]string{}
	add := func(addr, val ssa.Value) {
		if class := declared(addr); class != "" {
			fields[class] = append(fields[class], j.functions(val)...)
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
			}
		})
	}
	return fields
}

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
		return nil
	}
	p, ok := v.(*ssa.Parameter)
	if !ok {
		return nil
	}
	var out []string
	for _, c := range j.calls.Calls(p.Parent()) {
		for i, q := range p.Parent().Params {
			if q != p || i >= len(c.Common().Args) {
				continue
			}
			if fn := callers.Function(c.Common().Args[i]); fn != nil {
				if s := j.summary(fn); s != nil {
					out = append(out, s.Name)
				}
			}
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
	for _, name := range j.targets(e) {
		t := j.pkg.All[name]
		for _, o := range j.pkg.Own {
			if o.Name == name {
				t = o
			}
		}
		if t == nil {
			continue
		}
		for k := range t.Events {
			if l := &t.Events[k]; (l.Op == libs.Lock || l.Op == libs.RLock) && !l.Async && !l.Later {
				j.through(s, e, l, t.Name)
			}
		}
	}
}

// targets are the functions that an unresolved call can reach.
func (j *judge) targets(e *flow.Event) []string {
	if e.Iface == "" {
		return j.fields[strings.TrimSuffix(e.On.Class, "[]")]
	}
	var out []string
	for _, i := range j.pkg.Impls {
		if i.Iface == e.Iface {
			out = append(out, i.Type+"."+e.Method)
		}
	}
	return out
}

// through notes that a callback takes a lock under what its caller holds.
func (j *judge) through(s *flow.Summary, e, l *flow.Event, target string) {
	for _, h := range e.Held {
		held := &s.Events[h]
		from, to := class(held), class(l)
		if from == "" || to == "" || from == to {
			continue
		}
		j.own = append(j.own, edge{From: from, To: to, At: j.at(e), Held: innermost(held), Under: j.under(s, e, h), Func: s.Name, Through: target, FromRead: held.Op == libs.RLock, ToRead: l.Op == libs.RLock})
	}
}
