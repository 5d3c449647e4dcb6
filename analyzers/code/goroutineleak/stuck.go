package goroutineleak

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// channel judges the goroutines around one channel.
func (j *judge) channel(made *ssa.MakeChan) {
	t := follow(j.calls, made)
	if t.escapes {
		return
	}
	if t.signals {
		j.forwarder(t)
		return
	}
	if t.field != nil {
		if !t.readers {
			j.kept(t)
		}
		return
	}
	unheard := j.unheard(t)
	if unheard && j.outward(t) {
		return
	}
	if !t.readers {
		j.export(t)
	}
	if unheard {
		return
	}
	for _, o := range t.ops {
		switch {
		case o.kind == send && t.readers: // others may drain it
		case o.kind == send && o.start != nil && o.alone:
			j.sender(t, o)
		case t.inList: // which of the channels is closed, nobody knows
		case o.kind == recv && o.start != nil && o.alone:
			j.receiver(t, o)
		case o.kind == recv && o.start != nil:
			j.stopper(t, o)
		case o.kind == recv && o.start == nil && o.alone:
			j.waiter(t, o)
		}
	}
}

// room is the number of values that fit into the channel, -1 when it is not known.
func (t *trace) room() int64 {
	if k, ok := t.made.Size.(*ssa.Const); ok {
		return k.Int64()
	}
	return -1
}

// of lists the operations of one kind, inside or outside of goroutines.
func (t *trace) of(k kind, inside bool) []op {
	var out []op
	for _, o := range t.ops {
		if o.kind == k && (o.start != nil) == inside {
			out = append(out, o)
		}
	}
	return out
}

// sender judges a send in a goroutine.
func (j *judge) sender(t *trace, s op) {
	room := t.room()
	many := s.many || cfg.Within(s.in.Block()) || t.repeated(s)
	if room >= 0 && !many && t.crowded(room) && !j.lasting(t) {
		j.stuckSend(t, s, t.of(recv, false)[0])
		return
	}
	if room < 0 || room > 0 && !many || room > 1 {
		return
	}
	if len(t.of(recv, true)) > 0 {
		return // another goroutine drains it
	}
	recvs := t.of(recv, false)
	if len(recvs) == 0 {
		return
	}
	for fn, got := range t.owners {
		begin := got
		if s.start.Parent() == fn {
			begin = s.start
		}
		mine := in(fn, recvs)
		each := slices.ContainsFunc(mine, func(r op) bool { return r.each })
		if len(mine) > 0 && abandoned(begin, t, mine, s, many || each) {
			j.stuckSend(t, s, mine[0])
			return
		}
	}
}

// crowded tells whether more goroutines send once each than the channel has room
// for and the function receives.
func (t *trace) crowded(room int64) bool {
	sends, recvs := t.of(send, true), t.of(recv, false)
	for _, o := range append(sends, recvs...) {
		if !o.alone || o.many || cfg.Within(o.in.Block()) || cfg.Within(o.via.Block()) || o.start != nil && cfg.Within(o.start.Block()) {
			return false
		}
	}
	starts := map[ssa.CallInstruction]bool{} // of the branches of one goroutine one sends
	for _, s := range sends {
		starts[s.start] = true
	}
	return len(recvs) > 0 && len(t.of(recv, true)) == 0 && int64(len(starts)) > room+int64(len(recvs))
}

// lasting tells whether the program ends with the function that receives: it is main,
// what main alone calls, or ends the process itself; or a sender serves, or waits for a
// signal, which is over when the program is.
func (j *judge) lasting(t *trace) bool {
	if slices.ContainsFunc(t.of(send, true), serves) {
		return true
	}
	for _, r := range t.of(recv, false) {
		if !j.mains(r.via.Parent(), 0) && !exits(r.via) {
			return false
		}
	}
	return true
}

// serves tells whether a goroutine listens to clients or for signals before it sends.
func serves(s op) bool {
	found := false
	cfg.Each(s.fn, func(in ssa.Instruction) {
		if c, ok := in.(ssa.CallInstruction); ok {
			name := place.CalleeName(c.Common())
			found = found || strings.HasPrefix(name, "os/signal.") || strings.Contains(name[strings.LastIndexByte(name, '.')+1:], "Serve")
		}
	})
	return found
}

// mains tells whether a function is main, or only main leads to it.
func (j *judge) mains(fn *ssa.Function, depth int) bool {
	if fn.Name() == "main" && fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" {
		return true
	}
	calls := j.calls.Calls(fn)
	return depth < 4 && j.calls.Closed(fn) && len(calls) > 0 && !slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool {
		return !j.mains(c.Parent(), depth+1)
	})
}

// exits tells whether the process ends after an instruction, in any case.
func exits(in ssa.Instruction) bool {
	returns := cfg.Walk(in, func(in ssa.Instruction) cfg.Step {
		switch in := in.(type) {
		case *ssa.Return:
			return cfg.Found
		case *ssa.Call:
			if name := place.CalleeName(in.Common()); name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") {
				return cfg.Stop
			}
		}
		return cfg.On
	}, nil)
	return !returns
}

// repeated tells whether the goroutine that sends is started in a loop, for a
// channel that was made outside of it.
func (t *trace) repeated(s op) bool {
	loop := cfg.Loop(s.start.Block())
	return loop != nil && !(s.start.Parent() == t.made.Parent() && loop[t.made.Block()])
}

// in picks the operations that happen in fn, or in something that it calls.
func in(fn *ssa.Function, ops []op) []op {
	var out []op
	for _, o := range ops {
		if o.via.Parent() == fn {
			out = append(out, o)
		}
	}
	return out
}

// abandoned tells whether fn can return after begin without having received
// what the sender has to give.
func abandoned(begin ssa.Instruction, t *trace, recvs []op, s op, many bool) bool {
	drains := map[*ssa.BasicBlock]bool{} // a loop over all values is judged by its exits
	for _, r := range recvs {
		for b := range cfg.Loop(r.via.Block()) {
			drains[b] = many
		}
	}
	visit := func(in ssa.Instruction) cfg.Step {
		if drains[in.Block()] {
			return cfg.Stop
		}
		switch in := in.(type) {
		case *ssa.Return, *ssa.MakeChan:
			if m, ok := in.(*ssa.MakeChan); !ok || m == t.made && !t.inList {
				return cfg.Found
			}
		case *ssa.Call:
			if waits(in, s) {
				return cfg.Found
			}
		}
		for _, r := range recvs {
			if r.via == in && (r.alone || r.via != r.in) {
				return cfg.Stop
			}
		}
		return cfg.On
	}
	if cfg.Walk(begin, visit, chosen(recvs)) {
		return true
	}
	return many && !emptied(recvs) && leftEarly(recvs)
}

// emptied tells whether a deferred loop takes what the others leave.
func emptied(recvs []op) bool {
	return slices.ContainsFunc(recvs, func(r op) bool {
		if _, later := r.via.(*ssa.Defer); !later || leftEarly([]op{{in: r.in, via: r.in}}) {
			return false
		}
		return !slices.ContainsFunc(recvs, func(o op) bool { return o.via != r.via && !cfg.Before(r.via, o.via) })
	})
}

// chosen skips the edges on which a select received from the channel.
func chosen(recvs []op) func(from, to *ssa.BasicBlock) bool {
	return func(from, to *ssa.BasicBlock) bool {
		for _, r := range recvs {
			sel, ok := r.in.(*ssa.Select)
			if !ok {
				continue
			}
			for i, s := range from.Succs {
				if n, yes, ok := cfg.Case(sel, from, i); ok && s == to && yes && n == r.state {
					return true
				}
			}
		}
		return false
	}
}

// waits tells whether a call waits for the sending goroutine to be done, which
// it cannot be while it waits for us.
func waits(c *ssa.Call, s op) bool {
	if s.fn == nil || place.CalleeName(c.Common()) != "(*sync.WaitGroup).Wait" {
		return false
	}
	done := false
	cfg.Each(s.fn, func(in ssa.Instruction) {
		if d, ok := in.(*ssa.Defer); ok {
			done = done || place.CalleeName(d.Common()) == "(*sync.WaitGroup).Done"
		}
	})
	return done
}

// leftEarly tells whether a receiver of many values can stop before the last:
// it receives outside of a loop, or leaves its loop from the middle.
func leftEarly(recvs []op) bool {
	for _, r := range recvs {
		loop := cfg.Loop(r.via.Block())
		if loop == nil {
			continue
		}
		for b := range loop {
			for _, s := range b.Succs {
				if !loop[s] && !counted(b, loop, r) && ends(s, recvs) {
					return true
				}
			}
		}
		return false
	}
	return true
}

// counted tells whether leaving the loop from b is its proper end: the header
// of a counting loop, or the test whether the channel was closed.
func counted(b *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool, r op) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	if ex, ok := br.Cond.(*ssa.Extract); ok && ex.Index == 1 {
		rx, isValue := r.in.(ssa.Value)
		return isValue && ex.Tuple == rx
	}
	if picks(br.Cond) {
		return false
	}
	for o := range loop {
		if o != b && !b.Dominates(o) {
			return false
		}
	}
	return true
}

// picks tells whether a branch asks which case a select has taken.
func picks(cond ssa.Value) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	ex, ok := b.X.(*ssa.Extract)
	if !ok {
		return false
	}
	_, ok = ex.Tuple.(*ssa.Select)
	return ok
}

// ends tells whether the function can return from b without another receive.
func ends(b *ssa.BasicBlock, recvs []op) bool {
	return cfg.WalkBlock(b, func(in ssa.Instruction) cfg.Step {
		for _, r := range recvs {
			if r.via == in {
				return cfg.Stop
			}
		}
		if _, ok := in.(*ssa.Return); ok {
			return cfg.Found
		}
		return cfg.On
	}, nil)
}

func (j *judge) stuckSend(t *trace, s, r op) {
	j.stuck[s.fn] = append(j.stuck[s.fn], stuck{s.in.Pos(), tell.Story(
		"this send can wait for ever: the channel has no room, and its receiver can return first",
		"  the caller starts the goroutine and waits for the channel or something else",
		"  time-out, cancellation, an error or another answer comes first: the caller returns",
		"  the goroutine reaches the send, nobody will receive, and it stays until the process ends",
		"fix: make the channel with room for every value that is sent, make(chan T, 1) for one; or send in a select with ctx.Done()",
	), []tell.Place{{Pos: position(r), Text: "the only receive is here"}, {Pos: t.made.Pos(), Text: "the channel is made here"}}})
}

func position(o op) token.Pos {
	if sel, ok := o.in.(*ssa.Select); ok && o.state < len(sel.States) {
		return sel.States[o.state].Pos
	}
	return o.in.Pos()
}
