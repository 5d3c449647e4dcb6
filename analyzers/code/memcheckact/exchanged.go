package memcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

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

// credential are names of what can be handed in once, and is replaced by what comes
// back. What a page or an answer is asked for by can be handed in again.
var credential = regexp.MustCompile(`(?i)refresh|token|ticket|grant|nonce`)

// consumed tells whether the function that act j belongs to hands in something that it
// keeps, and keeps what comes back in its place, under the lock of the act: two that
// both found the first one stale hand in the second at once, which was just made.
//
//	if t.stale() { t.refresh = exchange(t.refresh) }
//
// A cache that is filled again asks by what it does not replace.
func consumed(s *flow.Summary, i, j int) bool {
	for q := range s.Events {
		kept := &s.Events[q]
		if kept.Op != libs.Store || !pair.Locked(s, q, j) || !credential.MatchString(kept.On.Path) {
			continue
		}
		if slices.ContainsFunc(kept.Val.From, func(p flow.Part) bool {
			return p.Event >= 0 && !p.Calc && s.After(i, p.Event) && s.Events[p.Event].Op == libs.Calls && handsIn(s, p.Event, kept)
		}) {
			return true
		}
	}
	return false
}

// handsIn tells whether a call gets what is kept, as it was read under the lock.
func handsIn(s *flow.Summary, call int, kept *flow.Event) bool {
	return slices.ContainsFunc(s.Events[call].Args, func(v flow.Value) bool {
		return slices.ContainsFunc(v.From, func(p flow.Part) bool {
			return p.Event >= 0 && !p.Calc && s.Events[p.Event].Op == libs.Load && s.Events[p.Event].On.String() == kept.On.String()
		})
	})
}
