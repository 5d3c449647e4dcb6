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
		if d.Via != "" {
			e.Via = d.Via
		}
		if d.Given != "" {
			e.Given = d.Given
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
			q.Over, q.May = p.Over || q.Over, p.May || q.May
			out = add(out, q)
		}
	}
	return out
}
