package goroutineleak

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// unheard tells whether an exported function answers with the channel that the package
// itself never calls: who receives is not of this package.
func (j *judge) unheard(t *trace) bool {
	for fn := range t.given {
		if len(j.calls.Calls(fn)) == 0 {
			return true
		}
	}
	return false
}

// outward judges the goroutine behind a channel that an exported function hands to
// callers of whom nothing is known. One that looks for its end in its loop expects them
// to stop receiving when they give the sign for it, and is not looking while it sends.
func (j *judge) outward(t *trace) bool {
	if t.room() < 0 || t.readers || t.inList || len(t.of(recv, true))+len(t.of(recv, false)) > 0 {
		return false
	}
	for _, s := range t.of(send, true) {
		if !s.alone || !(foresees(s) && repeats(s) || t.room() == 0 && last(s)) {
			continue
		}
		j.stuck[s.fn] = append(j.stuck[s.fn], stuck{s.in.Pos(), tell.Story(
			"this send can wait for ever: the goroutine looks for its end elsewhere, and not while it sends",
			"  the caller receives some values, cancels the context or closes the stop channel, and does not receive any more",
			"  the goroutine is in the send by then, or comes to it once more: nobody will receive, and it stays until the process ends",
			"fix: send in a select with what tells it to end: select { case ch <- v: case <-ctx.Done(): return }",
		), []tell.Place{{Pos: t.made.Pos(), Text: "the channel is made here"}}})
		return true
	}
	return false
}

// last tells whether a send is behind a loop, or on the way out of one, in which the
// goroutine looks for its end: of an error, often, on a channel of its own.
func last(s op) bool {
	looks := false
	cfg.Each(s.fn, func(in ssa.Instruction) {
		looks = looks || foresees(op{in: in})
	})
	return looks && !cfg.Within(s.in.Block())
}
