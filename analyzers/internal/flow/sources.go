package flow

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// write is something that is put into memory: all of a variable or a part of it.
type write struct {
	at   ssa.Instruction
	path string
	from []Part
	sure bool // a store, and not a call that may leave the old value
}

// rounds bounds the search for a fixpoint; sets only grow, and what is missing
// after so many rounds went through as many variables in a loop.
const rounds = 12

// flow lets the sources flow until nothing changes.
func (m *maker) flow(blocks []*ssa.BasicBlock) {
	for range rounds {
		m.changed = false
		for _, b := range blocks {
			for _, in := range b.Instrs {
				m.step(in)
			}
		}
		if !m.changed {
			return
		}
	}
}

// put adds sources to a value.
func (m *maker) put(v ssa.Value, parts []Part) {
	if len(parts) == 0 {
		return
	}
	n := len(m.flows[v])
	m.flows[v] = add(m.flows[v], parts...)
	m.changed = m.changed || len(m.flows[v]) != n
}

// write notes that memory got sources.
func (m *maker) write(at ssa.Instruction, addr ssa.Value, parts []Part, sure bool) {
	root, path := address(addr)
	ws := m.writes[root]
	for i := range ws {
		if ws[i].at == at && ws[i].path == path {
			n := len(ws[i].from)
			ws[i].from = add(ws[i].from, parts...)
			m.changed = m.changed || len(ws[i].from) != n
			return
		}
	}
	m.note(root, write{at: at, path: path, from: add(nil, parts...), sure: sure})
}

// manyWrites is the number of writes to one variable after which no more are
// told apart: tables that are filled by hand.
const manyWrites = 80

func (m *maker) note(root ssa.Value, w write) {
	if len(m.writes[root]) < manyWrites {
		m.writes[root] = append(m.writes[root], w)
		m.changed = true
	}
}

// address splits an address into the variable and the part of it. A pointer
// and what it points to are one.
func address(v ssa.Value) (root ssa.Value, path string) {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		root, path = address(v.X)
		name, _ := fieldName(v.X.Type(), v.Field)
		return root, short(path + "." + name)
	case *ssa.IndexAddr:
		return address(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return address(v.X)
		}
	case *ssa.MakeInterface:
		return address(v.X)
	case *ssa.ChangeType:
		return address(v.X)
	case *ssa.Convert:
		return address(v.X)
	case *ssa.ChangeInterface:
		return address(v.X)
	case *ssa.Slice:
		return address(v.X)
	}
	return v, ""
}

// of returns the sources of a value at an instruction: of a variable, those of
// the stores that can be seen there.
func (m *maker) of(v ssa.Value, use ssa.Instruction) []Part {
	root, path := address(v)
	parts := pick(m.base(root), path)
	for _, w := range m.writes[root] {
		if m.hidden(root, w, path, use) || !m.canPrecede(w.at, use) {
			continue
		}
		sure := w.sure && w.path != "" && before(w.at, use)
		parts = add(parts, pick(at(w.path, w.from, sure), path)...)
	}
	if root != v {
		parts = add(parts, m.flows[v]...)
	}
	return parts
}

// canPrecede reports whether an instruction can run before another one.
func (m *maker) canPrecede(at, use ssa.Instruction) bool {
	if use == nil || use == at || m.ctl.reach[at.Block().Index].Has(use.Block().Index) {
		return true
	}
	return at.Block() == use.Block() && before(at, use)
}

// base are the sources that a value has by itself.
func (m *maker) base(v ssa.Value) []Part {
	switch v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return add([]Part{{Source: Source{Event: -1, Param: m.paramIndex(v)}}}, m.flows[v]...)
	}
	return m.flows[v]
}

// hidden reports whether what was written cannot be seen at the use: a store
// that always runs between the two put something else there.
func (m *maker) hidden(root ssa.Value, w write, path string, use ssa.Instruction) bool {
	if use == nil {
		return false
	}
	for _, o := range m.writes[root] {
		if o.sure && o.at != w.at && under(path, o.path) && under(path, w.path) && before(w.at, o.at) && before(o.at, use) {
			return true
		}
	}
	return false
}

// step lets the sources flow through one instruction.
func (m *maker) step(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		m.write(in, in.Addr, m.of(in.Val, in), true)
	case *ssa.MapUpdate:
		m.write(in, in.Map, m.of(in.Value, in), false)
	case ssa.CallInstruction:
		m.stepCall(in)
	case *ssa.Phi:
		for _, e := range in.Edges {
			m.put(in, m.of(e, nil))
		}
	case *ssa.BinOp:
		m.put(in, calculated(m.of(in.X, in)))
		m.put(in, calculated(m.of(in.Y, in)))
	case *ssa.Extract:
		m.stepExtract(in)
	case *ssa.Field:
		name, _ := fieldName(in.X.Type(), in.Field)
		m.put(in, m.named(pick(m.of(in.X, in), "."+name), name, in.Type()))
	case *ssa.FieldAddr:
		// address resolves it; the names of errors and counts are mended at the load
	case *ssa.UnOp:
		m.stepUnOp(in)
	case *ssa.Lookup:
		m.put(in, m.of(in.X, in))
	case *ssa.Index:
		m.put(in, m.of(in.X, in))
	case *ssa.Next:
		m.put(in, m.of(in.Iter, in))
	case *ssa.Range:
		m.put(in, m.of(in.X, in))
	case *ssa.TypeAssert:
		m.put(in, m.of(in.X, in))
	case *ssa.MakeClosure:
	}
	if v, ok := in.(ssa.Value); ok {
		m.stepMemory(in, v)
	}
}

// stepMemory gives an event on memory its value: a load, a lookup.
func (m *maker) stepMemory(in ssa.Instruction, v ssa.Value) {
	s := m.sites[in]
	if s == nil || s.row == nil {
		return
	}
	if _, isCall := in.(ssa.CallInstruction); !isCall && len(s.events) > 0 {
		m.put(v, []Part{{Source: Source{Event: s.events[0], Param: -1}}})
	}
}

func (m *maker) stepUnOp(in *ssa.UnOp) {
	switch {
	case in.Op == token.MUL:
		fa, ok := in.X.(*ssa.FieldAddr)
		parts := m.of(in.X, in)
		if ok {
			name, _ := fieldName(fa.X.Type(), fa.Field)
			parts = m.named(parts, name, in.Type())
		}
		m.put(in, parts)
	default:
		m.put(in, calculated(m.of(in.X, in)))
	}
}

// named mends the path of a field that stands for the error or the row count of
// a statement (gorm has them as fields).
func (m *maker) named(parts []Part, name string, t types.Type) []Part {
	out := make([]Part, 0, len(parts))
	for _, p := range parts {
		if p.Event >= 0 {
			switch {
			case p.Source.Path == "."+name && isError(t):
				p.Source.Path = ".err"
			case p.Source.Path == "."+name && name == "RowsAffected":
				p.Source.Path = ".n"
			}
		}
		out = append(out, p)
	}
	return out
}

func (m *maker) stepExtract(in *ssa.Extract) {
	call, ok := in.Tuple.(*ssa.Call)
	if !ok {
		m.put(in, m.of(in.Tuple, in))
		return
	}
	m.put(in, m.result(call, in.Index, in.Type()))
}

func (m *maker) stepCall(in ssa.CallInstruction) {
	s := m.sites[in]
	if s != nil {
		m.refresh(s)
		m.outputs(s)
	}
	call, ok := in.(*ssa.Call)
	if !ok {
		return
	}
	if _, isTuple := call.Type().(*types.Tuple); !isTuple {
		m.put(call, m.result(call, 0, call.Type()))
	}
	if s == nil || s.top == nil && s.row == nil && len(s.events) == 0 {
		m.unknownCall(call)
	}
}

// refresh brings the sources of the arguments up to date.
func (m *maker) refresh(s *site) {
	for i, a := range s.args {
		m.fillValue(&s.values[i], a, s.instr)
	}
	for _, f := range s.frames {
		f.refresh()
	}
}

func (f *frame) refresh() {
	f.around, f.known = nil, nil
	if f.again != nil {
		f.args = f.again()
	}
	for _, g := range f.calls {
		g.refresh()
	}
}

func (m *maker) fillValue(v *Value, a ssa.Value, use ssa.Instruction) {
	v.From = m.of(a, use)
	if elems, ok := m.elements(a); ok && len(elems) == len(v.Elems) {
		for i, e := range elems {
			m.fillValue(&v.Elems[i], e, use)
		}
	}
	if c := closureOf(a); c != nil && len(v.Bound) == len(c.Bindings) {
		for i, b := range c.Bindings {
			m.fillValue(&v.Bound[i], b, nil)
		}
	}
}

// result are the sources of a call's result.
func (m *maker) result(call *ssa.Call, k int, t types.Type) []Part {
	s := m.sites[call]
	switch {
	case s == nil:
		return m.unknownResult(call, k, t)
	case s.row != nil && s.row.Op == libs.Pass, s.row != nil && s.row.Op == libs.Build:
		var parts []Part
		for _, a := range s.args {
			parts = add(parts, m.of(a, call)...)
		}
		if isError(t) {
			return renamed(parts, ".err")
		}
		return parts
	case s.row != nil && s.row.Op == libs.Scan:
		return m.scanError(call, s)
	case s.top != nil:
		return s.top.answer(".#" + strconv.Itoa(k))
	case len(s.events) == 0:
		return m.unknownResult(call, k, t)
	}
	return m.eventResult(s, k, t)
}

// eventResult is the answer of an event itself.
func (m *maker) eventResult(s *site, k int, t types.Type) []Part {
	src := Source{Event: s.events[0], Param: -1}
	e := &m.sum.Events[s.events[0]]
	switch {
	case e.Op == libs.Calls:
		src.Path = ".#" + strconv.Itoa(k)
	case isError(t):
		src.Path = ".err"
	case s.row != nil && s.row.Note == "count":
		src.Path = ".count"
	}
	parts := []Part{{Source: src}}
	for _, f := range s.frames {
		if isError(t) && f.sum != nil && len(f.sum.Results) > 0 {
			parts = add(parts, f.answer(".#"+strconv.Itoa(len(f.sum.Results)-1))...)
		}
	}
	return parts
}

func (m *maker) scanError(call *ssa.Call, s *site) []Part {
	var parts []Part
	for _, p := range m.of(s.args[0], call) {
		if p.Event >= 0 && (p.Source.Path == "" || p.Source.Path == ".next") {
			p.Source.Path = ".err"
			parts = add(parts, p)
		}
	}
	return parts
}

// unknownResult is computed from all of the arguments.
func (m *maker) unknownResult(call *ssa.Call, k int, t types.Type) []Part {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok && b.Name() == "append" {
		var parts []Part
		for _, a := range common.Args {
			parts = add(parts, m.of(a, call)...)
		}
		return parts
	}
	if b, ok := common.Value.(*ssa.Builtin); ok && b.Name() == "len" {
		return calculated(existence(m.of(common.Args[0], call)))
	}
	var parts []Part
	for _, a := range arguments(common) {
		if _, isContext := a.Type().Underlying().(*types.Interface); isContext && strings.HasSuffix(a.Type().String(), "context.Context") {
			continue
		}
		parts = add(parts, m.of(a, call)...)
		if elems, ok := m.elements(a); ok {
			for _, e := range elems {
				parts = add(parts, m.of(e, call)...)
			}
		}
	}
	name := calledName(common)
	switch name {
	case "RowsAffected":
		return renamed(parts, ".n")
	case "Next":
		return renamed(parts, ".next")
	case "Mode", "Size", "ModTime", "IsDir", "Sys":
		if common.IsInvoke() && types.Unalias(common.Value.Type()).String() == "io/fs.FileInfo" {
			return renamed(parts, "."+name)
		}
	case "Err", "Error":
		if isError(t) {
			return renamed(parts, ".err")
		}
	}
	if isError(t) && k > 0 {
		return renamed(nil, "")
	}
	if _, one := t.Underlying().(*types.Basic); !one || spelling(common) {
		return parts // a collected or converted value keeps its fields
	}
	return calculated(parts)
}

// spelling reports whether a function only writes a text in another way: it
// takes one, or comes from package strings.
func spelling(c *ssa.CallCommon) bool {
	res := c.Signature().Results()
	if res.Len() == 0 || !isString(res.At(0).Type()) {
		return false
	}
	if f := c.StaticCallee(); f != nil && f.Pkg != nil && f.Pkg.Pkg.Path() == "strings" {
		return true
	}
	return len(c.Args) == 1 && isString(c.Args[0].Type())
}

// renamed are the answers among the sources, with another path.
func renamed(parts []Part, path string) []Part {
	var out []Part
	for _, p := range parts {
		if p.Event >= 0 && !strings.Contains(p.Source.Path, ".err") {
			p.Path, p.Over, p.Source.Path = "", false, path
			out = add(out, p)
		}
	}
	return out
}

func calledName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.Name()
	}
	if f := c.StaticCallee(); f != nil {
		return f.Name()
	}
	return ""
}

// arguments are those of a call, the receiver first.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
}

// unknownCall lets a function of which nothing is known copy its arguments into
// the variables whose address it gets.
func (m *maker) unknownCall(call *ssa.Call) {
	args := arguments(call.Common())
	for i, a := range args {
		if !addressOfVariable(a) {
			continue
		}
		for j, o := range args {
			if i != j {
				m.write(call, a, calculated(m.of(o, call)), false)
			}
		}
	}
}

func addressOfVariable(v ssa.Value) bool {
	root, _ := address(v)
	_, ok := root.(*ssa.Alloc)
	_, isPtr := v.Type().Underlying().(*types.Pointer)
	if mi, isIface := v.(*ssa.MakeInterface); isIface {
		_, isPtr = mi.X.Type().Underlying().(*types.Pointer)
	}
	return ok && isPtr
}

// outputs are what a call leaves in its arguments and captured variables.
func (m *maker) outputs(s *site) {
	switch {
	case s.row != nil && s.row.Op == libs.Scan:
		m.scan(s)
	case s.row != nil && s.row.Dest != libs.None && len(s.events) > 0:
		m.destination(s)
	case s.row == nil && len(s.events) > 0 && m.sum.Events[s.events[0]].Op == libs.Calls && s.top == nil:
		for k, a := range s.args {
			if addressOfVariable(a) {
				m.write(s.instr, a, []Part{{Source: Source{Event: s.events[0], Param: -1, Path: ".@" + strconv.Itoa(k)}}}, false)
			}
		}
	}
	for _, f := range s.frames {
		m.outs(s, f)
	}
}

// outs writes what a callee left in memory into the variables of this function.
func (m *maker) outs(s *site, f *frame) {
	for _, o := range f.sum.Outs {
		a := m.variable(s, f, o.Param)
		if a == nil {
			continue
		}
		if o.Sure {
			m.writePath(s.instr, a, o.Path, nil, true)
		}
		for _, p := range at(o.Path, f.parts(o.From), false) {
			if p.Source != none {
				m.writePath(s.instr, a, p.Path, []Part{{Source: p.Source}}, o.Sure && p.Path == o.Path)
			}
		}
	}
	for _, g := range f.calls {
		m.outs(s, g)
	}
}

// variable is the value of this function behind a callee's parameter or
// captured variable.
func (m *maker) variable(s *site, f *frame, k int) ssa.Value {
	if c := m.closure[f.sum.Name]; c != nil {
		if n := k - len(c.Fn.(*ssa.Function).Params); n >= 0 && n < len(c.Bindings) {
			return c.Bindings[n]
		}
		return nil
	}
	if f == s.top && k < len(s.args) {
		return s.args[k]
	}
	return nil
}

func (m *maker) writePath(at ssa.Instruction, addr ssa.Value, path string, parts []Part, sure bool) {
	root, base := address(addr)
	path = short(base + path)
	ws := m.writes[root]
	for i := range ws {
		if ws[i].at == at && ws[i].path == path {
			n := len(ws[i].from)
			ws[i].from = add(ws[i].from, parts...)
			m.changed = m.changed || len(ws[i].from) != n
			return
		}
	}
	m.note(root, write{at: at, path: path, from: parts, sure: sure})
}

// scan copies the columns of an answer into the destinations, one by one.
func (m *maker) scan(s *site) {
	n := s.row.Dest + 1 // behind the receiver
	if s.row.Type == "" {
		n = s.row.Dest
	}
	if n >= len(s.args) {
		return
	}
	dests, ok := m.elements(s.args[n])
	if !ok {
		dests = s.args[n:]
	}
	for _, p := range m.of(s.args[0], s.instr) {
		if p.Event < 0 && p.Param < 0 || p.Source.Path != "" && p.Source.Path != ".next" && !isCallPath(p.Source.Path) {
			continue
		}
		for i, d := range dests {
			src := p.Source
			if src.Path == ".next" {
				src.Path = ""
			}
			src.Path += m.column(p.Source, i, len(dests), d)
			src.Calc = false
			m.write(s.instr, d, []Part{{Source: src}}, false)
		}
	}
}

// column is the path of the i-th column of an answer: its name in the
// statement, or that of the destination. A structure takes the whole row.
func (m *maker) column(src Source, i, n int, dest ssa.Value) string {
	if n == 1 && isStruct(dest) {
		return ""
	}
	if src.Event >= 0 {
		if out := outputs(m.sum.Events[src.Event].SQL); len(out) == n {
			return "." + out[i]
		}
	}
	_, path := address(dest)
	if path == "" {
		return "." + strings.TrimPrefix(dest.Name(), "&")
	}
	return path[strings.LastIndexByte(path, '.'):]
}

// outputs are the names of the columns that a statement answers with; nil when
// they cannot be told.
func outputs(sql string) []string {
	if sql == "" {
		return nil
	}
	acc := sqlread.Read(sql)
	var names []string
	for i, o := range acc.Outputs {
		switch {
		case o.Name == "*":
			return nil
		case o.Column != "":
			names = append(names, o.Column)
		case o.Name != "":
			names = append(names, o.Name)
		default:
			names = append(names, "expr"+strconv.Itoa(i))
		}
	}
	return names
}

func isStruct(v ssa.Value) bool {
	t := v.Type()
	if mi, ok := v.(*ssa.MakeInterface); ok {
		t = mi.X.Type()
	}
	for {
		p, ok := t.Underlying().(*types.Pointer)
		if !ok {
			break
		}
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		switch libs.Path(named) {
		case "time", "database/sql", "github.com/google/uuid", "github.com/jackc/pgx/v5/pgtype", "math/big", "github.com/shopspring/decimal":
			return false
		}
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// destination copies an answer into the argument that receives it.
func (m *maker) destination(s *site) {
	n := s.row.Dest
	if s.row.Type != "" {
		n++
	}
	if n >= len(s.args) {
		return
	}
	dests := []ssa.Value{s.args[n]}
	if isNil(s.args[n]) {
		if dests[0] = m.model(s.args[0]); dests[0] == nil {
			return
		}
	} else if elems, ok := m.elements(s.args[n]); ok {
		dests = elems
	}
	for i, d := range dests {
		if s.row.Op == libs.Exec && !wroteBack(s.row.Note) {
			continue
		}
		src := Source{Event: s.events[0], Param: -1}
		if !isStruct(d) && !isSlice(d) {
			src.Path = m.column(src, i, len(dests), d)
			if s.row.Note == "count" {
				src.Path = ".count"
			}
		}
		m.write(s.instr, d, []Part{{Source: src}}, false)
	}
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// wroteBack reports whether the statement fills in the structure that it wrote:
// an insert puts the new key there.
func wroteBack(verb string) bool { return verb == "insert" }

func isSlice(v ssa.Value) bool {
	t := v.Type()
	if mi, ok := v.(*ssa.MakeInterface); ok {
		t = mi.X.Type()
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func closureOf(v ssa.Value) *ssa.MakeClosure {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v
	case *ssa.MakeInterface:
		return closureOf(v.X)
	case *ssa.ChangeType:
		return closureOf(v.X)
	}
	return nil
}
