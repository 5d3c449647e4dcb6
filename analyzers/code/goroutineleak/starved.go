package goroutineleak

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// receiver judges a receive in a goroutine: does somebody always send or close?
func (j *judge) receiver(t *trace, r op) {
	if len(t.of(send, true)) > 0 || len(t.of(closing, true)) > 0 || t.room() > 0 && !cfg.Within(r.in.Block()) {
		return
	}
	if !t.forgotten(r, cfg.Within(r.in.Block())) {
		return
	}
	j.Found(r.in.Pos(), tell.Story(
		"this receive can wait for ever: on some path the function that started the goroutine returns without closing the channel",
		"  the goroutine waits for the next value",
		"  the function returns early, or never closes: no value and no close will come, and the goroutine stays until the process ends",
		"fix: defer close(ch) right after the channel is made; or receive in a select with ctx.Done()",
	), nil, tell.Place{Pos: t.made.Pos(), Text: "the channel is made here"}, tell.Place{Pos: r.start.Pos(), Text: "the goroutine is started here"})
}

// forgotten tells whether the function that starts the goroutine of a receive can
// return without feeding it; one in a loop is fed by a close alone.
func (t *trace) forgotten(r op, loops bool) bool {
	fn := r.start.Parent()
	if t.owners[fn] == nil {
		return false
	}
	feeds := append(t.of(send, false), t.of(closing, false)...)
	mine := in(fn, feeds)
	return (len(mine) > 0 || len(feeds) == 0) && !closedBefore(mine, r.start) && starved(r.start, mine, loops)
}

// stopper judges a case of a select in a goroutine's loop that is its only way out:
// does somebody always take it?
func (j *judge) stopper(t *trace, r op) {
	if len(t.of(send, true))+len(t.of(closing, true)) > 0 || !cfg.Within(r.in.Block()) || callers.Callee(r.start.Common()) != r.fn {
		return
	}
	leaves := cfg.WalkBlock(r.fn.Blocks[0], func(in ssa.Instruction) cfg.Step {
		if _, ok := in.(*ssa.Return); ok {
			return cfg.Found
		}
		return cfg.On
	}, chosen(t.of(recv, true)))
	if leaves || !t.forgotten(r, false) {
		return
	}
	j.Found(position(r), tell.Story(
		"this goroutine can go on for ever: this case is its only way out, and on some path the function that started it returns without taking it there",
		"  the function returns early, on an error",
		"  nobody closes the channel: the loop goes on, and keeps alive all that it refers to",
		"fix: defer close(ch) right after the channel is made; or a context, and defer cancel()",
	), nil, tell.Place{Pos: t.made.Pos(), Text: "the channel is made here"}, tell.Place{Pos: r.start.Pos(), Text: "the goroutine is started here"})
}

// closedBefore tells whether the channel is closed before the goroutine starts, or
// a deferred close is in place: a receive from a closed channel waits for nobody.
func closedBefore(feeds []op, begin ssa.Instruction) bool {
	return slices.ContainsFunc(feeds, func(f op) bool { return f.kind == closing && cfg.Before(f.via, begin) })
}

// starved tells whether the function can return after begin without feeding
// the receiver; one in a loop is fed by a close alone.
func starved(begin ssa.Instruction, feeds []op, loops bool) bool {
	return cfg.Walk(begin, func(in ssa.Instruction) cfg.Step {
		for _, f := range feeds {
			if f.via == in && (f.kind == closing || !loops) {
				return cfg.Stop
			}
		}
		if _, ok := in.(*ssa.Return); ok {
			return cfg.Found
		}
		return cfg.On
	}, nil)
}

// waiter judges a receive outside of goroutines whose only sender may give up.
func (j *judge) waiter(t *trace, r op) {
	sends := append(t.of(send, true), t.of(closing, true)...)
	if len(sends) != 1 || len(t.of(send, false))+len(t.of(closing, false)) > 0 || t.repeated(sends[0]) || sends[0].deferred {
		return
	}
	s := sends[0]
	s.alone = s.alone || s.kind == closing
	if s.via != nil && s.via != s.in || s.fn.Blocks == nil || cfg.Within(r.in.Block()) {
		return
	}
	silent := cfg.WalkBlock(s.fn.Blocks[0], func(in ssa.Instruction) cfg.Step {
		if in == s.in && s.alone {
			return cfg.Stop
		}
		if _, ok := in.(*ssa.Return); ok {
			return cfg.Found
		}
		return cfg.On
	}, chosen([]op{s}))
	if !silent {
		return
	}
	j.Found(r.in.Pos(), tell.Story(
		"this receive can wait for ever: the goroutine that should send can return without sending",
		"  the caller waits for the channel and nothing else",
		"  the goroutine takes its early return: no value and no close will come",
		"fix: defer close(ch) in the goroutine, or send the error too; or wait in a select with ctx.Done()",
	), nil, tell.Place{Pos: position(s), Text: "the only send is here, and not on every path"})
}
