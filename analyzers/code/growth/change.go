package growth

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// grow reads an instruction as one that adds to a container.
func grow(in ssa.Instruction) (growing, bool) {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		h := heldBy(in.Map)
		return growing{in, in.Pos(), h, in.Map, settled(in.Key), in.Value}, h != nil
	case *ssa.Store:
		call, ok := in.Val.(*ssa.Call)
		if !ok || place.CalleeName(call.Common()) != "builtin.append" {
			return growing{}, false
		}
		h, from := heldAt(in.Addr), heldBy(call.Call.Args[0])
		if h == nil || h != from {
			return growing{}, false
		}
		return growing{in, in.Pos(), h, in.Addr, nil, appended(call)}, true
	case *ssa.Call:
		name := place.CalleeName(in.Common())
		if buf := written(in.Common()); buf != nil {
			h := heldAt(buf)
			return growing{in, in.Pos(), h, buf, nil, in}, h != nil
		}
		if name == "(*container/list.List).PushBack" || name == "(*container/list.List).PushFront" {
			h := listAt(in.Call.Args[0])
			return growing{in, in.Pos(), h, in.Call.Args[0], nil, plain(in.Call.Args[1])}, h != nil
		}
		if name != "(*sync.Map).Store" && name != "(*sync.Map).LoadOrStore" && name != "(*sync.Map).Swap" {
			return growing{}, false
		}
		h := heldAt(in.Call.Args[0])
		return growing{in, in.Pos(), h, in.Call.Args[0], settled(plain(in.Call.Args[1])), plain(in.Call.Args[2])}, h != nil
	}
	return growing{}, false
}

// settled is the parameter behind a variable that a function literal captured and
// nobody changes.
func settled(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	if a, ok := load.X.(*ssa.Alloc); ok {
		if p, ok := place.Assigned(a).(*ssa.Parameter); ok {
			return p
		}
	}
	return v
}

// appended is the element of an append of one.
func appended(c *ssa.Call) ssa.Value {
	if vals := place.Variadic(c.Call.Args[1]); len(vals) == 1 {
		return vals[0]
	}
	return c.Call.Args[1]
}

func plain(v ssa.Value) ssa.Value {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		return mi.X
	}
	return v
}

// heldBy is the container that a map or slice was read from.
func heldBy(v ssa.Value) container {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return heldAt(v.X)
		}
	case *ssa.Field:
		return place.FieldOf(v.X.Type(), v.Field).Origin()
	case *ssa.ChangeType:
		return heldBy(v.X)
	case *ssa.FreeVar: // captured by value
		if b := place.Captured(v); b != nil {
			return heldBy(b)
		}
	case *ssa.MakeMap:
		return nil
	}
	return nil
}

// listAt is the list that a pointer leads to: one that was read, or a variable.
func listAt(v ssa.Value) container {
	if h := heldBy(v); h != nil {
		return h
	}
	return heldAt(v)
}

// heldAt is the container at an address.
func heldAt(addr ssa.Value) container {
	switch a := addr.(type) {
	case *ssa.Global:
		return a
	case *ssa.FieldAddr:
		return place.FieldOf(a.X.Type(), a.Field).Origin()
	case *ssa.Alloc:
		return a
	case *ssa.FreeVar:
		if b := place.Captured(a); b != nil {
			return heldAt(b)
		}
	}
	return nil
}

// shrink notes that something takes entries out of a container, or counts them.
func (j *judge) shrink(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		if h := heldAt(in.Addr); h != nil && isContainer(in.Val.Type()) && j.live(in.Parent()) && !j.first(in, h) {
			j.noteIn(in.Parent(), h)
		}
	case ssa.CallInstruction:
		j.call(in)
	}
}

// closing are the names of methods that end the life of what they belong to.
var closing = regexp.MustCompile(`^(?i:close|stop|shut_?down|destroy|dispose|tear_?down|terminate)$`)

// last tells whether a function ends the life of a container's owner: what it empties
// then was full all the time before. An owner that comes and goes with its visitor
// takes its entries along.
func last(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	return recv != nil && closing.MatchString(fn.Name()) && !visitorName.MatchString(libs.TypeName(recv.Type()))
}

// live tells whether a function can run: somebody refers to it, or can.
func (j *judge) live(fn *ssa.Function) bool {
	return fn.Object() == nil || fn.Object().Exported() || j.calls.Used(fn) || fn.Name() == "init" || fn.Signature.Recv() != nil && j.calls.Used(fn)
}

func isContainer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return strings.HasSuffix(t.String(), "sync.Map") || isList(t)
}

// first tells whether a store is the one that creates the container: in init,
// in the function that makes its owner, or where it was nil.
func (j *judge) first(st *ssa.Store, h container) bool {
	fn := st.Parent()
	if strings.HasPrefix(fn.Name(), "init") && fn.Signature.Recv() == nil {
		return true
	}
	switch a := st.Addr.(type) {
	case *ssa.FieldAddr:
		if _, made := a.X.(*ssa.Alloc); made {
			return true
		}
	case *ssa.Alloc:
		return fresh(st.Val) && place.Assigned(a) != nil
	}
	if !fresh(st.Val) {
		return false
	}
	for _, b := range fn.Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if ok && comparesNil(br.Cond, h) {
			return true
		}
	}
	return false
}

func fresh(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeMap, *ssa.MakeSlice:
		return true
	case *ssa.ChangeType:
		return fresh(v.X)
	}
	return false
}

func comparesNil(cond ssa.Value, h container) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	k, ok := b.Y.(*ssa.Const)
	return ok && k.IsNil() && heldBy(b.X) == h
}

// initial tells whether a slice is filled where it was found to be nil, and nowhere
// else: it gets what belongs into it, once.
func initial(g growing) bool {
	return g.key == nil && slices.ContainsFunc(g.in.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !comparesNil(br.Cond, g.holds) {
			return false
		}
		yes := b.Succs[0]
		if br.Cond.(*ssa.BinOp).Op == token.NEQ {
			yes = b.Succs[1]
		}
		return len(yes.Preds) == 1 && yes.Dominates(g.in.Block())
	})
}

// call notes evictions, and comparisons of the length.
func (j *judge) call(c ssa.CallInstruction) {
	com := c.Common()
	name := place.CalleeName(com)
	if len(com.Args) == 0 || !j.live(c.Parent()) {
		return
	}
	switch {
	case name == "builtin.delete" && !cfg.Within(c.Block()):
		j.take(c, heldBy(com.Args[0]))
	case name == "builtin.delete", name == "builtin.clear", strings.HasPrefix(name, "maps.DeleteFunc"), strings.HasPrefix(name, "golang.org/x/exp/maps.Clear"), strings.HasPrefix(name, "golang.org/x/exp/maps.DeleteFunc"):
		j.noteIn(c.Parent(), heldBy(com.Args[0]))
	case strings.HasPrefix(name, "(*sync.Map)."):
		switch name[len("(*sync.Map)."):] {
		case "Delete", "LoadAndDelete", "CompareAndDelete":
			if h := heldAt(com.Args[0]); cfg.Within(c.Block()) || j.ranges(c.Parent()) {
				j.noteIn(c.Parent(), h)
			} else {
				j.take(c, h)
			}
		case "Clear":
			j.noteIn(c.Parent(), heldAt(com.Args[0]))
		}
	case name == "(*container/list.List).Remove", name == "(*container/list.List).Init":
		j.note(listAt(com.Args[0]))
	case name == "(*container/list.List).Len":
		if call, ok := c.(*ssa.Call); ok && limits(call) {
			j.note(listAt(com.Args[0]))
		}
	case name == "builtin.len":
		if call, ok := c.(*ssa.Call); ok && limits(call) {
			j.note(heldBy(com.Args[0]))
		}
	default:
		j.drained(c)
		j.handed(c)
	}
}

func (j *judge) note(h container) {
	if h != nil {
		j.shrinks[h], j.bounds[h] = true, true
	}
}

// noteIn is note for what a function empties; at the end of the owner's life it
// bounds what belongs to a connection, and nothing that grows before.
func (j *judge) noteIn(fn *ssa.Function, h container) {
	if h != nil && last(fn) {
		j.bounds[h] = true
		return
	}
	j.note(h)
}

// take notes that a call takes out the entry of one key.
func (j *judge) take(c ssa.CallInstruction, h container) {
	switch {
	case h == nil:
	case expired(c, h):
		j.lazy[h] = true
	default:
		j.shrinks[h] = true
		j.answers[h] = append(j.answers[h], c)
	}
}

// ranges tells whether a function is run for every entry of a sync.Map.
func (j *judge) ranges(fn *ssa.Function) bool {
	return slices.ContainsFunc(j.calls.Values(fn), func(in ssa.Instruction) bool {
		c, ok := in.(ssa.CallInstruction)
		return ok && place.CalleeName(c.Common()) == "(*sync.Map).Range"
	})
}

// limits tells whether a length is compared to anything but zero.
func limits(c *ssa.Call) bool {
	for _, r := range *c.Referrers() {
		b, ok := r.(*ssa.BinOp)
		if !ok || !decides(b, 0) {
			continue
		}
		switch b.Op {
		case token.LSS, token.GTR, token.LEQ, token.GEQ, token.EQL, token.NEQ, token.REM:
			for _, side := range []ssa.Value{b.X, b.Y} {
				if k, isConst := side.(*ssa.Const); side != c && !(isConst && k.Value != nil && k.Int64() == 0) && !isIndex(side) {
					return true
				}
			}
		}
	}
	return false
}

// isIndex tells whether a value counts the iterations of a loop over the slice.
func isIndex(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Phi:
		return true
	case *ssa.BinOp:
		_, one := v.Y.(*ssa.Const)
		return one && isIndex(v.X)
	}
	return false
}

// handed looks for evictions in a function of the package that gets the
// container as an argument; what other packages do with it is taken for one.
func (j *judge) handed(c ssa.CallInstruction) {
	fn := callers.Callee(c.Common())
	for i, a := range c.Common().Args {
		h := heldBy(a)
		if h == nil || !isContainer(a.Type()) {
			continue
		}
		if fn == nil || fn.Blocks == nil {
			if removes(place.CalleeName(c.Common())) {
				j.note(h)
			}
			continue
		}
		if i < len(fn.Params) && takesOut(fn.Params[i]) {
			j.note(h)
		}
	}
}

// removes tells whether a function that is not of the package may take entries
// out: only those that are known to read are trusted not to.
func removes(name string) bool {
	for _, p := range []string{"builtin.", "maps.Clone", "maps.Keys", "maps.Values", "maps.All", "slices.Contains", "slices.Index", "slices.Clone", "slices.Sort", "sort.", "fmt.", "encoding/json.", "log", "strings.Join"} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return true
}

func takesOut(p *ssa.Parameter) bool {
	for _, r := range *p.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if ok && (place.CalleeName(c.Common()) == "builtin.delete" || place.CalleeName(c.Common()) == "builtin.clear") {
			return true
		}
	}
	return false
}
