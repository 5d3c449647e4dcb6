package flow

import (
	"go/token"
	"go/types"
	"reflect"
	"strconv"
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
	if text, ok := m.b.texts[g]; ok {
		return Desc{Root: Const, Name: text}
	}
	return Desc{Root: Global, Name: g.Pkg.Pkg.Path() + "." + g.Name(), Class: g.Pkg.Pkg.Path() + "." + g.Name()}
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

// cell names a variable: by what is stored in it, when that happens once.
func (m *maker) cell(a *ssa.Alloc) Desc {
	var stored ssa.Value
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != a || stored != nil {
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
	if _, isZero := stored.(*ssa.Const); stored == nil || isZero && !basic(stored.Type()) {
		return m.local(a)
	}
	return m.desc(stored)
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

func (m *maker) field(x ssa.Value, n int) Desc {
	if embedsHandle(x.Type(), n) {
		return m.desc(x)
	}
	name, class := fieldName(x.Type(), n)
	root, base := address(x)
	if d, ok := m.shape(root)["."+name]; ok && base == "" {
		return d
	}
	d := m.desc(x).Part("." + name)
	d.Class = class
	return d
}

// embedsHandle reports whether a field is the handle inside of a handle, as
// *sql.Tx is in sqlx.Tx: both are one.
func embedsHandle(t types.Type, n int) bool {
	if libs.HandleOf(t) == libs.NoHandle {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return ok && st.Field(n).Embedded() && libs.HandleOf(st.Field(n).Type()) != libs.NoHandle
}

// fieldName is the name of a field: the column, where a tag names one. class is
// the declaration.
func fieldName(t types.Type, n int) (name, class string) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return strconv.Itoa(n), ""
	}
	f := st.Field(n)
	if tn := libs.TypeName(t); tn != "" {
		class = libs.Path(t) + "." + tn + "." + f.Name()
	}
	if c := columnTag(st.Tag(n)); c != "" {
		return c, class
	}
	return f.Name(), class
}

// columnTag is the column that a tag of sqlx, bun, pgx or gorm names.
func columnTag(tag string) string {
	st := reflect.StructTag(tag)
	for _, key := range []string{"db", "bun"} {
		name, _, _ := strings.Cut(st.Get(key), ",")
		if name != "" && name != "-" && !strings.Contains(name, ":") {
			return name
		}
	}
	for part := range strings.SplitSeq(st.Get("gorm"), ";") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(part), "column:"); ok {
			return name
		}
	}
	return ""
}

func (m *maker) unop(v *ssa.UnOp) Desc {
	if v.Op == token.MUL {
		if a, ok := v.X.(*ssa.Alloc); ok {
			if d, ok := m.reaching(a, v); ok {
				return d
			}
		}
		return m.desc(v.X)
	}
	if v.Op == token.ARROW {
		return m.local(v)
	}
	return Desc{Root: Expr, Name: v.Op.String(), Args: []Desc{m.desc(v.X)}}
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

// callDesc names a result of a call.
func (m *maker) callDesc(c *ssa.Call, k int) Desc {
	if s := m.sites[c]; s != nil {
		switch {
		case s.row != nil && s.row.Op == libs.Pass:
			return s.passed(m)
		case s.top != nil && k < len(s.top.sum.Descs):
			d := s.top.desc(s.top.sum.Descs[k])
			if d.Handle != libs.NoHandle {
				d.Via = calledName(&c.Call)
			}
			return d
		case len(s.events) > 0 && s.top == nil:
			return Desc{Root: Result, N: s.events[0], Path: ".#" + strconv.Itoa(k)}
		}
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "min" || b.Name() == "max") {
		return m.expr(b.Name(), c.Call.Args)
	}
	if f := c.Call.StaticCallee(); f != nil && f.Pkg != nil && pure[f.Pkg.Pkg.Path()] && c.Call.Signature().Recv() == nil {
		return m.expr(f.String(), c.Call.Args)
	}
	if asksByName(c) {
		return m.expr(calledFull(&c.Call), arguments(&c.Call))
	}
	if libs.HandleOf(c.Type()) != libs.NoHandle && calledFull(&c.Call) != "" && len(arguments(&c.Call)) == 1 {
		return m.expr(calledFull(&c.Call), arguments(&c.Call))
	}
	return m.local(c)
}

// asksByName reports whether a call reads a text by a constant name: a form
// value, a path parameter, a header. It gives the same again.
func asksByName(c *ssa.Call) bool {
	args := c.Call.Args
	if len(args) == 0 || !isString(c.Type()) || calledFull(&c.Call) == "" {
		return false
	}
	name, ok := args[len(args)-1].(*ssa.Const)
	return ok && name.Value != nil && isString(name.Type())
}

// passed is the argument that a Pass hands on.
func (s *site) passed(m *maker) Desc {
	n := s.row.On
	if n == libs.None || s.row.Type != "" {
		n++
	}
	if n < len(s.args) {
		return m.desc(s.args[n])
	}
	return Desc{}
}

// pure are packages whose functions return the same for the same arguments.
var pure = map[string]bool{"strings": true, "strconv": true, "fmt": true, "path": true, "path/filepath": true, "bytes": true, "slices": true, "maps": true, "cmp": true}

func (m *maker) expr(name string, args []ssa.Value) Desc {
	d := Desc{Root: Expr, Name: name}
	for _, a := range args {
		if elems, ok := m.elements(a); ok {
			for _, e := range elems {
				d.Args = append(d.Args, m.desc(e))
			}
			continue
		}
		d.Args = append(d.Args, m.desc(a))
	}
	return d
}

func (m *maker) phi(v *ssa.Phi) Desc {
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

// elements are the values of a slice that is written out in the call, as the
// arguments of a variadic function are.
func (m *maker) elements(v ssa.Value) ([]ssa.Value, bool) {
	if c, ok := v.(*ssa.Const); ok && c.Value == nil {
		if _, isSlice := v.Type().Underlying().(*types.Slice); isSlice {
			return nil, true
		}
	}
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil, false
	}
	a, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil, false
	}
	arr, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || arr.Len() > 200 {
		return nil, false
	}
	elems := make([]ssa.Value, arr.Len())
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		n, isConst := ia.Index.(*ssa.Const)
		if !isConst {
			return nil, false
		}
		for _, st := range *ia.Referrers() {
			if st, ok := st.(*ssa.Store); ok && st.Addr == ssa.Value(ia) {
				elems[n.Int64()] = st.Val
			}
		}
	}
	for _, e := range elems {
		if e == nil {
			return nil, false
		}
	}
	return elems, true
}
