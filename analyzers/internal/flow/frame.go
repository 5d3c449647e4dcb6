package flow

import (
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// frame is one callee folded into a caller: it translates what the summary of
// the callee says into the caller's words.
type frame struct {
	sum    *Summary
	way    []Pos // call sites that lead to it from the caller
	inline bool  // a function literal of the caller: its places are the caller's
	args   []Value
	again  func() []Value // the arguments, with the sources that are known by now
	index  []int          // event of the callee: event of the caller
	calls  map[int]*frame // calls that the callee could not resolve and the caller can
	under  string         // the stranger that calls it
	locals string         // distinguishes the callee's locals
	// outer is the frame with the unresolved call behind which this one was
	// found, call its event; nil for a callee that was known at once.
	outer  *frame
	call   int
	around *Event            // the caller, once it was asked for
	known  map[Source][]Part // sources that were translated
}

// arg is a parameter's value in the caller's words.
func (f *frame) arg(k int, path string) Value {
	if k < 0 || k >= len(f.args) {
		return Value{}
	}
	return f.args[k].Part(path)
}

// desc translates a description.
func (f *frame) desc(d Desc) Desc {
	switch d.Root {
	case Param:
		e := f.arg(d.N, d.Path).Desc
		if d.Class != "" && d.Path != "" {
			e.Class = d.Class
		}
		if d.Handle > libs.AnyHandle || e.Handle == libs.NoHandle {
			e.Handle = d.Handle
		}
		return e
	case Result:
		return f.result(d)
	case Local:
		d.Name = f.locals + d.Name
	case Func, Expr, Unknown:
		d.Args = f.descs(d.Args)
		if d.size() > large {
			return d.cut()
		}
	}
	return d
}

// cut is a description that has become too large to be written out: a function
// keeps its name, everything else is no longer known.
func (d Desc) cut() Desc {
	if d.Root == Func {
		d.Args = nil
		return d
	}
	return Desc{Handle: d.Handle}
}

func (f *frame) descs(ds []Desc) []Desc {
	if len(ds) == 0 {
		return nil
	}
	out := make([]Desc, len(ds))
	for i, d := range ds {
		out[i] = f.desc(d)
	}
	return out
}

// result translates what an event answered. The answer of a call that is
// resolved now is what the resolved function returns.
func (f *frame) result(d Desc) Desc {
	if g := f.calls[d.N]; g != nil {
		k, rest, ok := resultNumber(d.Path)
		if !ok || k >= len(g.sum.Descs) {
			return Desc{}
		}
		return g.desc(g.sum.Descs[k].Part(rest))
	}
	if d.N >= len(f.index) || f.index[d.N] < 0 {
		return Desc{}
	}
	d.N = f.index[d.N]
	return d
}

// resultNumber cuts ".#1.used" into 1 and ".used".
func resultNumber(path string) (k int, rest string, ok bool) {
	if !strings.HasPrefix(path, ".#") {
		return 0, "", false
	}
	end := 2
	for end < len(path) && path[end] >= '0' && path[end] <= '9' {
		end++
	}
	k, err := strconv.Atoi(path[2:end])
	return k, path[end:], err == nil
}

// source translates a source; it can become none, or several. Nobody may change
// the answer, which is given again.
func (f *frame) source(s Source) []Part {
	if s == none {
		return nothing
	}
	if parts, ok := f.known[s]; ok {
		return parts
	}
	parts := f.translate(s)
	if f.known == nil {
		f.known = map[Source][]Part{}
	}
	f.known[s] = parts
	return parts
}

var nothing = []Part{{Source: none}}

func (f *frame) translate(s Source) []Part {
	var parts []Part
	switch {
	case s.Event < 0:
		parts = f.arg(s.Param, s.Path).From
	case f.calls[s.Event] != nil:
		parts = f.calls[s.Event].answer(s.Path)
	case s.Event < len(f.index) && f.index[s.Event] >= 0:
		s.Event = f.index[s.Event]
		return []Part{{Source: s}}
	}
	if s.Calc {
		return calculated(parts)
	}
	return parts
}

// answer is what a resolved call returned, by the path of the unresolved one.
func (f *frame) answer(path string) []Part {
	k, rest, ok := resultNumber(path)
	if ok && k < len(f.sum.Results) {
		return pick(f.parts(f.sum.Results[k]), rest)
	}
	if arg, found := strings.CutPrefix(path, ".@"); found {
		k, rest, _ = resultNumber(".#" + arg)
		var parts []Part
		for _, o := range f.sum.Outs {
			if o.Param == k {
				parts = add(parts, at(o.Path, f.parts(o.From), false)...)
			}
		}
		return pick(parts, rest)
	}
	return nil
}

// parts translates the sources of a value.
func (f *frame) parts(ps []Part) []Part {
	var out []Part
	for _, p := range ps {
		for _, q := range f.source(p.Source) {
			q.Path = short(p.Path + q.Path)
			q.Over = p.Over || q.Over
			out = add(out, q)
		}
	}
	return out
}

// value translates a value.
func (f *frame) value(v Value) Value { return f.valueAt(v, 0) }

// nested is the number of levels of lists and captured variables in each other
// that are kept: a visitor that is handed down a tree would have no end.
const nested = 3

func (f *frame) valueAt(v Value, level int) Value {
	w := Value{From: f.parts(v.From)}
	if level >= nested {
		w.Desc = f.desc(v.Desc)
		return w
	}
	if v.Root == Param {
		a := f.arg(v.N, v.Path)
		w.Elems, w.Bound, w.Parts = shallow(a.Elems, level+1), shallow(a.Bound, level+1), a.Parts
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
	if n.Handle == libs.AnyHandle && n.On.Handle > libs.AnyHandle {
		n.Handle = n.On.Handle
	}
	n.Args = f.values(e.Args)
	if n.Spread && len(n.Args) > 0 {
		if last := n.Args[len(n.Args)-1]; last.Elems != nil {
			n.Args = append(n.Args[:len(n.Args)-1:len(n.Args)-1], last.Elems...)
			n.Spread = false
		} else {
			n.Spread = last.Root == Param
		}
	}
	if n.SQL == "" {
		n.SQL = textOf(n.Key.Desc)
	}
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
				out = addCond(out, Cond{Source: p.Source, Test: testOf(c.Test, p.Source), Pos: c.Pos, Text: c.Text, Yes: c.Yes})
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

func isErrPath(path string) bool { return strings.Contains(path, ".err") }

// isCallPath reports whether the path begins with an unresolved call's result.
func isCallPath(path string) bool {
	return strings.HasPrefix(path, ".#") && !strings.Contains(path[2:], ".")
}

func addCond(cs []Cond, c Cond) []Cond {
	for _, d := range cs {
		if d.Source == c.Source && d.Test == c.Test {
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
