package fencing

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/lease"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// remembered finds the writes of one who asks whether he has the lock, and then
// trusts the answer: it is as old as the question.
func remembered(s *flow.Summary, claimed *lease.Claims) (out []flow.Found) {
	for w := range s.Events {
		if !trusting(&s.Events[w]) {
			continue
		}
		if r := claimed.Asked(s, w); r >= 0 && s.Local(r, w) {
			out = append(out, overtaken(s, w, pair.Check(s, r), "the lock is asked about here"))
			continue
		}
		for _, c := range s.Events[w].Conds {
			if claimed.Remembers(s, c) {
				out = append(out, overtaken(s, w, c.Pos, "what is remembered of the lock is asked here"))
				break
			}
		}
	}
	return out
}

// trusting tells whether a write leaves it to others to know who may write.
func trusting(e *flow.Event) bool {
	switch e.Op {
	case libs.KVWrite:
		return strings.Contains(e.Call, "etcd")
	case libs.Exec:
		return (changes(e.SQL) || replaces(e)) && !lease.Row(e) && !named(e.SQL) && !relative(e.SQL)
	}
	return false
}
