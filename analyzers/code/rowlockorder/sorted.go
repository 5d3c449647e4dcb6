package rowlockorder

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// element reports whether a key is taken from what the loop ranges over.
func element(key, over flow.Value) bool {
	if strings.HasPrefix(key.String(), over.String()+"[]") {
		return true
	}
	for _, k := range key.From {
		if k.Event < 0 && k.Param < 0 {
			continue
		}
		if slices.ContainsFunc(over.From, func(o flow.Part) bool {
			return o.Event == k.Event && o.Param == k.Param && strings.HasPrefix(k.Source.Path, o.Source.Path)
		}) {
			return true
		}
	}
	return false
}

// sorted reports whether what is ranged over is in an order that does not
// depend on the caller.
func sorted(s *flow.Summary, at int, loop flow.Loop) bool {
	if loop.Map {
		return false
	}
	over := loop.Over
	if over.Elems != nil && constant(s, at, over.Elems) {
		return true
	}
	if over.Root == flow.Const || strings.Contains(over.Name, "Sorted") || strings.HasPrefix(over.Class, "call slices.Sorted") {
		return true
	}
	for _, p := range over.From {
		if p.Event >= 0 && orderBy.MatchString(s.Events[p.Event].SQL) {
			return true
		}
	}
	for i := range s.Events {
		e := &s.Events[i]
		if e.Op == libs.Sort && e.On.String() == over.String() && s.After(i, at) {
			return true
		}
	}
	return false
}

// constant reports whether a list that is written out has one order: its
// elements do not come from the caller, or were compared.
func constant(s *flow.Summary, at int, elems []flow.Value) bool {
	var free []flow.Desc
	for _, e := range elems {
		if argument(e.Desc) {
			free = append(free, e.Desc)
		}
	}
	return len(free) < 2 || compared(&s.Events[at], free[0], free[1])
}

// sortedByCallers reports whether all callers sort what they hand in, or are
// not in sight.
func sortedByCallers(w stmt.Stmt, loop flow.Loop) bool {
	if loop.Over.Root != flow.Param || loop.Map {
		return false
	}
	callers := w.Sum.Seen(w.I)
	for _, c := range callers {
		for _, l := range c.Events[c.Index].Loop {
			if l.Pos == loop.Pos && !sorted(c.Summary, c.Index, l) {
				return false
			}
		}
	}
	return len(callers) > 0 || !w.Sum.Closed() && w.On.Root == flow.Param
}
