package unclosed

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// search is the work on one package.
type search struct {
	pass *analysis.Pass
	busy map[*ssa.Function]bool
	done map[*ssa.Function][]bool
	// fresh has the functions that return what they opened.
	fresh map[*ssa.Function]bool
}

// params reports for each parameter that is a resource whether it can be open
// when the function returns; nil when the function has none.
func (s *search) params(f *ssa.Function) []bool {
	if open, ok := s.done[f]; ok || s.busy[f] {
		return open
	}
	s.busy[f] = true
	defer delete(s.busy, f)
	var open []bool
	for i, p := range f.Params {
		r := resourceOf(p.Type())
		if r == nil || len(f.Blocks) == 0 {
			continue
		}
		if open == nil {
			open = make([]bool, len(f.Params))
		}
		open[i] = newWalk(s, r, p, beside(f.Params, i)).from(f.Blocks[0], 0) != nil
	}
	s.done[f] = open
	return open
}

// beside is the error that a function is handed together with a resource, as one
// is that is called with both results of a query.
func beside(params []*ssa.Parameter, i int) ssa.Value {
	if i+1 < len(params) && types.Identical(params[i+1].Type(), types.Universe.Lookup("error").Type()) {
		return params[i+1]
	}
	return nil
}

// callee tells whether a call leaves its argument open: it is known of functions
// of this package and of facts. What is not known is taken to close.
func (s *search) callee(call *ssa.CallCommon, arg int) bool {
	f := call.StaticCallee()
	if f == nil {
		return false
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if len(f.Blocks) > 0 {
		open := s.params(f)
		return arg < len(open) && open[arg]
	}
	var fact leavesOpen
	obj, ok := f.Object().(*types.Func)
	return ok && s.pass.ImportObjectFact(obj, &fact) && arg < len(fact.Params) && fact.Params[arg]
}

// walk looks for a path on which a value stays open.
type walk struct {
	*search
	resource *resource
	err      ssa.Value          // the error that came with it
	names    map[ssa.Value]bool // the value and its aliases
	seen     map[*ssa.BasicBlock]bool
	gives    map[ssa.Instruction]bool // they put it where somebody else may close it
	away     bool                     // it got to where nobody can follow it
	helper   token.Pos                // a call on the way that did not close
}

func newWalk(s *search, r *resource, v, err ssa.Value) *walk {
	w := &walk{search: s, resource: r, err: err, names: map[ssa.Value]bool{}, gives: map[ssa.Instruction]bool{}, seen: map[*ssa.BasicBlock]bool{}}
	w.alias(v)
	return w
}

// alias collects the names of a value: loads of the variable it was put into,
// what it was converted to, the embedded value that does the work.
func (w *walk) alias(v ssa.Value) {
	if w.names[v] || v.Referrers() == nil {
		return
	}
	w.names[v] = true
	for _, ref := range *v.Referrers() {
		switch in := ref.(type) {
		case *ssa.Phi:
			// It meets another value, often nil or that of the last turn of a loop,
			// and a flag may tell which it is.
			w.away = true
		case *ssa.MakeInterface:
			w.alias(in)
		case *ssa.ChangeInterface:
			w.alias(in)
		case *ssa.FieldAddr:
			if w.carries(in) {
				w.alias(in)
			}
		case *ssa.Call:
			if reads(&in.Call) && in.Call.StaticCallee().Signature.Recv() == nil {
				w.alias(in) // a decoder, scanner or buffer around it
			}
		case *ssa.UnOp:
			w.alias(in)
		case *ssa.Store:
			w.store(in, v)
		case *ssa.MakeClosure, *ssa.MapUpdate, *ssa.Send:
			w.gives[in] = true
		}
	}
}

// carries reports whether a field is what has to be closed: the body of a
// response, the rows inside of other rows.
func (w *walk) carries(in *ssa.FieldAddr) bool {
	p, ok := in.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	st, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	f := st.Field(in.Field)
	return f.Name() == w.resource.body || resourceOf(f.Type()) != nil
}

// reads reports a call of a function that reads what it is given, leaves it
// open, and may return a reader of it.
func reads(call *ssa.CallCommon) bool {
	f := call.StaticCallee()
	return f != nil && f.Pkg != nil && (slices.Contains(readers, f.Pkg.Pkg.Path()) || slices.Contains(wrappers, f.Pkg.Pkg.Path()))
}

// store follows a value into a local variable; with any other place somebody else
// has it.
func (w *walk) store(st *ssa.Store, v ssa.Value) {
	if st.Val != v {
		return
	}
	variable, ok := st.Addr.(*ssa.Alloc)
	if !ok {
		w.gives[st] = true
		return
	}
	for _, ref := range *variable.Referrers() {
		switch in := ref.(type) {
		case *ssa.UnOp:
			w.alias(in)
		case *ssa.Store:
			// Another value may be put there; both are looked after together.
		default:
			w.away = true
		}
	}
}

// from returns the instruction with which a path leaves the function while the
// value is open, nil when there is none.
func (w *walk) from(b *ssa.BasicBlock, i int) ssa.Instruction {
	if w.away {
		return nil
	}
	for _, in := range b.Instrs[i:] {
		if w.gives[in] {
			return nil
		}
		switch in := in.(type) {
		case *ssa.Return:
			if slices.ContainsFunc(in.Results, func(v ssa.Value) bool { return w.names[v] }) {
				return nil
			}
			return in
		case *ssa.Panic:
			return nil
		case ssa.CallInstruction:
			if w.closes(in) {
				return nil
			}
		case *ssa.If:
			return w.branch(b, in)
		}
	}
	return w.next(b.Succs...)
}

func (w *walk) next(succs ...*ssa.BasicBlock) ssa.Instruction {
	for _, b := range succs {
		if w.seen[b] {
			continue
		}
		w.seen[b] = true
		if leak := w.from(b, 0); leak != nil {
			return leak
		}
	}
	return nil
}

// branch goes only where the value is open: not where it was not opened, not
// where it was read to its end.
func (w *walk) branch(b *ssa.BasicBlock, in *ssa.If) ssa.Instruction {
	yes, no := b.Succs[0], b.Succs[1]
	cond := in.Cond
	for {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			break
		}
		cond, yes, no = not.X, no, yes
	}
	if call, ok := cond.(*ssa.Call); ok && w.resource.reads != "" && w.method(&call.Call) == w.resource.reads {
		return w.next(yes)
	}
	cmp, ok := cond.(*ssa.BinOp)
	if !ok || cmp.Op != token.EQL && cmp.Op != token.NEQ {
		return w.next(yes, no)
	}
	if cmp.Op == token.NEQ {
		yes, no = no, yes
	}
	switch x := operand(cmp); {
	case x == nil:
		return w.next(yes, no)
	case w.opening(x), w.failed(x):
		return w.next(yes)
	case w.names[x]:
		return w.next(no)
	}
	return w.next(yes, no)
}

// operand is what is compared with nil, if that is the comparison.
func operand(cmp *ssa.BinOp) ssa.Value {
	for _, pair := range [][2]ssa.Value{{cmp.X, cmp.Y}, {cmp.Y, cmp.X}} {
		if c, ok := pair[1].(*ssa.Const); ok && c.IsNil() {
			return pair[0]
		}
	}
	return nil
}

// opening reports whether a value is the error of the call that opened: itself,
// or read from the variable of that name before anything else got into it.
func (w *walk) opening(x ssa.Value) bool {
	if w.err == nil || x == w.err {
		return x != nil && x == w.err
	}
	load, ok := x.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	return slices.ContainsFunc(*w.err.Referrers(), func(in ssa.Instruction) bool {
		st, ok := in.(*ssa.Store)
		return ok && st.Addr == load.X && st.Block() == load.Block()
	})
}

// failed reports whether an error says that the value is closed already.
func (w *walk) failed(err ssa.Value) bool {
	call, ok := err.(*ssa.Call)
	return ok && w.resource.failing != "" && w.method(&call.Call) == w.resource.failing
}

// method is the name of the method that a call calls on the value, "" for none.
func (w *walk) method(call *ssa.CallCommon) string {
	if call.IsInvoke() {
		if w.names[call.Value] {
			return call.Method.Name()
		}
		return ""
	}
	f := call.StaticCallee()
	if f != nil && f.Signature.Recv() != nil && len(call.Args) > 0 && w.names[call.Args[0]] {
		return f.Name()
	}
	return ""
}

// closes reports whether a call, a go or a defer statement gives the value back,
// or hands it to somebody who may.
func (w *walk) closes(in ssa.CallInstruction) bool {
	call := in.Common()
	if name := w.method(call); name != "" && w.own(call) {
		return slices.Contains(w.resource.closes, name)
	}
	for i, arg := range call.Args {
		if !w.names[arg] {
			continue
		}
		if reads(call) || scans(call) {
			continue
		}
		if w.callee(call, i) {
			w.helper = in.Pos()
			continue
		}
		return true
	}
	return false
}

// scans reports a call of a function that the caller gave to read one row, as its
// name says: it leaves the rows to who has them.
func scans(call *ssa.CallCommon) bool {
	p, ok := call.Value.(*ssa.Parameter)
	return ok && !call.IsInvoke() && scanner.MatchString(p.Name())
}

var scanner = regexp.MustCompile(`(?i)^(scan|decode|read)(row|one|fn|func|er)?$|^row_?(mapper|scanner|fn|func)$`)

// own reports whether a method is one of the resource itself, which is known,
// and not one that takes it along.
func (w *walk) own(call *ssa.CallCommon) bool {
	if call.IsInvoke() {
		return true
	}
	recv := call.StaticCallee().Signature.Recv()
	return recv != nil && (resourceOf(recv.Type()) != nil || reads(call))
}
