// Package pair asks what the analyzers of check-then-act ask about two events
// of one function: does the act depend on the check, and does one lock cover
// both?
//
// It knows nothing about what the events are: maps, files and keys are the
// analyzers' matter.
package pair

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// Ours tells whether the two ends come together in this function: the second
// can follow the first, and they are reached from different places in it.
func Ours(s *flow.Summary, i, j int) bool {
	return i != j && s.After(i, j) && s.Local(i, j)
}

// Decides tells whether event j happens because of what event i answered: a
// branch on the answer leads to it, and the question is one that ask accepts.
func Decides(s *flow.Summary, i, j int, ask func(flow.Cond) bool) bool {
	return slices.ContainsFunc(s.Events[j].Conds, func(c flow.Cond) bool { return c.Event == i && ask(c) })
}

// Computed tells whether the value that event j stores was computed from what
// event i answered, or is that answer with a part changed.
func Computed(s *flow.Summary, i, j int) bool {
	from := s.Events[j].Val.From
	changed := slices.ContainsFunc(from, func(p flow.Part) bool { return p.Over })
	return slices.ContainsFunc(from, func(p flow.Part) bool { return p.Event == i && (p.Calc || changed) })
}

// Locked tells whether one lock is held from event i to event j.
func Locked(s *flow.Summary, i, j int) bool {
	return slices.ContainsFunc(s.Events[i].Held, func(l int) bool { return slices.Contains(s.Events[j].Held, l) })
}

// Looked tells whether somebody looks again between the two: an event that
// again accepts, after i, on which j depends, and which a lock covers together
// with j.
func Looked(s *flow.Summary, i, j int, again func(k int) bool) bool {
	for k := range s.Events {
		if k == i || k == j || !s.After(i, k) || !s.After(k, j) || !again(k) || !Locked(s, k, j) {
			continue
		}
		if Decides(s, k, j, func(c flow.Cond) bool { return !asked(s, k, c) }) {
			return true
		}
	}
	return false
}

// asked tells whether a branch lies before event k, so that what k answers
// cannot have decided it. The branches of a range and of a select have no place of
// their own, and get that of the function: what they ask tells them apart.
func asked(s *flow.Summary, k int, branch flow.Cond) bool {
	return slices.ContainsFunc(s.Events[k].Conds, func(c flow.Cond) bool {
		return c.Pos == branch.Pos && (c.Pos != s.Pos || c.Source == branch.Source && c.Text == branch.Text)
	})
}

// Returned tells whether the function hands its caller what event i answered.
func Returned(s *flow.Summary, i int) bool {
	for _, r := range s.Results {
		if slices.ContainsFunc(r, func(p flow.Part) bool {
			return p.Event == i && !p.Calc && p.Source.Path != ".err" && p.Source.Path != ".absent"
		}) {
			return true
		}
	}
	return false
}

// Alone tells whether a function of which all callers are in the package is
// called with a guard around both events, every time.
func Alone(own []*flow.Summary, s *flow.Summary, i, j int, guarded func(*flow.Summary, int, int) bool) bool {
	if s.Exported {
		return false
	}
	called := false
	for _, t := range own {
		if t == s || t.Folded {
			continue
		}
		a, b := seenFrom(t, &s.Events[i]), seenFrom(t, &s.Events[j])
		for k := range min(len(a), len(b)) {
			called = true
			if !guarded(t, a[k], b[k]) && !Alone(own, t, a[k], b[k], guarded) {
				return false
			}
		}
	}
	return called
}

// seenFrom lists the events of t that are e, reached through a call.
func seenFrom(t *flow.Summary, e *flow.Event) []int {
	var out []int
	for i := range t.Events {
		site := t.Events[i].Site
		if len(site) > len(e.Site) && slices.Equal(site[len(site)-len(e.Site):], e.Site) {
			out = append(out, i)
		}
	}
	return out
}

// Act is where the pair is reported: the place in this function that leads to
// the act. Check is the statement that checks.
func Act(s *flow.Summary, j int) flow.Pos { return s.Events[j].Site[0] }

// Check is the innermost place of an event.
func Check(s *flow.Summary, i int) flow.Pos {
	site := s.Events[i].Site
	return site[len(site)-1]
}
