package kvcheckact

import (
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// single tells whether a member of a set is for one caller: who does not find it to
// take out, or finds it there already, gets an error of the function's own. The server
// tells who was first to take it out or to add it, and nobody asks. Who may not change
// the set, because another member is not in it, is another matter.
func single(s *flow.Summary, i, j int) bool {
	read, act := &s.Events[i], &s.Events[j]
	if read.Note != "SISMEMBER" || act.Note != "SREM" && act.Note != "SADD" || !read.Val.Known() || !read.Val.Same(act.Val.Desc) || counted(s, j) {
		return false
	}
	return pair.Decides(s, i, j, func(c flow.Cond) bool {
		return c.Refused && compared(c) && c.Text == "" && c.Yes == (act.Note == "SREM")
	})
}
