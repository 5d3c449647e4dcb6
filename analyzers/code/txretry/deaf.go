package txretry

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// deaf finds a function that decides whether a transaction is run again, and to
// which the conflicts of its level are nothing that it knows.
func deaf(s *flow.Summary) (flow.Ask, bool) {
	i := slices.IndexFunc(s.Asks, func(a flow.Ask) bool { return isDeaf(a) && a.In == s.Name })
	if i < 0 || s.Asks[i].Text != "deaf" && !numbered(s) {
		return flow.Ask{}, false
	}
	return s.Asks[i], slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool { return !o.Folded && asksOnly(o, s) })
}

func isDeaf(a flow.Ask) bool { return a.Text == "deaf" || a.Text == "deaf elsewhere" }

// dollar is a placeholder as PostgreSQL has it, and others hardly.
var dollar = regexp.MustCompile(`\$[1-9]`)

// numbered reports whether a statement beside the function, in its package, is
// written for PostgreSQL.
func numbered(s *flow.Summary) bool {
	return slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		return path.Dir(o.Pos.File) == path.Dir(s.Pos.File) && slices.ContainsFunc(o.Events, func(e flow.Event) bool { return dollar.MatchString(e.SQL) })
	})
}

// asksOnly reports whether a function runs a transaction again that can be refused,
// and nothing but the deaf one is asked whether to.
func asksOnly(o, deaf *flow.Summary) bool {
	if !slices.ContainsFunc(o.Asks, func(a flow.Ask) bool { return isDeaf(a) && a.In == deaf.Name }) {
		return false
	}
	name := "call " + deaf.Name[strings.LastIndexByte(deaf.Name, '.')+1:]
	if slices.ContainsFunc(o.Asks, func(a flow.Ask) bool { return a.Text != name && a.In != deaf.Name && stmt.AsksFor(a, serialization) }) {
		return false
	}
	all := stmt.All(o)
	for i := range o.Events {
		e := &o.Events[i]
		if e.Op == libs.Begin && len(e.Loop) > 0 && !slices.ContainsFunc(e.Under, stmt.RunsAgain) && refuses(all, o, i) {
			return true
		}
	}
	return false
}
