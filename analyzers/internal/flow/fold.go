package flow

import (
	"slices"
	"strconv"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// fold puts the events of a callee behind those of this function. args gives
// its arguments and what it captured; it is asked again when the sources of
// the site's values are known.
func (m *maker) fold(s *site, sum *Summary, args func() []Value) *frame {
	lit := m.closure[sum.Name] != nil
	f := &frame{sum: sum, way: []Pos{m.pos(s.instr)}, inline: lit, again: args, args: args(), locals: m.fn.Name() + "@" + strconv.Itoa(len(m.order)) + "."}
	sum.Folded = sum.Folded || lit
	m.foldEvents(s, f, 0)
	s.frames = append(s.frames, f)
	return f
}

// deepest is the number of function values inside of function values that are
// followed.
const deepest = 6

func (m *maker) foldEvents(s *site, f *frame, depth int) {
	f.index = make([]int, len(f.sum.Events))
	for i := range f.sum.Events {
		f.index[i] = -1
		if f.switchedOff(&f.sum.Events[i]) {
			continue
		}
		e := f.event(&f.sum.Events[i])
		if fn := m.resolved(&e); fn != nil && depth < deepest {
			m.foldValue(s, f, i, fn, depth)
			continue
		}
		if len(m.sum.Events) < tooMany && !m.private(&e) {
			f.index[i] = len(m.sum.Events)
			m.origins[f.index[i]] = origin{f, i, s}
			m.push(s, e)
		}
	}
}

// switchedOff reports whether an event is behind a branch on a switch that the
// caller sets the other way: close(ctx, true), where close locks if !skipLock.
func (f *frame) switchedOff(e *Event) bool {
	return slices.ContainsFunc(e.Conds, func(c Cond) bool {
		if c.Event >= 0 || c.Param < 0 || c.Param >= len(f.args) || c.Path != "" || c.Calc || !c.Itself || c.Test != Decides || c.Text != "" {
			return false
		}
		given := f.args[c.Param].Desc
		return given.Root == Const && (given.Name == "true" && !c.Yes || given.Name == "false" && c.Yes)
	})
}

// foldValue folds the function behind a call that the callee could not resolve.
func (m *maker) foldValue(s *site, f *frame, i int, fn *Summary, depth int) {
	lit := m.closure[fn.Name] != nil
	args := func() []Value {
		old := &f.sum.Events[i]
		return bind(f.value(old.On), fn, f.values(old.Args))
	}
	g := &frame{sum: fn, way: f.places(f.sum.Events[i].Site), inline: lit, again: args, args: args(), locals: f.locals + strconv.Itoa(i) + ".", outer: f, call: i}
	if f.calls == nil {
		f.calls = map[int]*frame{}
	}
	f.calls[i] = g
	fn.Folded = fn.Folded || lit
	m.foldEvents(s, g, depth+1)
}

// origin is where a folded event comes from.
type origin struct {
	frame *frame
	index int
	site  *site
}

// resolved is the function behind an unresolved call of a function value.
func (m *maker) resolved(e *Event) *Summary {
	if e.Op != libs.Calls || e.Iface != "" {
		return nil
	}
	return m.function(e.On.Desc)
}
