package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// fill gives the events what could not be known before all sources had flowed.
func (m *maker) fill() {
	for _, s := range m.order {
		m.refresh(s)
	}
	for _, s := range m.order {
		m.fillSite(s)
	}
	m.sequence()
	m.hold()
	m.asks()
	m.askDeaf()
}

func (m *maker) fillSite(s *site) {
	conds := m.conds(s.instr)
	var loops []Loop
	for _, l := range m.loops {
		if l.body[s.instr.Block()] {
			loops = append(loops, m.describe(l))
		}
	}
	loops = append(loops, m.around(s)...)
	for _, i := range s.events {
		e := &m.sum.Events[i]
		if o, ok := m.origins[i]; ok {
			m.refold(e, o)
		} else {
			m.refill(s, e)
		}
		for _, c := range conds {
			e.Conds = addCond(e.Conds, c)
		}
		e.Loop = append(loops[:len(loops):len(loops)], e.Loop...)
	}
}

// refold translates a folded event again, now with sources.
func (m *maker) refold(e *Event, o origin) {
	n := o.frame.event(&o.frame.sum.Events[o.index])
	n.Deferred, n.Async, n.Later = e.Deferred, e.Async, e.Later
	*e = n
}

// refill brings the values of an event of this function up to date.
func (m *maker) refill(s *site, e *Event) {
	for i := range s.values {
		v := s.values[i]
		for _, w := range []*Value{&e.On, &e.Key, &e.Val} {
			if w.Root == v.Root && w.String() == v.String() && len(w.From) == 0 {
				w.From, w.Bound = v.From, v.Bound
			}
		}
	}
	if m.refillMemory(s, e) {
		return
	}
	call, ok := s.instr.(ssa.CallInstruction)
	if !ok || s.row == nil {
		if e.Op == libs.Calls && s.row == nil {
			e.Args = s.values[:min(len(e.Args), len(s.values))]
		}
		return
	}
	if s.row.Note == "command" {
		m.command(s, e)
	} else if s.row.Note == "words" {
		m.spelled(s, e)
	} else if e.Op == s.row.Op && runsSQL(e.Op) && m.rendered(s, s.row, call.Common(), e) {
		return
	} else if s.row.Args != libs.None && e.Op == s.row.Op {
		e.Args, e.Spread = m.boundValues(s, m.position(s.row, s.row.Args, call.Common()))
	} else if s.row.Key == libs.None && e.Op == s.row.Op && runsSQL(e.Op) {
		m.built(s, s.row, e)
	}
}

func runsSQL(op libs.Op) bool { return op == libs.Query || op == libs.Exec || op == libs.Prepare }

// refillMemory does so for the events of maps, globals and fields.
func (m *maker) refillMemory(s *site, e *Event) bool {
	switch in := s.instr.(type) {
	case *ssa.Lookup:
		e.Key = m.value(in.Index, in)
	case *ssa.MapUpdate:
		e.Key, e.Val = m.value(in.Key, in), m.value(in.Value, in)
	case *ssa.Store:
		e.Val = m.value(in.Val, in)
	case *ssa.Range, *ssa.UnOp:
	default:
		return false
	}
	return true
}

// sequence notes which events can follow which. In a long function most sites have
// none, since the summary is full.
func (m *maker) sequence() {
	told := slices.DeleteFunc(slices.Clone(m.order), func(s *site) bool { return len(s.events) == 0 })
	for _, s := range told {
		for _, t := range told {
			if s != t && !m.follows(s, t) {
				continue
			}
			for _, i := range s.events {
				for _, j := range t.events {
					if s == t && !m.follows(s, s) && !m.inside(i, j) {
						continue
					}
					if i != j || m.follows(s, t) {
						m.sum.Events[i].Then.Set(j)
					}
				}
			}
		}
	}
}

// inside reports whether j can follow i in what one site folds.
func (m *maker) inside(i, j int) bool {
	a, okA := m.origins[i]
	b, okB := m.origins[j]
	if okA && okB && a.frame == b.frame {
		return a.frame.sum.After(a.index, b.index)
	}
	return i < j
}

func (m *maker) follows(s, t *site) bool {
	a, b := s.instr.Block(), t.instr.Block()
	switch {
	case t.defers && !s.defers:
		return t.instr.Block().Dominates(a) || m.ctl.reach[a.Index].Has(b.Index) || m.ctl.reach[b.Index].Has(a.Index) || a == b
	case s.defers && !t.defers:
		return false
	case a == b && s != t && before(s.instr, t.instr):
		return true
	}
	return m.ctl.reach[a.Index].Has(b.Index)
}
