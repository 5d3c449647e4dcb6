package goroutineleak

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// element follows a channel into an element of a list or map of this function: what
// is done with any element from then on may be done with this one.
func (t *trace) element(list ssa.Value, c at) {
	c.each, t.inList = true, true
	if s, ok := list.(*ssa.Slice); ok { // of an array: &[n]T, sliced
		list = s.X
	}
	if u, ok := list.(*ssa.UnOp); ok && u.Op == token.MUL { // a variable that closures may have
		if a, ok := u.X.(*ssa.Alloc); ok {
			list = a
		}
	}
	switch list.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.Phi, *ssa.Call:
		t.list(list, c)
	default:
		t.escapes = true
	}
}

// list looks at everything that is done with a list of channels, or with a variable
// or an iterator that holds it.
func (t *trace) list(v ssa.Value, c at) {
	if t.seen[seen{v, c.start}] || v.Referrers() == nil {
		return
	}
	t.seen[seen{v, c.start}] = true
	for _, r := range *v.Referrers() {
		t.listed(v, r, c)
	}
}

func (t *trace) listed(v ssa.Value, r ssa.Instruction, c at) {
	switch r := r.(type) {
	case *ssa.IndexAddr:
		t.slot(r, c)
	case *ssa.Index:
		t.value(r, c)
	case *ssa.Lookup:
		t.read(r, c)
	case *ssa.Next:
		t.read(r, c)
	case *ssa.UnOp:
		t.list(r, c)
	case *ssa.Slice:
		t.list(r, c)
	case *ssa.Phi:
		t.list(r, c)
	case *ssa.Range:
		t.list(r, c)
	case *ssa.Store:
		t.storeList(v, r, c)
	case *ssa.MapUpdate:
		t.escapes = t.escapes || r.Map != v
	case *ssa.Call:
		t.handedList(v, r, c)
	case *ssa.DebugRef:
	default:
		t.escapes = true
	}
}

// slot looks at the loads of one element; a store is that of another channel.
func (t *trace) slot(addr *ssa.IndexAddr, c at) {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			t.value(r, c)
		case *ssa.Store, *ssa.DebugRef:
		default:
			t.escapes = true
		}
	}
}

// read continues with what a look into a map, or a step through one, answers.
func (t *trace) read(v ssa.Value, c at) {
	tuple := false
	for _, r := range *v.Referrers() {
		if ex, ok := r.(*ssa.Extract); ok {
			tuple = true
			if isChan(ex.Type()) {
				t.value(ex, c)
			}
		}
	}
	if !tuple {
		t.value(v, c)
	}
}

// storeList is a store of a list: into a variable of this function that nobody else has,
// or away.
func (t *trace) storeList(v ssa.Value, s *ssa.Store, c at) {
	cell, ok := s.Addr.(*ssa.Alloc)
	switch {
	case s.Addr == v: // the variable gets another list
	case ok && s.Val == v:
		t.list(cell, c)
	default:
		t.escapes = true
	}
}

// handedList continues behind an append; of other calls only those that count.
func (t *trace) handedList(v ssa.Value, call *ssa.Call, c at) {
	b, ok := call.Call.Value.(*ssa.Builtin)
	switch {
	case ok && b.Name() == "append":
		t.list(call, c)
	case ok && (b.Name() == "len" || b.Name() == "cap" || b.Name() == "delete" || b.Name() == "clear"):
	default:
		t.escapes = true
	}
}
