package stalereplica

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// chosen is the end of the path of what a function asks that chooses a value.
const chosen = ".="

// switched reports whether a function chose the handle of a read by something that
// was set before, as LockToMaster does: by this function, by a caller, or by one of
// the package that then runs functions of which only their list knows.
func switched(s *flow.Summary, r stmt.Stmt) bool {
	if set(s, s, r.I, func(i int) bool { return s.After(i, r.I) }) {
		return true
	}
	for _, c := range s.Seen(r.I) {
		if set(c.Summary, c.Summary, c.Index, func(i int) bool { return c.After(i, c.Index) }) {
			return true
		}
	}
	for _, t := range s.Others() {
		if filepath.Dir(t.Pos.File) == filepath.Dir(s.Pos.File) && set(t, s, r.I, func(i int) bool { return runsList(t, i) }) {
			return true
		}
	}
	return false
}

// set reports whether one of the events of t for which yes says so sets what the
// handle of an event of s was chosen by.
func set(t, s *flow.Summary, read int, yes func(int) bool) bool {
	for i := range t.Events {
		e := &t.Events[i]
		if (e.Op == libs.Store || e.Op == libs.MapSet) && !off(e.Val.Desc) && asksFor(s, read, e.On.Class) && yes(i) {
			return true
		}
	}
	return false
}

// off reports whether a value takes something back that was set.
func off(d flow.Desc) bool {
	return d.Root == flow.Const && (d.Name == "false" || d.Name == "0" || d.Name == "" || d.Name == "nil")
}

// asksFor reports whether the handle of an event was chosen by a field of this
// declaration.
func asksFor(s *flow.Summary, read int, class string) bool {
	return class != "" && slices.ContainsFunc(s.Events[read].On.From, func(p flow.Part) bool {
		switch {
		case p.Path != chosen:
			return false
		case p.Event >= 0:
			return s.Events[p.Event].On.Class == class
		}
		field := p.Source.Path[strings.LastIndexByte(p.Source.Path, '.')+1:]
		return field != "" && strings.HasSuffix(class, "."+field)
	})
}

// runsList reports whether an event comes before a call of a function that is not
// known, in a loop.
func runsList(t *flow.Summary, i int) bool {
	for j := range t.Events {
		e := &t.Events[j]
		if e.Op == libs.Calls && e.Iface == "" && e.Method == "" && len(e.Loop) > 0 && t.After(i, j) {
			return true
		}
	}
	return false
}
