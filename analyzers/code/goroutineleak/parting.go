package goroutineleak

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// parting tells whether a send is the last word of a goroutine, into a channel that
// has no room, and nobody must take it: who receives has another case to go on with,
// or is a method that need not be called, beside another that ends the whole.
func (j *judge) parting(t *trace, s op, ops []op) bool {
	if t.room() != 0 || repeats(s) {
		return false
	}
	recvs := 0
	for _, o := range ops {
		if o.kind == recv {
			recvs++
		}
		if o.kind == recv && !j.optional(o.fn) && (o.alone || cfg.Within(o.in.Block())) {
			return false
		}
	}
	return recvs > 0
}

// optional tells whether a function is a method for others that the package itself
// never calls, of a type that has another one to end it.
func (j *judge) optional(fn *ssa.Function) bool {
	if fn.Signature.Recv() == nil || !fn.Object().Exported() || stopName.MatchString(fn.Name()) || j.calls.Used(fn) {
		return false
	}
	n := pointee(fn.Signature.Recv().Type())
	return n != nil && stops(n)
}

func (j *judge) stuckParting(t *trace, s op) {
	j.stuck[s.fn] = append(j.stuck[s.fn], stuck{s.in.Pos(), tell.Story(
		"this send can wait for ever: it is the last word of the goroutine, the channel that "+t.field.Name()+" keeps has no room, and nobody must receive from it",
		"  the time is up, or the whole is closed, and nobody asks for the last word any more",
		"  the goroutine reaches the send, nobody will receive, and it stays until the process ends",
		"fix: make the channel with room for it, make(chan T, 1); or receive where the whole is closed",
	), []tell.Place{{Pos: t.made.Pos(), Text: "the channel is made here"}}})
}
