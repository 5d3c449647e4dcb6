package memcheckact

import (
	"slices"
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
		return content(c) && zero(c)
	})
}

// dropped finds entries that are deleted because nobody uses them any more, as a count
// in the entry says that was looked at outside of the lock of the whole: somebody can
// have found the entry, and counted, since.
func dropped(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		act := &s.Events[j]
		direct := selfLocked(act) && len(act.Site) == 1
		if act.Op != libs.MapDelete || len(act.Held) == 0 && !direct || !shared(act.On.Desc) || act.On.Class == "" {
			continue
		}
		for i := range s.Events {
			if pair.Ours(s, i, j) && pair.Decides(s, i, j, zero) && !pair.Locked(s, i, j) && !usedAgain(s, i, j) && uses(s, i, act.On.Class) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// uses tells whether event i counts in an entry of a map that has its class, or reads
// such a count under a lock.
func uses(s *flow.Summary, i int, class string) bool {
	e := &s.Events[i]
	if e.On.Class == "" || e.On.Class == class || e.Op != libs.CAS && (e.Op != libs.Load || e.Note != "atomic" && len(e.Held) == 0) {
		return false
	}
	return slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		return slices.ContainsFunc(o.Events, func(x flow.Event) bool { return x.On.Class == e.On.Class && entryOf(o, x.On.Desc, class) })
	})
}

// entryOf tells whether a value is, or may be, an entry of the map with a class.
func entryOf(s *flow.Summary, d flow.Desc, class string) bool {
	if d.Root == flow.Result && d.N < len(s.Events) && s.Events[d.N].On.Class == class {
		return true
	}
	if slices.ContainsFunc(d.Args, func(a flow.Desc) bool { return entryOf(s, a, class) }) {
		return true
	}
	return slices.ContainsFunc(s.Events, func(e flow.Event) bool {
		return e.On.Class == class && strings.HasPrefix(d.String(), e.On.String()+"[]")
	})
}

// zero is the question of a branch that is taken when a number is zero.
func zero(c flow.Cond) bool {
	return c.Yes && (c.Text == "== 0" || c.Text == "<= 0" || c.Text == "< 1") || !c.Yes && (c.Text == "!= 0" || c.Text == "> 0")
}

// usedAgain tells whether the count is looked at again, under the lock of the delete.
func usedAgain(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		if k != i && s.Events[k].On.Class == s.Events[i].On.Class && s.After(i, k) && s.After(k, j) && pair.Locked(s, k, j) && pair.Decides(s, k, j, func(flow.Cond) bool { return true }) {
			return true
		}
	}
	return false
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
