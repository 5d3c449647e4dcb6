package flow

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

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

// handsRecord reports whether a function value is handed a structure of the module
// that another call has answered with: it was made for that, and may change it.
func handsRecord(in ssa.Instruction, v ssa.Value) bool {
	call, ok := in.(ssa.CallInstruction)
	if !ok || call.Common().IsInvoke() {
		return false
	}
	switch v.(type) {
	case *ssa.Extract, *ssa.Call, *ssa.Phi:
	default:
		return false
	}
	_, isPtr := v.Type().Underlying().(*types.Pointer)
	return isPtr && isStruct(v)
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
			if record := handsRecord(s.instr, a); record || addressOfVariable(a) {
				m.write(s.instr, a, []Part{{Source: Source{Event: s.events[0], Param: -1, Path: ".@" + strconv.Itoa(k), Calc: record}}}, false)
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
			switch {
			case p.Source != none:
				m.writePath(s.instr, a, p.Path, []Part{{Source: p.Source}}, o.Sure && p.Path == o.Path)
			case p.Path == o.Path+changed.Path:
				m.writePath(s.instr, a, o.Path, []Part{changed}, false)
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
