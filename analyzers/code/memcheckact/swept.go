package memcheckact

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// inPackage is the rule for one package, whose code can be asked more than its summaries
// tell.
var inPackage = pair.Rule{Name: rule.Name, Story: story, Fix: edit, Harmless: unjudged, Find: func(s *flow.Summary) []pair.Pair {
	return slices.Concat(find(s), swept(s), chosen(s))
}}

// swept finds entries that are judged and collected under one lock, and deleted under
// the next: one that somebody has set anew since is thrown away with the rest. What
// was collected without a judgement is no pair, which collected asks the code.
func swept(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		act := &s.Events[j]
		if act.Op != libs.MapDelete || len(act.Held) == 0 || len(act.Loop) == 0 || !shared(act.On.Desc) {
			continue
		}
		for i := range s.Events {
			e := &s.Events[i]
			if e.Op == libs.MapRange && len(e.Held) > 0 && e.On.Same(act.On.Desc) && pair.Ours(s, i, j) && !pair.Locked(s, i, j) && from(act.Key, i) && !searchedAgain(s, i, j) && !marked(s, i, act.On.Class) && renewed(s, act.On.Class) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// from tells whether a value is what event i answered, also by way of a set of the
// function's own, whose entries say nothing but that they are there.
func from(v flow.Value, i int) bool {
	own := v.Root == flow.Local && v.Path == "[]"
	return slices.ContainsFunc(v.From, func(p flow.Part) bool { return p.Event == i && (own || !p.Calc) })
}

// renewed tells whether another function puts an entry under a key that its caller
// names, where there can be one already: whatever was there, or because of what was in it.
func renewed(s *flow.Summary, class string) bool {
	return class != "" && slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		return o != s && slices.ContainsFunc(o.Events, func(e flow.Event) bool {
			return e.Op == libs.MapSet && e.On.Class == class && e.Key.Root == flow.Param && (judgedOver(o, &e, class) || !slices.ContainsFunc(e.Conds, func(c flow.Cond) bool {
				return c.Event >= 0 && o.Events[c.Event].On.Class == class && c.Path == "" && c.Test == flow.Decides
			}))
		})
	})
}

// judgedOver tells whether an entry is put in the place of another because of what is
// in that, or of what a call says of it: if old, ok := m[k]; ok && !done(old) { return }.
func judgedOver(o *flow.Summary, set *flow.Event, class string) bool {
	entry := func(i int) bool { return i >= 0 && o.Events[i].Op == libs.MapGet && o.Events[i].On.Class == class }
	return slices.ContainsFunc(set.Conds, func(c flow.Cond) bool {
		if entry(c.Event) && content(c) {
			return true
		}
		return c.Event >= 0 && o.Events[c.Event].Op == libs.Calls && slices.ContainsFunc(o.Events[c.Event].Args, func(v flow.Value) bool {
			return slices.ContainsFunc(v.From, func(p flow.Part) bool { return entry(p.Event) })
		})
	})
}

// marked tells whether the entries are written to under the lock under which they are
// collected: who finds one then can see that it is to go.
func marked(s *flow.Summary, i int, class string) bool {
	return slices.ContainsFunc(s.Events, func(e flow.Event) bool {
		return e.Op == libs.Store && slices.ContainsFunc(e.Held, func(l int) bool { return slices.Contains(s.Events[i].Held, l) }) && entryOf(s, e.On.Desc, class)
	})
}

// unjudged is harmless, and also tells whether a pair of a sweep is none.
func unjudged(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	return harmless(pass, s, p) || sweeps(s, p) && !collected(pass, s, p.Check) && !takes(pass, s, p)
}

// sweeps tells whether a pair is one that swept has found.
func sweeps(s *flow.Summary, p pair.Pair) bool {
	return s.Events[p.Check].Op == libs.MapRange && s.Events[p.Act].Op == libs.MapDelete
}

// collected tells whether a loop over a map collects entries, each for what is in it.
func collected(pass *analysis.Pass, s *flow.Summary, i int) bool {
	over, ok := at[*ssa.Range](pass, pair.Check(s, i))
	if !ok {
		return false
	}
	judged := false
	cfg.Each(over.Parent(), func(in ssa.Instruction) {
		judged = judged || collects(in, over) && judges(over, in.Block())
	})
	return judged
}

// collects tells whether an instruction adds to a list, or to another map.
func collects(in ssa.Instruction, over *ssa.Range) bool {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		return in.Map != over.X
	case *ssa.Call:
		b, ok := in.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "append"
	}
	return false
}

// judges tells whether a branch on what is in an entry leads to a block.
func judges(over *ssa.Range, block *ssa.BasicBlock) bool {
	for _, b := range over.Parent().Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !asksEntry(br.Cond, over, map[ssa.Value]bool{}) {
			continue
		}
		if slices.ContainsFunc(b.Succs, func(n *ssa.BasicBlock) bool { return len(n.Preds) == 1 && n.Dominates(block) }) {
			return true
		}
	}
	return false
}

// asksEntry tells whether a value was made of an entry of the map, and not of its key.
func asksEntry(v ssa.Value, over *ssa.Range, seen map[ssa.Value]bool) bool {
	if v == nil || seen[v] {
		return false
	}
	seen[v] = true
	if x, ok := v.(*ssa.Extract); ok {
		if next, ok := x.Tuple.(*ssa.Next); ok {
			return next.Iter == over && x.Index == 2
		}
	}
	return slices.ContainsFunc(sources(v), func(o ssa.Value) bool { return asksEntry(o, over, seen) })
}

// sources are the values that a value is made of, and what a variable was given.
func sources(v ssa.Value) (all []ssa.Value) {
	if a, ok := v.(*ssa.Alloc); ok {
		for _, r := range *a.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == a {
				all = append(all, st.Val)
			}
		}
		return all
	}
	in, ok := v.(ssa.Instruction)
	if !ok {
		return nil
	}
	for _, op := range in.Operands(nil) {
		all = append(all, *op)
	}
	return all
}
