package memcheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// depends tells whether the act is the consequence of what was read.
func depends(s *flow.Summary, i, j int) bool {
	act := &s.Events[j]
	again := reread(s, i, j)
	if summed(s, i, j) {
		return false
	}
	if pair.Computed(s, i, j) && !again || copied(s, i, j) {
		return act.Op != libs.MapDelete
	}
	decided := pair.Decides(s, i, j, func(c flow.Cond) bool {
		return !again || limit(c.Text) || c.Text == "" && !c.Itself || version(act, c)
	})
	switch act.Op {
	case libs.MapDelete:
		return decided && (pair.Returned(s, i) || redeemed(s, i, j)) || expired(s, i, j) || emptied(s, i, j)
	case libs.CAS:
		return pair.Decides(s, i, j, func(c flow.Cond) bool { return limit(c.Text) })
	case libs.Store:
		if decided && consumed(s, i, j) {
			return true
		}
		return decided && (!sourced(s, act) || exchanged(s, i, j) || askedTwice(s, i, j) || told(s, i, j) || pair.Decides(s, i, j, refuses)) && !refreshed(s, i, j) && !outcome(s, i, j) || waited(s, i, j)
	}
	if s.Events[i].Op == libs.Load { // of the size, which a limit is set to
		return pair.Decides(s, i, j, func(c flow.Cond) bool { return strings.ContainsAny(c.Text, "<>") })
	}
	return decided && (!sourced(s, act) || askedTwice(s, i, j) || told(s, i, j)) && !repeatable(s, i, j)
}

// refuses tells whether a function answers with an error of its own where the branch
// comes out the other way: what is there already is no cache then, and a second one
// must not be made.
func refuses(c flow.Cond) bool { return c.Refused && c.Itself }

// outcome tells whether a flag says how something between the two came out: that it
// has failed, or that all is well again. It keeps nobody from doing the same, as a
// flag does that is set before the work or when the work is done.
func outcome(s *flow.Summary, i, j int) bool {
	act := &s.Events[j]
	if act.Val.Root != flow.Const {
		return false
	}
	return slices.ContainsFunc(act.Conds, func(c flow.Cond) bool {
		if c.Event < 0 || c.Event == i || !s.After(i, c.Event) {
			return false
		}
		return c.Test == flow.Err || c.Test == flow.NoErr && (act.Val.Name == "0" || act.Val.Name == "false" && !pair.Decides(s, i, j, isSet))
	})
}

// isSet is the question of a branch that is taken when a flag is set.
func isSet(c flow.Cond) bool { return c.Test == flow.Decides && c.Text == "" && c.Itself && c.Yes }

// copied tells whether an atomic gets a new value that was made from the old
// one: copy on write without a lock for the writers.
func copied(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	if e.Note != "atomic" || e.Val.Class != "new" {
		return false
	}
	if len(e.Site) == 1 && len(s.Events[i].Site) == 1 && len(e.Conds) == 0 {
		return true // filled in a loop
	}
	return slices.ContainsFunc(e.Val.From, func(p flow.Part) bool { return p.Event == i })
}

// repeatable tells whether a mark is set after work that does no harm when it
// is done twice: adding a member to a set of a key-value server.
func repeatable(s *flow.Summary, i, j int) bool {
	if s.Events[j].Val.Root != flow.Const {
		return false
	}
	adds := false
	for k := range s.Events {
		if !s.After(i, k) || !s.After(k, j) || k == j || !pair.Decides(s, i, k, func(flow.Cond) bool { return true }) {
			continue
		}
		switch op := s.Events[k].Op; op {
		case libs.KVAdd:
			adds = true
		case libs.Load, libs.Lock, libs.Unlock, libs.RLock, libs.RUnlock, libs.MapGet:
		default:
			return false
		}
	}
	return adds
}

// limit tells whether a comparison is one of size, or with a number.
func limit(text string) bool {
	return strings.HasPrefix(text, "<") || strings.HasPrefix(text, ">") || strings.HasPrefix(text, "== ") || strings.HasPrefix(text, "!= ")
}

// reread tells whether the act reads the place anew, under the lock under which
// it writes: what it computes is not stale, and only a limit that was compared
// before can be.
func reread(s *flow.Summary, i, j int) bool {
	read := &s.Events[i]
	own := strings.Contains(s.Events[j].Val.Desc.String(), read.On.String())
	extended := s.Events[j].Val.Class == "new" // a list with one more: what was asked of it is stale still
	for k := range s.Events {
		e := &s.Events[k]
		if k != i && e.Op == read.Op && e.On.String() == read.On.String() && s.After(i, k) && s.After(k, j) && pair.Locked(s, k, j) && (own || pair.Computed(s, k, j) && !extended) {
			return true
		}
	}
	return false
}

// waited tells whether a field was read under a lock, something between was
// decided by it, and then the field was set under the lock taken again.
func waited(s *flow.Summary, i, j int) bool {
	a, b := &s.Events[i], &s.Events[j]
	if len(a.Held) == 0 || len(b.Held) == 0 || len(a.Site) > 1 || len(b.Site) > 1 || a.Note == "atomic" || len(b.Conds) > 0 {
		return false
	}
	for k := range s.Events {
		if s.After(i, k) && s.After(k, j) && len(s.Events[k].Held) == 0 && pair.Decides(s, i, k, func(flow.Cond) bool { return true }) {
			return true
		}
	}
	return false
}
