package memcheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
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
