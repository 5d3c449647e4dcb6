package memcheckact

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// expired tells whether an entry is deleted because of what was in it, and the one
// who deletes it does more than that: counts it, or calls somebody. Two goroutines
// can both do so, and the second deletes an entry that it never judged. To delete
// what has expired, and no more, can be done twice.
func expired(s *flow.Summary, i, j int) bool {
	if s.Events[i].Op != libs.MapGet || !pair.Decides(s, i, j, content) || !kept(s, i) {
		return false
	}
	for k := range s.Events {
		if counts(&s.Events[k]) && s.After(j, k) && len(s.Events[k].Held) == 0 && pair.Decides(s, i, k, content) {
			return true
		}
	}
	return false
}

// emptied tells whether an entry is deleted because there is nothing left in it: who
// has it in hand by then, to put something in, puts it into what nobody finds. What
// a container has methods for may be looked at again there.
func emptied(s *flow.Summary, i, j int) bool {
	return s.Events[i].Op == libs.MapGet && len(s.Events[j].Site) == 1 && pair.Decides(s, i, j, func(c flow.Cond) bool {
		return content(c) && (c.Yes && (c.Text == "== 0" || c.Text == "<= 0" || c.Text == "< 1") || !c.Yes && (c.Text == "!= 0" || c.Text == "> 0"))
	})
}

// content is a question about a field of the entry, and not whether there is one.
func content(c flow.Cond) bool {
	return c.Test == flow.Decides && !strings.HasSuffix(c.Text, " nil") && (c.Calc || strings.HasPrefix(c.Path, ".")) && !strings.Contains(c.Path, ".absent")
}

// kept tells whether the function stores the entry itself, under the lock of the
// read: what it deletes is state that grows there, and no copy of what a source of
// truth has.
func kept(s *flow.Summary, i int) bool {
	for k := range s.Events {
		e := &s.Events[k]
		if e.Op == libs.MapSet && e.On.String() == s.Events[i].On.String() && e.Key.String() == s.Events[i].Key.String() && pair.Locked(s, i, k) {
			return true
		}
	}
	return false
}

// counts tells whether an event is one that must not happen twice.
func counts(e *flow.Event) bool {
	return e.Op == libs.CAS && strings.HasSuffix(e.Call, ".Add") || e.Op == libs.Calls || e.Op == libs.Send || e.Op == libs.Exec
}
