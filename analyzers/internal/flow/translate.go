package flow

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// value translates a value.
func (f *frame) value(v Value) Value { return f.valueAt(v, 0) }

// nested is the number of levels of lists and captured variables in each other
// that are kept: a visitor that is handed down a tree would have no end.
const nested = 3

func (f *frame) valueAt(v Value, level int) Value {
	w := Value{From: f.parts(v.From), Order: f.order(v.Order)}
	if level >= nested {
		w.Desc = f.desc(v.Desc)
		return w
	}
	if v.Root == Param {
		a := f.arg(v.N, v.Path)
		w.Elems, w.Bound, w.Parts = shallow(a.Elems, level+1), shallow(a.Bound, level+1), a.Parts
		w.Order = w.and(a.Order)
	}
	w.Desc = f.desc(v.Desc)
	for p, d := range v.Parts {
		if w.Parts == nil || v.Root != Param {
			w.Parts = cloneParts(w.Parts)
		}
		w.Parts[p] = f.desc(d)
	}
	if v.Elems != nil {
		w.Elems = f.valuesAt(v.Elems, level+1)
	}
	if v.Bound != nil {
		w.Bound = f.valuesAt(v.Bound, level+1)
	}
	return w
}

// order is the order of a list in the caller's words.
func (f *frame) order(o Order) Order {
	if o.As == 0 {
		return o
	}
	return Order{Shuffled: o.Shuffled, Sorted: o.Sorted}.and(f.arg(o.As-1, "").Order)
}

// shallow cuts values off below the levels that are kept.
func shallow(vs []Value, level int) []Value {
	deeper := false
	for i := range vs {
		deeper = deeper || vs[i].Elems != nil || vs[i].Bound != nil
	}
	if !deeper {
		return vs
	}
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = v
		if level >= nested {
			out[i].Elems, out[i].Bound = nil, nil
			continue
		}
		out[i].Elems, out[i].Bound = shallow(v.Elems, level+1), shallow(v.Bound, level+1)
	}
	return out
}

func cloneParts(m map[string]Desc) map[string]Desc {
	out := make(map[string]Desc, len(m)+1)
	for k, d := range m {
		out[k] = d
	}
	return out
}

func (f *frame) values(vs []Value) []Value { return f.valuesAt(vs, 0) }

func (f *frame) valuesAt(vs []Value, level int) []Value {
	if vs == nil {
		return nil
	}
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = f.valueAt(v, level)
	}
	return out
}

// places are the call sites from the caller inwards.
func (f *frame) places(site []Pos) []Pos {
	if f.inline {
		return site
	}
	return append(f.way[:len(f.way):len(f.way)], site...)
}

// event translates an event; index, conditions of the site, locks and loops of
// the caller are added by whoever folds.
func (f *frame) event(e *Event) Event {
	n := *e
	n.Site = f.places(e.Site)
	n.On, n.Key, n.Val = f.value(e.On), f.value(e.Key), f.value(e.Val)
	if memory[e.Op] {
		n.On.Desc = f.located(e.On.Desc, n.On.Desc)
	}
	if n.Handle == libs.AnyHandle && n.On.Handle > libs.AnyHandle {
		n.Handle = n.On.Handle
	}
	n.Args, n.Ctx = f.values(e.Args), f.desc(e.Ctx)
	if n.Spread && len(n.Args) > 0 {
		if last := n.Args[len(n.Args)-1]; last.Elems != nil {
			n.Args = append(n.Args[:len(n.Args)-1:len(n.Args)-1], last.Elems...)
			n.Spread = false
		} else {
			n.Spread = last.Root == Param
		}
	}
	if n.SQL == "" || strings.Contains(n.SQL, hole) && n.SQL == textOf(e.Key.Desc) { // the caller may know the rest
		n.SQL = textOf(n.Key.Desc)
	}
	n.spellOut()
	n.Conds = f.conds(e.Conds)
	n.Held = f.indexes(e.Held)
	n.Loop = f.loops(e.Loop)
	n.Then = nil
	if f.under != "" {
		n.Under = append(n.Under[:len(n.Under):len(n.Under)], f.under)
	}
	if f.outer != nil {
		n.inherit(f.caller())
	}
	return n
}

// located is a place in memory in the caller's words: behind what others share,
// a field stays that field, whatever the caller knows to be in it.
func (f *frame) located(d, translated Desc) Desc {
	if d.Root != Param || d.N >= len(f.args) || !shared(f.args[d.N].Desc) {
		return translated
	}
	e := f.args[d.N].Desc.Part(d.Path)
	e.Class, e.Handle, e.Via, e.Given = translated.Class, translated.Handle, translated.Via, translated.Given
	if d.Class != "" && d.Path != "" {
		e.Class = d.Class
	}
	return e
}

func (f *frame) loops(ls []Loop) []Loop {
	out := make([]Loop, 0, len(ls))
	for _, l := range ls {
		l.Over = f.value(l.Over)
		out = append(out, l)
	}
	return out
}

// caller is the event of the call behind which this frame was found.
func (f *frame) caller() *Event {
	if f.around == nil {
		e := f.outer.event(&f.outer.sum.Events[f.call])
		f.around = &e
	}
	return f.around
}

// inherit adds what holds at the call behind which an event was found: locks,
// branches and loops around it.
func (e *Event) inherit(call *Event) {
	e.Held = merge(call.Held, e.Held)
	for _, c := range call.Conds {
		e.Conds = addCond(e.Conds, c)
	}
	e.Loop = append(call.Loop[:len(call.Loop):len(call.Loop)], e.Loop...)
	e.Under = append(call.Under[:len(call.Under):len(call.Under)], e.Under...)
	e.Async, e.Deferred, e.Later = e.Async || call.Async, e.Deferred || call.Deferred, e.Later || call.Later
}

// at is the place in the caller that led to the callee.
func (f *frame) at() Pos {
	if len(f.way) == 0 {
		return f.sum.Pos
	}
	return f.way[0]
}

func (f *frame) conds(cs []Cond) []Cond {
	var out []Cond
	for _, c := range cs {
		for _, p := range f.source(c.Source) {
			if p.Source != none {
				out = addCond(out, Cond{Source: p.Source, Test: testOf(c.Test, p.Source), Pos: c.Pos, Text: c.Text, Yes: c.Yes, Itself: c.Itself && !p.Calc, Quiet: c.Quiet, Refused: c.Refused})
			}
		}
	}
	return out
}

// testOf adapts a test of a parameter or result to what it turned out to be: an
// error that was chosen because of a value is a decision about that value.
func testOf(t Test, s Source) Test {
	errTest := t == NoErr || t == Err || t == Absent || t == Present
	switch {
	case !errTest || isErrPath(s.Path) || isCallPath(s.Path):
		return t
	case strings.HasSuffix(s.Path, taken):
		if t == NoErr || t == Present {
			return Absent
		}
		return Present
	case strings.HasSuffix(s.Path, ".absent"):
		if t == NoErr || t == Present {
			return Present
		}
		return Absent
	case s.Event < 0:
		return t
	}
	return Decides
}

// taken ends the path of an error that says that something was found.
const taken = ".taken.absent"

func isErrPath(path string) bool { return strings.Contains(path, ".err") }

// isCallPath reports whether the path begins with an unresolved call's result.
func isCallPath(path string) bool {
	return strings.HasPrefix(path, ".#") && !strings.Contains(path[2:], ".")
}

func addCond(cs []Cond, c Cond) []Cond {
	for i, d := range cs {
		if d.Source == c.Source && d.Test == c.Test {
			if d.Quiet && !c.Quiet || c.Refused && !d.Refused {
				cs = slices.Clone(cs)
				cs[i].Quiet, cs[i].Refused = d.Quiet && c.Quiet, d.Refused || c.Refused
			}
			return cs
		}
	}
	if len(cs) >= enough {
		return cs
	}
	return append(cs, c)
}

func (f *frame) indexes(is []int) []int {
	var out []int
	for _, i := range is {
		if i < len(f.index) && f.index[i] >= 0 {
			out = append(out, f.index[i])
		}
	}
	return out
}
