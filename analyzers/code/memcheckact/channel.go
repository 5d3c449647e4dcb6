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

// channels finds channels that are closed because they were not yet, and sends that
// a flag allows which is set where the channel is closed: the second close panics,
// and so does the send.
func channels(s *flow.Summary) []pair.Pair {
	var out []pair.Pair
	for j := range s.Events {
		op := s.Events[j].Op
		if op != libs.CloseChan && op != libs.Send && op != libs.Offer {
			continue
		}
		for i := range s.Events {
			if pair.Ours(s, i, j) && !pair.Locked(s, i, j) && !once(s, i, j) && !won(s, j) && (shuts(s, i, j) || submits(s, i, j)) {
				out = append(out, pair.Pair{Check: i, Act: j})
				break
			}
		}
	}
	return out
}

// won tells whether a step that only one goroutine wins decides on event j.
func won(s *flow.Summary, j int) bool {
	return slices.ContainsFunc(s.Events[j].Conds, func(c flow.Cond) bool {
		return c.Event >= 0 && (s.Events[c.Event].Op == libs.CAS || s.Events[c.Event].Op == libs.MapCAS)
	})
}

// shuts tells whether a channel is closed because nothing came out of it yet, as
// something does when it is closed.
func shuts(s *flow.Summary, i, j int) bool {
	a, b := &s.Events[i], &s.Events[j]
	return a.Op == libs.Poll && b.Op == libs.CloseChan && shared(a.On.Desc) && a.On.Same(b.On.Desc) && pair.Decides(s, i, j, empty) &&
		!pair.Looked(s, i, j, func(k int) bool { return s.Events[k].Op == libs.Poll && s.Events[k].On.Same(a.On.Desc) })
}

// empty is the question of a branch that is taken while nothing comes out of a channel.
func empty(c flow.Cond) bool {
	return c.Test == flow.Decides && !c.Yes && (c.Text == "" || c.Text == "== 0")
}

// submits tells whether something is sent because of a flag, and elsewhere the channel
// is closed by who sets the flag, and does not wait for those who send.
func submits(s *flow.Summary, i, j int) bool {
	a, b := &s.Events[i], &s.Events[j]
	flag := a.Op == libs.Load && (a.Note == "atomic" || len(a.Held) > 0) || a.Op == libs.Poll
	if !flag || b.Op == libs.CloseChan || a.On.Class == "" || b.On.Class == "" || a.On.Class == b.On.Class || !pair.Decides(s, i, j, func(flow.Cond) bool { return true }) {
		return false
	}
	if closing(s, b.On.Class) >= 0 { // the sender itself ends it
		return false
	}
	return slices.ContainsFunc(s.Others(), func(o *flow.Summary) bool {
		k := closing(o, b.On.Class)
		return k >= 0 && pair.Decides(s, i, j, turned(o, a.On.Class)) && !slices.ContainsFunc(o.Events, func(e flow.Event) bool { return e.Op == libs.Wait && e.Then.Has(k) })
	})
}

// turned is the question of a branch that is not taken any more when a function has
// done what it does with a flag: stored a constant, swapped it, or closed the channel
// that is one.
func turned(o *flow.Summary, flag string) func(flow.Cond) bool {
	return func(c flow.Cond) bool {
		return c.Test == flow.Decides && slices.ContainsFunc(o.Events, func(e flow.Event) bool {
			switch {
			case e.On.Class != flag:
				return false
			case e.Op == libs.CloseChan:
				return empty(c)
			case e.Op == libs.Store && e.Val.Root == flow.Const && c.Text == "":
				return c.Yes == (e.Val.Name == "false")
			}
			return e.Op == libs.CAS || e.Op == libs.Store && e.Val.Root == flow.Const
		})
	}
}

// closing is the event that closes a channel of a declaration, -1 for none.
func closing(s *flow.Summary, class string) int {
	return slices.IndexFunc(s.Events, func(e flow.Event) bool { return e.Op == libs.CloseChan && e.On.Class == class })
}

// recovers tells whether the function that sends or closes catches its own panic.
func recovers(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	e := &s.Events[p.Act]
	if e.Op != libs.CloseChan && e.Op != libs.Send && e.Op != libs.Offer {
		return false
	}
	pos := e.Inner().In(pass.Fset)
	return slices.ContainsFunc(pass.ResultOf[flow.Analyzer].(*flow.Package).Funcs, func(fn *ssa.Function) bool {
		return fn.Parent() != nil && fn.Syntax() != nil && fn.Parent().Syntax() != nil && fn.Parent().Syntax().Pos() <= pos && pos < fn.Parent().Syntax().End() && catches(fn)
	})
}

func catches(fn *ssa.Function) (caught bool) {
	cfg.Each(fn, func(in ssa.Instruction) {
		if c, ok := in.(*ssa.Call); ok {
			b, ok := c.Call.Value.(*ssa.Builtin)
			caught = caught || ok && b.Name() == "recover"
		}
	})
	return caught
}
