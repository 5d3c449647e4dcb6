package memcheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// searched finds a map that is searched under one lock for what is not its key, and
// that gets what was not found under the next: two callers both find nothing.
func searched(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		act := &s.Events[j]
		if act.Op != libs.MapSet || len(act.Held) == 0 || !shared(act.On.Desc) {
			continue
		}
		for i := range s.Events {
			e := &s.Events[i]
			if e.Op == libs.MapRange && len(e.Held) > 0 && e.On.Same(act.On.Desc) && pair.Ours(s, i, j) && !pair.Locked(s, i, j) && !once(s, i, j) && missed(s, i, j) && !searchedAgain(s, i, j) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// missed tells whether what is stored was compared with what event i ranges over, and
// was not there: by a branch in the loop, or by the answer of a function that has it.
func missed(s *flow.Summary, i, j int) bool {
	act := &s.Events[j]
	return pair.Decides(s, i, j, func(flow.Cond) bool { return true }) && slices.ContainsFunc(act.Conds, func(c flow.Cond) bool {
		unequal := c.Text == "==" && !c.Yes || c.Text == "!=" && c.Yes
		answered := !c.Itself && absent(c) && slices.ContainsFunc(act.Conds, func(d flow.Cond) bool { return d.Event == i && d.Pos == c.Pos })
		return (unequal || answered) && c.Test == flow.Decides && !ofMap(s, c.Source, i) && slices.ContainsFunc(act.Val.From, func(p flow.Part) bool { return !p.Calc && p.Source == c.Source })
	})
}

// ofMap tells whether a source is the map that event i ranges over, or an entry of it:
// what was taken out and is put back was not looked for.
func ofMap(s *flow.Summary, from flow.Source, i int) bool {
	on := s.Events[i].On.Desc
	if from.Event < 0 {
		return on.Root == flow.Param && on.N == from.Param && on.Path != "" && strings.HasPrefix(from.Path, on.Path)
	}
	return from.Event == i || s.Events[from.Event].On.Same(on)
}

// absent is the question of a branch that is taken when a search answers that it has
// found nothing: false, nil, an index or a name that nothing has.
func absent(c flow.Cond) bool {
	if c.Text == "" || c.Text == "!= nil" {
		return !c.Yes
	}
	return c.Yes && (strings.HasPrefix(c.Text, "== ") || c.Text == "< 0")
}

// searchedAgain tells whether the map is searched once more, under the lock of the
// store.
func searchedAgain(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		if e := &s.Events[k]; k != i && (e.Op == libs.MapRange || e.Op == libs.MapGet) && e.On.Same(s.Events[j].On.Desc) && pair.Locked(s, k, j) && s.After(k, j) {
			return true
		}
	}
	return false
}
