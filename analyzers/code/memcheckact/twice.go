package memcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// askedTwice tells whether the answer of the check is asked once more, under the lock
// of the act, though it cannot have changed: a second look was meant, and two callers
// were to do the work once, whatever it gives them.
//
//	mu.RLock(); v, ok := m[k]; mu.RUnlock()
//	if ok { return v }
//	mu.Lock()
//	if ok { return v } // that of before
func askedTwice(s *flow.Summary, i, j int) bool {
	return slices.ContainsFunc(s.Events[j].Held, func(lock int) bool {
		before := s.Events[lock].Conds
		return s.After(i, lock) && slices.ContainsFunc(before, func(first flow.Cond) bool {
			return first.Event == i && slices.ContainsFunc(s.Events[j].Conds, func(c flow.Cond) bool {
				return again(first, c) && !slices.ContainsFunc(before, func(b flow.Cond) bool { return b.Pos == c.Pos })
			})
		})
	})
}

// again tells whether two branches ask the same of one answer, and come out alike.
func again(a, b flow.Cond) bool {
	textA, yesA := equality(a)
	textB, yesB := equality(b)
	return a.Source == b.Source && a.Test == b.Test && textA == textB && yesA == yesB && a.Itself && b.Itself
}

// equality writes "!= nil" as what is not "== nil".
func equality(c flow.Cond) (text string, yes bool) {
	if with, unequal := strings.CutPrefix(c.Text, "!="); unequal {
		return "==" + with, !c.Yes
	}
	return c.Text, c.Yes
}

// told tells whether what is stored is asked for, told to somebody, or counted, under a
// lock that was taken after the check, and because of it: the lock is there so that this
// happens once, and who waited for it does it again.
//
//	if p := cur.Load(); p != nil { return p }
//	mu.Lock(); defer mu.Unlock()
//	p := read(); made++; onNew(p); cur.Store(p)
func told(s *flow.Summary, i, j int) bool {
	act := &s.Events[j]
	for k := range s.Events {
		e := &s.Events[k]
		if k == j || !s.After(i, k) || !lockedSince(s, i, k, act) || !pair.Decides(s, i, k, func(flow.Cond) bool { return true }) {
			continue
		}
		answer := e.Op == libs.Calls && !clock.MatchString(called(e)) && slices.ContainsFunc(act.Val.From, func(p flow.Part) bool { return p.Event == k && !p.Calc && p.Source.Path != ".err" })
		if answer || e.Op == libs.Store && counted(s, k) || e.Op == libs.Calls && e.Method == "" && slices.ContainsFunc(e.Args, func(v flow.Value) bool { return amongOf(v, act) }) {
			return true
		}
	}
	return false
}

// clock are names of fields and methods that tell the time, which everybody is told.
var clock = regexp.MustCompile(`(?i)(now|clock|time)$`)

// lockedSince tells whether event k holds a lock of the act that was taken after event i.
func lockedSince(s *flow.Summary, i, k int, act *flow.Event) bool {
	return slices.ContainsFunc(s.Events[k].Held, func(l int) bool { return slices.Contains(act.Held, l) && s.After(i, l) })
}

// counted tells whether a store counts on what it has read.
func counted(s *flow.Summary, k int) bool {
	e := &s.Events[k]
	return e.Val.Root == flow.Expr && slices.ContainsFunc(e.Val.From, func(p flow.Part) bool {
		return p.Calc && p.Event >= 0 && s.Events[p.Event].Op == libs.Load && s.Events[p.Event].On.String() == e.On.String()
	})
}

// amongOf tells whether a value is what the act stores, by name or by where it came from.
func amongOf(v flow.Value, act *flow.Event) bool {
	return v.Same(act.Val.Desc) || slices.ContainsFunc(v.From, func(p flow.Part) bool {
		return p.Event >= 0 && !p.Calc && slices.ContainsFunc(act.Val.From, func(q flow.Part) bool { return q.Source == p.Source })
	})
}
