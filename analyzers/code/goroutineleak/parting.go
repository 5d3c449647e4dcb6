package goroutineleak

import (
	"slices"

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

// announced tells whether a send is all that a Done channel without room says of the
// end. Whoever has the structure can ask for the channel, and need not, as with that
// of a context.
func (j *judge) announced(t *trace, s op, u shared) bool {
	if t.room() != 0 || cfg.Within(s.in.Block()) || !silentValues(t.field.Type()) || u.away || len(u.lent) == 0 {
		return false
	}
	if slices.ContainsFunc(u.ops, func(o op) bool { return o.kind == recv }) {
		return false
	}
	return !slices.ContainsFunc(u.lent, func(fn *ssa.Function) bool {
		return fn.Name() != "Done" || fn.Signature.Recv() == nil || !readOnly(fn.Signature.Results().At(0).Type()) || j.calls.Used(fn)
	})
}

func (j *judge) stuckParting(t *trace, s op) {
	j.stuck[s.fn] = append(j.stuck[s.fn], stuck{s.in.Pos(), tell.Story(
		"this send can wait for ever: it is the last word of the goroutine, the channel that "+t.field.Name()+" keeps has no room, and nobody must receive from it",
		"  the time is up, or the whole is closed, and nobody asks for the last word any more",
		"  the goroutine reaches the send, nobody will receive, and it stays until the process ends",
		"fix: close the channel instead, which tells all who ask; or make it with room, make(chan T, 1), or receive where the whole is closed",
	), []tell.Place{{Pos: t.made.Pos(), Text: "the channel is made here"}}})
}
