package memcheckact

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

var rule = pair.Rule{Name: "memcheckact", Find: find, Story: story, Fix: edit, Harmless: harmless}

// Pairing is the judgement, for the step that sees the whole program.
var Pairing = rule.Pairing()

// Analyzer reports check-then-act on shared memory.
var Analyzer = &analysis.Analyzer{
	Name:     "memcheckact",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      inPackage.Run,
}

func find(s *flow.Summary) []pair.Pair {
	if strings.HasSuffix(strings.ToLower(s.Name), "locked") {
		return nil
	}
	places := map[string][]int{} // reads, by what they read
	for i := range s.Events {
		if (reads(s.Events[i].Op) || finds(&s.Events[i])) && shared(s.Events[i].On.Desc) {
			on := s.Events[i].On.String()
			places[on] = append(places[on], i)
		}
	}
	var out []pair.Pair
	for j := range s.Events {
		if len(places) == 0 || !acts(s.Events[j].Op) {
			continue
		}
		for _, i := range places[s.Events[j].On.String()] {
			if pair.Ours(s, i, j) && same(s, i, j) && open(s, i, j) && depends(s, i, j) {
				out = append(out, pair.Pair{Check: i, Act: j})
			}
		}
	}
	return slices.Concat(out, picked(s), fitted(s), channels(s), searched(s), dropped(s), drained(s), numbered(s))
}

func acts(op libs.Op) bool {
	return op == libs.MapSet || op == libs.Store || op == libs.MapDelete || op == libs.CAS
}

func reads(op libs.Op) bool { return op == libs.MapGet || op == libs.Load }

// finds tells whether an event answers what is there, and puts something there if nothing
// is: what is made of the answer, and stored over it, is no part of that step.
func finds(e *flow.Event) bool {
	return e.Op == libs.MapCAS && strings.HasSuffix(e.Call, ".LoadOrStore")
}

// same tells whether two events on one place are about one entry of it; or
// the first asks for the size of the container that the second changes.
func same(s *flow.Summary, i, j int) bool {
	a, b := &s.Events[i], &s.Events[j]
	switch {
	case a.Op == libs.MapGet && b.Op != libs.Store:
		return (named(a.Key.Desc) || counter(a.Key.Desc)) && (a.Key.String() == b.Key.String() || pair.Alike(s, a.Key.Desc, b.Key.Desc) || b.Op == libs.MapSet && rowOf(s, i, j))
	case finds(a):
		return b.Op == libs.MapSet && named(a.Key.Desc) && a.Key.String() == b.Key.String() && pair.Computed(s, i, j)
	case a.Op == libs.Load && b.Op == libs.Store:
		return true
	case a.Op == libs.Load && b.Op == libs.MapSet:
		return size(s, i)
	case a.Op == libs.Load && b.Op == libs.CAS:
		return adds(s, i, j)
	}
	return false
}

// rowOf tells whether the key of the act is that of the check, as the answer to a
// question with it has it: row := Find(id), and then row.ID.
func rowOf(s *flow.Summary, i, j int) bool {
	asked, key := s.Events[i].Key.Desc, s.Events[j].Key.Desc
	if asked.Root != flow.Param || asked.Path != "" || asked.N >= len(s.Names) || key.Root != flow.Result || key.N >= len(s.Events) {
		return false
	}
	field := key.Path[strings.LastIndexByte(key.Path, '.')+1:]
	return strings.EqualFold(field, s.Names[asked.N]) &&
		slices.ContainsFunc(s.Events[key.N].Args, func(v flow.Value) bool { return v.Same(asked) })
}

// adds tells whether event j adds to an atomic, and nobody looks at what it is
// by then: one that compares the sum can take its part back.
func adds(s *flow.Summary, i, j int) bool {
	e := &s.Events[j]
	name := e.Call[strings.LastIndexByte(e.Call, '.')+1:]
	if !strings.HasPrefix(name, "Add") || e.Deferred || e.Val.Root != flow.Const && !weighed(s, i, j) { // a variable amount is a flow that one goroutine takes from
		return false
	}
	for k := range s.Events {
		if slices.ContainsFunc(s.Events[k].Conds, func(c flow.Cond) bool { return c.Event == j }) {
			return false
		}
	}
	return !pair.Returned(s, j) && !slices.ContainsFunc(s.Results, func(r []flow.Part) bool {
		return slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == j })
	})
}

// weighed tells whether the amount that is added was asked for together with what is
// there: if used.Load()+n > limit { refuse }; used.Add(n). Who waits until there is
// enough asks in a loop, and is the only one that takes.
func weighed(s *flow.Summary, i, j int) bool {
	act := &s.Events[j]
	return len(s.Events[i].Loop) <= len(act.Loop) && slices.ContainsFunc(act.Conds, func(c flow.Cond) bool {
		return c.Event == i && slices.ContainsFunc(act.Conds, func(d flow.Cond) bool { return d.Pos == c.Pos && amount(&act.Val, d.Source) })
	})
}

// amount tells whether a value is what a source gave, or the same with its sign changed.
func amount(v *flow.Value, of flow.Source) bool {
	return slices.ContainsFunc(v.From, func(p flow.Part) bool {
		return p.Event == of.Event && p.Param == of.Param && p.Source.Path == of.Path
	})
}

// shared tells whether a place can be known to other goroutines.
func shared(d flow.Desc) bool {
	if !d.Known() {
		return false
	}
	return d.Root == flow.Param && d.Path != "" || d.Root == flow.Global || d.Root == flow.Result || d.Root == flow.Param && d.Class == ""
}

func named(d flow.Desc) bool { return d.Root != flow.Unknown || d.Path != "" }

// counter tells whether a key counts up or down in a loop: what it is described by
// names the variable itself, so that two that read the same are one.
func counter(d flow.Desc) bool {
	return d.Root == flow.Unknown && d.Name == "phi" && slices.ContainsFunc(d.Args, func(a flow.Desc) bool {
		return a.Root == flow.Expr && (a.Name == "+" || a.Name == "-") && a.Args[0].Root == flow.Local && a.Args[0].Class == "" && a.Args[1].Root == flow.Const
	})
}

// size tells whether a map was loaded for its length and not for an entry.
func size(s *flow.Summary, i int) bool {
	for k := range s.Events {
		e := &s.Events[k]
		entry := e.Op == libs.MapGet || e.Op == libs.MapSet || e.Op == libs.MapRange || e.Op == libs.MapDelete
		next := k == i+1 && e.On.Same(s.Events[i].On.Desc)
		if k != i && entry && (next || slices.Equal(e.Site, s.Events[i].Site)) {
			return false
		}
	}
	return true
}

// open tells whether another goroutine can come between: the container locks
// each call by itself, or the locks around the two are not one.
func open(s *flow.Summary, i, j int) bool {
	a, b := &s.Events[i], &s.Events[j]
	if pair.Locked(s, i, j) || once(s, i, j) || claimed(s, i, j) {
		return false
	}
	again := func(k int) bool {
		e := &s.Events[k]
		return e.Op == a.Op && e.On.String() == a.On.String() && (a.Op == libs.Load || e.Key.String() == a.Key.String()) && !lessAsked(s, i, j, k)
	}
	if pair.Looked(s, i, j, again) {
		return false
	}
	if selfLocked(a) || selfLocked(b) {
		return selfLocked(a) && selfLocked(b) && !settled(s, i, j)
	}
	if b.Op == libs.Store && len(b.Site) > 1 && !setter(s, b) && !initial(s, i, j) && !consumed(s, i, j) {
		return false
	}
	return len(b.Held) > 0 && (a.Op == libs.MapGet || len(a.Held) > 0 || lazy(b.Val.Desc))
}

// lessAsked tells whether a second look asks only whether there is an entry, where the
// first one asked what state it is in.
func lessAsked(s *flow.Summary, i, j, k int) bool {
	if s.Events[i].Op != libs.MapGet || !pair.Decides(s, i, j, inState) {
		return false
	}
	return !pair.Decides(s, k, j, func(c flow.Cond) bool { return c.Text != "" || !c.Itself })
}

// inState is the question of a branch that compares the value with a constant.
func inState(c flow.Cond) bool {
	_, right, _ := strings.Cut(c.Text, " ")
	return c.Test == flow.Decides && right != "" && right != "nil"
}

// setter tells whether the call that leads to a store does little else: what a
// larger function stores on its way it has reasons of its own for.
func setter(s *flow.Summary, store *flow.Event) bool {
	n := 0
	for k := range s.Events {
		e := &s.Events[k]
		own := reads(e.Op) && e.On.String() == store.On.String() || e.Op == libs.Lock || e.Op == libs.Unlock
		if e.Site[0] == store.Site[0] && !own {
			n++
		}
	}
	return n <= 2
}

// initial tells whether a flag that was read under a lock decides on a call, and
// setting it is all of the memory that the call changes: the first caller does
// something that no other should do again.
func initial(s *flow.Summary, i, j int) bool {
	a, b := &s.Events[i], &s.Events[j]
	if len(a.Held) == 0 || len(a.Site) > 1 || b.Val.Root != flow.Const || b.Val.Name != "true" && b.Val.Name != "false" {
		return false
	}
	for k := range s.Events {
		if e := &s.Events[k]; k != j && acts(e.Op) && e.Site[0] == b.Site[0] {
			return false
		}
	}
	return true
}

// settled tells whether a compare-and-swap between the two has decided: the load
// before it was a short cut.
func settled(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		e := &s.Events[k]
		if e.Op == libs.CAS && k != j && e.On.String() == s.Events[i].On.String() && s.After(i, k) && s.After(k, j) && pair.Decides(s, k, j, func(flow.Cond) bool { return true }) {
			return true
		}
	}
	return false
}

// lazy tells whether a value is one that a field gets once, or a number that is
// counted on. The only writer of a field may read it without the lock, and often
// does; what it stores then came from elsewhere.
func lazy(d flow.Desc) bool {
	return d.Root == flow.Const && d.Name != "nil" || d.Root == flow.Expr || d.Class == "new"
}

// selfLocked tells whether each call on the container is safe by itself.
func selfLocked(e *flow.Event) bool {
	return e.Note == "atomic" || e.Note == "cache" || strings.HasPrefix(e.Call, "(*sync.Map).")
}

// once tells whether a Once or a flight runs the act, or both.
func once(s *flow.Summary, i, j int) bool {
	for k := range s.Events {
		e := &s.Events[k]
		if (e.Op == libs.Once || e.Op == libs.Flight) && s.After(k, j) && s.Events[j].In != e.In {
			return true
		}
	}
	return false
}

// version tells whether a branch lets those pass who name what is there: the version
// that they have read, and that is counted on. What it was compared with may be over,
// however often it is read again.
func version(act *flow.Event, c flow.Cond) bool {
	text, yes := equality(c)
	return text == "==" && yes && slices.ContainsFunc(act.Conds, func(d flow.Cond) bool {
		return d.Pos == c.Pos && d.Event < 0 && d.Param > 0 && d.Path == ""
	})
}
