package memcheckact

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// fitted finds the first element of a list that an atomic of its own says has room, or
// is free, where this atomic is counted up or set later: two callers can fit in at once.
//
//	for _, h := range hosts { if h.conns.Load() < h.max { return h } }
//	h.conns.Add(1) // in the caller
//
// One that looks at all elements for the least of them prefers, and keeps nobody out.
func fitted(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		act := &s.Events[j]
		if !ofElement(act) {
			continue
		}
		for i := range s.Events {
			e := &s.Events[i]
			if e.Op == libs.Load && e.Note == "atomic" && e.On.String() == act.On.String() && pair.Ours(s, i, j) && occupies(s, i, j) && passesOver(s, i, j) && fits(s, i, j) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// ofElement tells whether an event changes an atomic of an element of a list that is
// shared, and not when the function ends.
func ofElement(e *flow.Event) bool {
	all, field := element(e.On.Desc)
	return field != "" && e.Note == "atomic" && acts(e.Op) && !e.Deferred && shared(all)
}

// takenName are flags of what one can have at a time; one that says that an element is
// down keeps nobody else out.
var takenName = regexp.MustCompile(`(?i)(busy|in_?use|taken|claimed|reserved|running|used|locked|occupied|assigned|leased|acquired|working)$`)

// occupies tells whether event j counts up what event i has loaded, or sets it to taken.
func occupies(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	if e.Op == libs.Store {
		return e.Val.Root == flow.Const && takenName.MatchString(e.On.Path) && !outcome(s, i, j)
	}
	return adds(s, i, j) && !strings.HasPrefix(e.Val.Name, "-")
}

// passesOver tells whether what event i finds is the reason why the loop goes on to the
// next element, as it will when event j has happened: it asks for one that will do, and
// not for the best.
func passesOver(s *flow.Summary, i, j int) bool {
	act := &s.Events[j]
	return len(s.Events[i].Loop) > 0 && pair.Decides(s, i, i, func(c flow.Cond) bool {
		if act.Op == libs.Store {
			return c.Text == "" && act.Val.Name == strconv.FormatBool(c.Yes)
		}
		return bars(c)
	})
}

// bars is the question of a branch that compares with a limit. One that asks a count
// for none prefers those that do nothing.
func bars(c flow.Cond) bool {
	return c.Test == flow.Decides && limit(c.Text) && !strings.HasSuffix(c.Text, " 0") && !strings.HasSuffix(c.Text, " nil")
}

// fits tells whether event j happens because of what event i found, on the element that
// it found it of, and nothing makes the two one.
func fits(s *flow.Summary, i, j int) bool {
	return pair.Decides(s, i, j, func(c flow.Cond) bool { return c.Test == flow.Decides }) && !pair.Locked(s, i, j) && !once(s, i, j) && !settled(s, i, j)
}
