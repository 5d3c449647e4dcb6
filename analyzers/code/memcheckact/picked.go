package memcheckact

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// picked finds elements of a list or map that are chosen by one of their fields
// under the lock, and whose field is set when the lock was let go and taken
// again: two callers can choose the same ones.
func picked(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		e := &s.Events[j]
		all, field := element(e.On.Desc)
		if e.Op != libs.Store || field == "" || len(e.Held) == 0 || !shared(all) || e.Val.Class == "new" { // a list that is emptied chooses nothing
			continue
		}
		for i := range s.Events {
			if choosing(s, i, all) && pair.Ours(s, i, j) && !pair.Locked(s, i, j) && !once(s, i, j) && asks(s, i, j, field) && !asksAgain(s, i, j, field) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// element splits "list[].field".
func element(d flow.Desc) (all flow.Desc, field string) {
	at := strings.LastIndex(d.Path, "[].")
	if at < 0 || strings.Contains(d.Path[at+3:], ".") {
		return d, ""
	}
	field = d.Path[at+2:]
	d.Path = d.Path[:at]
	return d, field
}

// choosing tells whether event i reads the container, under a lock.
func choosing(s *flow.Summary, i int, all flow.Desc) bool {
	e := &s.Events[i]
	return (e.Op == libs.MapRange || e.Op == libs.Load) && len(e.Held) > 0 && e.On.Same(all)
}

// asks tells whether event j hangs on the field of what event i answered.
func asks(s *flow.Summary, i, j int, field string) bool {
	return pair.Decides(s, i, j, func(c flow.Cond) bool { return c.Test == flow.Decides && strings.HasSuffix(c.Path, field) })
}

// asksAgain tells whether the field is looked at again, under the lock of the
// write.
func asksAgain(s *flow.Summary, i, j int, field string) bool {
	for k := range s.Events {
		again := strings.HasSuffix(s.Events[k].On.Path, field) || asks(s, k, j, field)
		if k != i && k != j && again && pair.Locked(s, k, j) && s.After(i, k) && pair.Decides(s, k, j, func(flow.Cond) bool { return true }) {
			return true
		}
	}
	return false
}
