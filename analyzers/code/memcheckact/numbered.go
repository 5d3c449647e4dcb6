package memcheckact

import (
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// numbered finds entries that are stored under a number which was counted from what the
// map had under another lock: its length, or the highest that there was, and one more.
func numbered(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		if act := &s.Events[j]; act.Op != libs.MapSet || len(act.Held) == 0 || !shared(act.On.Desc) || !successor(act.Key.Desc) {
			continue
		}
		for i := range s.Events {
			if numbers(s, i, j) && pair.Ours(s, i, j) && !pair.Locked(s, i, j) && !once(s, i, j) && !searchedAgain(s, i, j) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// numbers tells whether the key of act j was counted from what event i has read, or gone
// over, under a lock.
func numbers(s *flow.Summary, i, j int) bool {
	e, act := &s.Events[i], &s.Events[j]
	return act.Op == libs.MapSet && (e.Op == libs.Load || e.Op == libs.MapRange) && len(e.Held) > 0 && e.On.Same(act.On.Desc) && successor(act.Key.Desc) &&
		slices.ContainsFunc(act.Key.From, func(p flow.Part) bool { return p.Event == i && p.Calc })
}

// successor tells whether a value is one more than another, or the length of something,
// or has such a number in it.
func successor(d flow.Desc) bool {
	if d.Root != flow.Expr {
		return false
	}
	one := func(a flow.Desc) bool { return a.Root == flow.Const && a.Name == "1" }
	return d.Name == "len" || d.Name == "+" && slices.ContainsFunc(d.Args, one) || slices.ContainsFunc(d.Args, successor)
}
