package goroutineleak

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

type kind int

const (
	send kind = iota
	recv
	closing
)

// op is one use of a channel.
type op struct {
	kind
	in ssa.Instruction
	fn *ssa.Function
	// alone: it waits for this channel and nothing else.
	alone bool
	// state is the case of the select, when it is one.
	state int
	// deferred: it runs when fn returns.
	deferred bool
	// start is what began the goroutine, nil in the function that made the
	// channel and in what it calls.
	start ssa.CallInstruction
	// many: a function that calls back once for each of many values does it.
	many bool
	// each: it is done with an element of a list, which stands for many channels.
	each bool
	// via is where the function that owns the channel calls the one with the
	// operation, the operation itself when they are one.
	via ssa.Instruction
}

// trace follows one channel from where it was made.
type trace struct {
	calls   *callers.Index
	made    *ssa.MakeChan
	ops     []op
	owners  map[*ssa.Function]ssa.Instruction // functions that hold it outside of goroutines, and where they got it
	field   *types.Var                        // that keeps it, where all of the package can reach it
	inList  bool                              // a list keeps it, among others
	given   map[*ssa.Function]int             // exported functions that answer with it, as which result
	escapes bool
	readers bool // others may receive from it, and can neither send nor close
	signals bool // os/signal sends to it, and never closes it
	seen    map[seen]bool
}

type seen struct {
	v     ssa.Value
	start ssa.CallInstruction
}

// at is the context in which a value denotes the channel.
type at struct {
	start ssa.CallInstruction
	via   ssa.Instruction // nil in an owner
	many  bool
	each  bool
}

func follow(calls *callers.Index, made *ssa.MakeChan) *trace {
	t := &trace{calls: calls, made: made, owners: map[*ssa.Function]ssa.Instruction{made.Parent(): made}, given: map[*ssa.Function]int{}, seen: map[seen]bool{}}
	t.value(made, at{})
	return t
}

// value looks at everything that is done with a value that is the channel.
func (t *trace) value(v ssa.Value, c at) {
	if t.seen[seen{v, c.start}] || v.Referrers() == nil {
		return
	}
	t.seen[seen{v, c.start}] = true
	for _, r := range *v.Referrers() {
		t.use(v, r, c)
	}
}

func (t *trace) use(v ssa.Value, r ssa.Instruction, c at) {
	switch r := r.(type) {
	case *ssa.Send:
		if r.Chan == v {
			t.add(op{kind: send, in: r, alone: true}, c)
		} else {
			t.escapes = true
		}
	case *ssa.UnOp:
		if r.Op == token.ARROW {
			t.add(op{kind: recv, in: r, alone: true}, c)
		} else {
			t.value(r, c) // load of a captured variable
		}
	case *ssa.Select:
		t.choice(v, r, c)
	case *ssa.ChangeType:
		t.value(r, c)
	case *ssa.Store:
		t.store(v, r, c)
	case *ssa.MapUpdate:
		t.element(r.Map, c)
	case *ssa.MakeClosure:
		t.capture(v, r, c)
	case *ssa.Return:
		t.returned(r, v, c)
	case ssa.CallInstruction:
		t.passed(v, r, c)
	case *ssa.DebugRef, *ssa.BinOp:
	default:
		t.escapes = true
	}
}

func (t *trace) add(o op, c at) {
	o.fn, o.start, o.via, o.many, o.each = o.in.Parent(), c.start, c.via, c.many, c.each
	if o.via == nil {
		o.via = o.in
	}
	t.ops = append(t.ops, o)
}

func (t *trace) choice(v ssa.Value, s *ssa.Select, c at) {
	for i, st := range s.States {
		if st.Send == v {
			t.escapes = true
		}
		if st.Chan != v {
			continue
		}
		k := recv
		if st.Dir == types.SendOnly {
			k = send
		}
		t.add(op{kind: k, in: s, alone: len(s.States) == 1 && s.Blocking, state: i}, c)
	}
}

// store: into a local variable that closures may capture, or away.
func (t *trace) store(v ssa.Value, s *ssa.Store, c at) {
	if f := ownField(s); f != nil && s.Val == v && (t.field == nil || t.field == f) {
		t.field = f
		return
	}
	if slot, ok := s.Addr.(*ssa.IndexAddr); ok && s.Val == v {
		t.element(slot.X, c)
		return
	}
	cell, ok := s.Addr.(*ssa.Alloc)
	if !ok || s.Val != v || place.Assigned(cell) != v {
		t.escapes = true
		return
	}
	t.cell(cell, c)
}

// ownField is the unexported field of a structure of the package that a store sets.
func ownField(s *ssa.Store) *types.Var {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	f := place.FieldOf(fa.X.Type(), fa.Field)
	if f == nil || f.Exported() || f.Pkg() != s.Parent().Pkg.Pkg {
		return nil
	}
	return f.Origin()
}

// cell looks at everything that is done with a variable that holds the channel.
func (t *trace) cell(v ssa.Value, c at) {
	if t.seen[seen{v, c.start}] {
		return
	}
	t.seen[seen{v, c.start}] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			t.value(r, c)
		case *ssa.MakeClosure:
			t.capture(v, r, c)
		}
	}
}

// returned continues in the callers of a function that makes a channel for them.
func (t *trace) returned(r *ssa.Return, v ssa.Value, c at) {
	fn := r.Parent()
	if c.start != nil || c.via != nil || c.each {
		t.escapes = true
		return
	}
	if fn.Object() != nil && fn.Object().Exported() {
		t.given[fn] = slices.Index(r.Results, v)
	}
	for _, call := range t.calls.Calls(fn) {
		val, ok := call.(*ssa.Call)
		if !ok {
			continue
		}
		t.owners[val.Parent()] = val
		for i, res := range r.Results {
			if res == v {
				t.value(result(val, i, len(r.Results)), at{})
			}
		}
	}
	if _, given := t.given[fn]; !given && !t.calls.Closed(fn) && len(t.calls.Calls(fn)) == 0 {
		t.escapes = true
	}
}

// result is the i-th result of a call; the call itself when it has but one.
func result(call *ssa.Call, i, n int) ssa.Value {
	if n == 1 {
		return call
	}
	for _, r := range *call.Referrers() {
		if ex, ok := r.(*ssa.Extract); ok && ex.Index == i {
			return ex
		}
	}
	return call
}

// passed continues in a function of the package that gets the channel.
func (t *trace) passed(v ssa.Value, call ssa.CallInstruction, c at) {
	com := call.Common()
	if b, ok := com.Value.(*ssa.Builtin); ok {
		if b.Name() == "close" {
			_, deferred := call.(*ssa.Defer)
			t.add(op{kind: closing, in: call, deferred: deferred}, c)
		}
		return
	}
	var known bool
	for _, fn := range t.targets(com) {
		if fn.Blocks == nil || len(fn.Params) != len(com.Args) {
			continue
		}
		known = true
		for i, a := range com.Args {
			if a == v {
				t.value(fn.Params[i], called(call, c))
			}
		}
	}
	if !known && readOnly(v.Type()) {
		t.readers = true
		return
	}
	if !known && strings.HasPrefix(place.CalleeName(com), "os/signal.") {
		t.signals = true
		return
	}
	t.escapes = t.escapes || !known
}

// readOnly tells whether a channel can only be received from.
func readOnly(t types.Type) bool {
	ch, ok := t.Underlying().(*types.Chan)
	return ok && ch.Dir() == types.RecvOnly
}

// targets are the functions that a call can reach. Behind an interface can be any.
func (t *trace) targets(c *ssa.CallCommon) []*ssa.Function {
	if c.IsInvoke() {
		return nil
	}
	return t.calls.Targets(c)
}
