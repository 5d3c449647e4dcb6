package goroutineleak

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// feeds is the fact that a function answers with a channel that has no room, and
// that a goroutine fills which can do nothing but wait for who receives.
type feeds struct {
	Result int
	Many   bool // more than one value
	Send   flow.Pos
}

// AFact marks the type as a fact.
func (*feeds) AFact() {}

func (*feeds) String() string { return "feeds a channel" }

// export tells importers of the functions that hand a channel to them.
func (j *judge) export(t *trace) {
	sends := t.of(send, true)
	if t.room() != 0 || t.inList || len(t.given) == 0 || len(sends) == 0 || len(t.of(recv, true))+len(t.of(recv, false))+len(t.of(send, false)) > 0 {
		return
	}
	for _, s := range sends {
		if !s.alone {
			return
		}
	}
	s := sends[0]
	many := s.many || len(sends) > 1 || cfg.Within(s.in.Block()) || t.repeated(s) || j.looped(s.fn, 0)
	for fn, i := range t.given {
		j.pass.ExportObjectFact(fn.Object(), &feeds{i, many, j.place(s.in.Pos())})
	}
}

// stranger judges what a function does with a channel that a function of another
// package gave it.
func (j *judge) stranger(c *ssa.Call) {
	fn := c.Call.StaticCallee()
	if fn == nil || c.Parent().Name() == "main" {
		return
	}
	obj, ok := callers.Origin(fn).Object().(*types.Func)
	var f feeds
	if !ok || obj.Pkg() == j.pass.Pkg || !j.pass.ImportObjectFact(obj, &f) {
		return
	}
	t := &trace{calls: j.calls, owners: map[*ssa.Function]ssa.Instruction{c.Parent(): c}, seen: map[seen]bool{}}
	t.value(result(c, f.Result, fn.Signature.Results().Len()), at{})
	mine := in(c.Parent(), t.of(recv, false))
	if t.escapes || t.readers || t.field != nil || len(t.of(recv, true)) > 0 || len(mine) == 0 || !abandoned(c, t, mine, op{}, f.Many) {
		return
	}
	if j.abroad[f.Send] {
		return
	}
	j.abroad[f.Send] = true
	flow.Found{At: f.Send, Message: tell.Story(
		"this send can wait for ever: the channel has no room, and "+fn.Name()+" gives it to another package that can stop receiving first",
		"  the caller receives some values, and then returns: it found what it wanted, an error came, its context ended",
		"  the goroutine reaches the next send, nobody will receive, and it stays until the process ends",
		"fix: take a context, and send in a select with ctx.Done(); or let the caller range over a function, iter.Seq, without a goroutine",
	), Related: []flow.Note{{At: j.place(position(mine[0])), Text: "the receiver that can stop first is here"}}}.Report(j.pass, j.pass.Analyzer.Name)
}

func (j *judge) place(at token.Pos) flow.Pos {
	p := j.pass.Fset.Position(at)
	return flow.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
}
