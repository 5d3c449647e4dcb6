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
		return (unequal || answered) && c.Test == flow.Decides && c.Event != i && slices.ContainsFunc(act.Val.From, func(p flow.Part) bool { return !p.Calc && p.Source == c.Source })
	})
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

// exchanged tells whether what is stored is the answer of a call that was given a
// part of what was read, which can be handed in once: a refresh token that its
// successor replaces, a cursor that the next page comes with.
func exchanged(s *flow.Summary, i, j int) bool {
	return slices.ContainsFunc(s.Events[j].Val.From, func(p flow.Part) bool {
		return p.Event >= 0 && s.Events[p.Event].Op == libs.Calls && slices.ContainsFunc(s.Events[p.Event].Args, func(v flow.Value) bool { return redeems(v, i) })
	})
}

// redeemed tells whether what is returned was made, once the entry was taken out, of
// what was in it: a token for the user of a code. Two that both find the entry both
// get one. To close what was found can be done twice, and answers nothing.
func redeemed(s *flow.Summary, i, j int) bool {
	return slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool {
			if p.Event < 0 || p.Calc || !s.After(j, p.Event) || s.Events[p.Event].Op != libs.Calls || p.Source.Path == ".err" {
				return false
			}
			return slices.ContainsFunc(s.Events[p.Event].Args, func(v flow.Value) bool {
				return slices.ContainsFunc(v.From, func(q flow.Part) bool { return q.Event == i && q.Source.Path != ".absent" })
			})
		})
	})
}

func redeems(v flow.Value, i int) bool {
	return slices.ContainsFunc(v.From, func(p flow.Part) bool {
		field := strings.ToLower(p.Source.Path[strings.LastIndexByte(p.Source.Path, '.')+1:])
		return p.Event == i && (strings.Contains(field, "refresh") || strings.Contains(field, "nonce") || strings.Contains(field, "cursor"))
	})
}
