package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// desc names a value of the function.
func (m *maker) desc(v ssa.Value) Desc {
	if d, ok := m.descs[v]; ok {
		return d
	}
	m.descs[v] = m.local(v) // for cycles
	d := m.describeValue(v)
	if d.size() > large {
		d = m.local(v)
	}
	if h := libs.HandleOf(v.Type()); h != libs.NoHandle && (d.Handle <= libs.AnyHandle || h > libs.AnyHandle) {
		d.Handle = h
	}
	m.descs[v] = d
	return d
}

// large is the number of parts after which an expression is not written out.
const large = 60

func (d Desc) size() int {
	n := 1
	for _, a := range d.Args {
		n += a.size()
	}
	return n
}

// local is the name of a value that has no better one.
func (m *maker) local(v ssa.Value) Desc {
	return Desc{Root: Local, Name: m.fn.Name() + "." + v.Name(), Class: made(v)}
}

// made says how a local came to be: "new" for what was allocated here, "call
// os.Open" for the result of a call; empty for anything else.
func made(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		return "new"
	case *ssa.Extract:
		return made(v.Tuple)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return "new"
		}
		return "call " + calledFull(&v.Call)
	}
	return ""
}

func (m *maker) describeValue(v ssa.Value) Desc {
	switch v := v.(type) {
	case *ssa.Const:
		return Desc{Root: Const, Name: constText(v)}
	case *ssa.Parameter, *ssa.FreeVar:
		return Desc{Root: Param, N: m.paramIndex(v)}
	case *ssa.Global:
		return m.global(v)
	case *ssa.Function:
		return Desc{Root: Func, Name: funcName(v)}
	case *ssa.MakeClosure:
		return m.closureDesc(v)
	case *ssa.Alloc:
		return m.cell(v)
	case *ssa.FieldAddr:
		return m.field(v.X, v.Field)
	case *ssa.Field:
		return m.field(v.X, v.Field)
	case *ssa.IndexAddr:
		return m.desc(v.X).Part("[]")
	case *ssa.Index:
		return m.desc(v.X).Part("[]")
	case *ssa.Lookup:
		return m.desc(v.X).Part("[]")
	case *ssa.UnOp:
		return m.unop(v)
	case *ssa.Slice:
		return m.desc(v.X)
	case *ssa.Convert:
		return m.desc(v.X)
	case *ssa.ChangeType:
		return m.desc(v.X)
	case *ssa.ChangeInterface:
		return m.desc(v.X)
	case *ssa.MakeInterface:
		return m.desc(v.X)
	case *ssa.TypeAssert:
		return m.desc(v.X)
	case *ssa.Extract:
		return m.extract(v)
	case *ssa.Call:
		return m.callDesc(v, 0)
	case *ssa.BinOp:
		return Desc{Root: Expr, Name: v.Op.String(), Args: []Desc{m.desc(v.X), m.desc(v.Y)}}
	case *ssa.Phi:
		return m.phi(v)
	}
	return m.local(v)
}

func (m *maker) paramIndex(v ssa.Value) int {
	for i, p := range m.fn.Params {
		if p == v {
			return i
		}
	}
	for i, f := range m.fn.FreeVars {
		if f == v {
			return len(m.fn.Params) + i
		}
	}
	return -1
}

func (m *maker) global(g *ssa.Global) Desc {
	if k, ok := m.b.constants[g.String()]; ok && k.Parts == nil {
		return Desc{Root: Const, Name: k.Text}
	}
	return Desc{Root: Global, Name: g.Pkg.Pkg.Path() + "." + g.Name(), Class: g.Pkg.Pkg.Path() + "." + g.Name(), Given: m.b.wires[g.String()].name}
}

// closureDesc names a function with what it captured. A method value has its
// receiver there.
func (m *maker) closureDesc(c *ssa.MakeClosure) Desc {
	fn := c.Fn.(*ssa.Function)
	d := Desc{Root: Func, Name: funcName(fn)}
	if method, ok := fn.Object().(*types.Func); ok && strings.HasPrefix(fn.Synthetic, "bound method") {
		d.Name = method.FullName()
	}
	for _, b := range c.Bindings {
		d.Args = append(d.Args, m.desc(b))
	}
	return d
}

// cell names a variable: by what is stored in it, when that happens once, or at
// first, before anything else can see it.
func (m *maker) cell(a *ssa.Alloc) Desc {
	var stored ssa.Value
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != a {
				return m.local(a)
			}
			stored = r.Val
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if written(r.(ssa.Value)) {
				return m.local(a)
			}
		case *ssa.UnOp, *ssa.DebugRef, *ssa.MakeClosure:
		default:
			return m.local(a) // its address goes somewhere
		}
	}
	if storedTwice(a) {
		stored = settled(a)
	}
	if _, isZero := stored.(*ssa.Const); stored == nil || isZero && !basic(stored.Type()) {
		return m.local(a)
	}
	return m.desc(stored)
}

// settled is the last value of a variable that is stored in the block that makes it
// alone, as a parameter is that the function begins by replacing; nil when a function
// literal may see an earlier one, or store another.
func settled(a *ssa.Alloc) (last ssa.Value) {
	stores := 0
	for _, in := range a.Block().Instrs {
		if st, ok := in.(*ssa.Store); ok && st.Addr == a {
			stores++
			last = st.Val
		}
	}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			stores--
		case *ssa.MakeClosure:
			if storesAfter(r, a) || stored(r, a) {
				return nil
			}
		}
	}
	if stores != 0 {
		return nil
	}
	return last
}

// storesAfter reports whether a variable is stored in the block of a function literal
// behind it.
func storesAfter(c *ssa.MakeClosure, a *ssa.Alloc) bool {
	instrs := c.Block().Instrs
	return slices.ContainsFunc(instrs[slices.Index(instrs, ssa.Instruction(c)):], func(in ssa.Instruction) bool {
		st, ok := in.(*ssa.Store)
		return ok && st.Addr == a
	})
}

// stored reports whether a function literal may store a variable that it captured.
func stored(c *ssa.MakeClosure, a *ssa.Alloc) bool {
	return written(c.Fn.(*ssa.Function).FreeVars[slices.Index(c.Bindings, ssa.Value(a))])
}

func basic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// written reports whether something is stored through the address.
func written(addr ssa.Value) bool {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == addr {
				return true
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}

func (m *maker) unop(v *ssa.UnOp) Desc {
	if v.Op == token.MUL {
		if a, ok := v.X.(*ssa.Alloc); ok {
			if d, ok := m.reaching(a, v); ok {
				return d
			}
			if v.Block() == a.Block() && storedTwice(a) {
				return m.local(a) // which of them is not known
			}
		}
		if d, ok := m.given(v); ok {
			return d
		}
		return m.desc(v.X)
	}
	if v.Op == token.ARROW {
		return m.local(v)
	}
	return Desc{Root: Expr, Name: v.Op.String(), Args: []Desc{m.desc(v.X)}}
}

func storedTwice(a *ssa.Alloc) bool {
	n := 0
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == a {
			n++
		}
	}
	return n > 1
}

// reaching finds the store that a load in the same block sees.
func (m *maker) reaching(a *ssa.Alloc, load *ssa.UnOp) (Desc, bool) {
	var last *ssa.Store
	for _, in := range load.Block().Instrs {
		if in == ssa.Instruction(load) {
			break
		}
		switch in := in.(type) {
		case *ssa.Store:
			if in.Addr == a {
				last = in
			}
		case ssa.CallInstruction:
			last = nil
		}
	}
	if last == nil {
		return Desc{}, false
	}
	return m.desc(last.Val), true
}

func (m *maker) extract(v *ssa.Extract) Desc {
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		return m.callDesc(t, v.Index)
	case *ssa.TypeAssert:
		if v.Index == 0 {
			return m.desc(t.X)
		}
	case *ssa.Lookup:
		if v.Index == 0 {
			return m.desc(t.X).Part("[]")
		}
	case *ssa.Next:
		if r, ok := t.Iter.(*ssa.Range); ok && v.Index > 0 {
			return m.desc(r.X).Part("[]")
		}
	}
	return m.local(v)
}

func (m *maker) phi(v *ssa.Phi) Desc {
	if d, ok := m.foundOrMade(v); ok {
		return d
	}
	if d, ok := m.givenOrDefault(v); ok {
		return d
	}
	d := Desc{Root: Unknown, Name: "phi"}
	same := true
	for _, e := range v.Edges {
		if e == ssa.Value(v) {
			continue
		}
		d.Args = append(d.Args, m.desc(e))
		same = same && d.Args[0].String() == d.Args[len(d.Args)-1].String()
	}
	if same && len(d.Args) > 0 && d.Args[0].Name != m.local(v).Name {
		return d.Args[0]
	}
	return d
}
