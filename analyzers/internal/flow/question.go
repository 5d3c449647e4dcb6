package flow

import (
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// conds are the branches on which an instruction depends, as questions.
func (m *maker) conds(in ssa.Instruction) []Cond {
	var out []Cond
	for _, e := range asksFirst(m.ctl.on(in.Block())) {
		if m.iterates(e.from, in.Block()) || isBody(m.fn) && e.from.Index == 0 {
			continue
		}
		if br, ok := e.from.Instrs[len(e.from.Instrs)-1].(*ssa.If); ok {
			quiet, refused := m.quietly(br, e.side), m.refuses(br, e.side)
			for _, c := range m.question(br, e.side == 0) {
				c.Quiet, c.Refused = quiet, refused
				out = addCond(out, c)
			}
		}
	}
	return out
}

// asksFirst puts the ends of ranges behind the branches that the program has: of two
// that ask the same source the first is kept, and that a list is at its end says less
// than what was asked of its elements.
func asksFirst(edges []edge) []edge {
	var asks, ends []edge
	for _, e := range edges {
		if strings.HasPrefix(e.from.Comment, "range") && strings.HasSuffix(e.from.Comment, ".loop") {
			ends = append(ends, e)
		} else {
			asks = append(asks, e)
		}
	}
	return append(asks, ends...)
}

// iterates reports whether the branch only says that a loop goes on.
func (m *maker) iterates(branch, b *ssa.BasicBlock) bool {
	for _, l := range m.loops {
		if l.head == branch && l.body[b] {
			return true
		}
	}
	return false
}

// question is what a branch asks, as it comes out on one side.
func (m *maker) question(br *ssa.If, yes bool) []Cond {
	cond := br.Cond
	for {
		n, ok := cond.(*ssa.UnOp)
		if !ok || n.Op != token.NOT {
			break
		}
		cond, yes = n.X, !yes
	}
	at := cond.Pos()
	if !at.IsValid() {
		at = near(br) // the second result of a lookup has no place of its own
	}
	pos := m.b.pos(at)
	if err, test, ok := m.errorTest(cond, yes); ok {
		return asked(m.of(err, br), Cond{Test: test, Pos: pos, Yes: yes})
	}
	if v, op := nilTest(cond); v != nil {
		return asked(existence(m.of(v, br)), Cond{Test: Decides, Pos: pos, Text: op.String() + " nil", Yes: yes})
	}
	conds := asked(m.of(cond, br), Cond{Test: Decides, Pos: pos, Text: m.comparison(cond), Yes: yes})
	if operands, ok := m.operands(cond); ok {
		for i := range conds {
			conds[i].Itself = m.asIs(operands, conds[i].Source, br)
		}
	}
	return conds
}

// operands are the values that a condition compares, also where a function does
// that with what it is given; not ok when it compares nothing.
func (m *maker) operands(cond ssa.Value) (all []ssa.Value, ok bool) {
	if b, isOp := cond.(*ssa.BinOp); isOp {
		return []ssa.Value{b.X, b.Y}, true
	}
	call, d, ok := m.compared(cond)
	if !ok {
		return nil, false
	}
	for _, a := range d.Args {
		if a.Root == Param && a.Path == "" && a.N < len(call.Call.Args) {
			all = append(all, call.Call.Args[a.N])
		}
	}
	return all, true
}

// asIs reports whether the source is among the values, and nothing that was
// computed from it.
func (m *maker) asIs(values []ssa.Value, s Source, br *ssa.If) bool {
	found := false
	for _, v := range values {
		for _, p := range m.of(v, br) {
			calc := p.Calc || altered(v)
			if p.Calc = false; p.Source == s {
				if calc {
					return false
				}
				found = true
			}
		}
	}
	return found
}

// altered reports an element of a string, or a number of another kind: neither is
// the value that was read.
func altered(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Index, *ssa.Lookup:
		return true
	case *ssa.Convert:
		return isInteger(v.X.Type()) != isInteger(v.Type())
	}
	return false
}

// comparison is what a condition compares, such as "<", "> 0" or "& 8 != 0", also
// where a function does that which answers with it; "" when it compares nothing.
func (m *maker) comparison(cond ssa.Value) string {
	if v, ok := cond.(*ssa.BinOp); ok {
		text := masked(v.X) + v.Op.String()
		if c, ok := v.Y.(*ssa.Const); ok && c.Value != nil {
			text += " " + constText(c)
		}
		return text
	}
	_, d, ok := m.compared(cond)
	if !ok {
		return ""
	}
	if d.Args[1].Root == Const {
		return d.Name + " " + d.Args[1].Name
	}
	return d.Name
}

// masked is the bit of a number that is asked for: "& 8 ".
func masked(v ssa.Value) string {
	if and, ok := v.(*ssa.BinOp); ok && and.Op == token.AND {
		if c, ok := and.Y.(*ssa.Const); ok && c.Value != nil {
			return "& " + constText(c) + " "
		}
	}
	return ""
}

// compared is the comparison with which a called function answers.
func (m *maker) compared(cond ssa.Value) (call *ssa.Call, d Desc, ok bool) {
	k := 0
	if e, isPart := cond.(*ssa.Extract); isPart {
		cond, k = e.Tuple, e.Index
	}
	if call, ok = cond.(*ssa.Call); !ok {
		return nil, Desc{}, false
	}
	s := m.sites[call]
	if s == nil || s.top == nil || k >= len(s.top.sum.Descs) {
		return nil, Desc{}, false
	}
	d = s.top.sum.Descs[k]
	return call, d, d.Root == Expr && len(d.Args) == 2 && comparing[d.Name]
}

var comparing = map[string]bool{"<": true, "<=": true, ">": true, ">=": true, "==": true, "!=": true}

// nilTest is the value that a condition compares with nil, and how.
func nilTest(cond ssa.Value) (ssa.Value, token.Token) {
	b, ok := cond.(*ssa.BinOp)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return nil, 0
	}
	switch {
	case isNil(b.Y):
		return b.X, b.Op
	case isNil(b.X):
		return b.Y, b.Op
	}
	return nil, 0
}

// existence are the sources of a value when only its being there matters, and
// not what is in its fields.
func existence(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		switch {
		case p.Source == none:
			continue
		case p.Path != "" && p.Path != chosen && p.Event >= 0 && !isErrPath(p.Source.Path) && !isCallPath(p.Source.Path):
			p.Source.Path = ""
		case p.Path != "" && p.Path != chosen && p.Event < 0:
			continue
		}
		p.Path = ""
		out = add(out, p)
	}
	return out
}

// chosen is the path of what decides which value is returned: it is no part of
// the value, and only who looks at all of it asks for it.
const chosen = ".="

func asked(parts []Part, c Cond) []Cond {
	var out []Cond
	for _, p := range parts {
		if p.Source != none {
			n := c
			n.Itself = !p.Calc
			p.Calc = false
			n.Source, n.Test = p.Source, testOf(c.Test, p.Source)
			out = addCond(out, n)
		}
	}
	return out
}

// errorTest recognises a question about an error.
func (m *maker) errorTest(cond ssa.Value, yes bool) (err ssa.Value, test Test, ok bool) {
	switch c := cond.(type) {
	case *ssa.BinOp:
		return comparedError(c, yes)
	case *ssa.Call:
		return calledTest(c, yes)
	}
	return nil, 0, false
}

func comparedError(c *ssa.BinOp, yes bool) (ssa.Value, Test, bool) {
	if !isError(c.X.Type()) && !isError(c.Y.Type()) {
		return nil, 0, false
	}
	x, y := c.X, c.Y
	if _, isConst := x.(*ssa.Const); isConst || isSentinel(x) {
		x, y = y, x
	}
	if c.Op == token.NEQ {
		yes = !yes
	}
	if _, isNil := y.(*ssa.Const); isNil {
		return x, map[bool]Test{true: NoErr, false: Err}[yes], true
	}
	return x, sentinelTest(sentinelName(y), yes), true
}

// absent are the names of errors and functions that say that nothing is there.
var absent = regexp.MustCompile(`(?i)no_?rows|not_?found|\bnil\b|missing|absent|no_?record|not_?exist|no_?such|unknown|cache_?miss|key_?miss|redis_?nil|^err_?nil$`)

func sentinelTest(name string, yes bool) Test {
	switch {
	case absent.MatchString(name) && yes:
		return Absent
	case absent.MatchString(name):
		return Present
	case yes:
		return Err
	}
	return NoErr
}

func isSentinel(v ssa.Value) bool { return sentinelName(v) != "" }

// sentinelName is the name of an error variable.
func sentinelName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			return g.Name()
		}
	case *ssa.MakeInterface:
		if isError(v.Type()) {
			return libs.TypeName(v.X.Type()) + sentinelName(v.X)
		}
	case *ssa.Const:
		if v.Value != nil {
			return constText(v)
		}
	}
	return ""
}

// calledTest recognises errors.Is, errors.As and functions of an error that
// answer yes or no.
func calledTest(c *ssa.Call, yes bool) (ssa.Value, Test, bool) {
	args := c.Call.Args
	name := calledName(&c.Call)
	if len(args) == 0 {
		return nil, 0, false
	}
	err := args[0]
	if c.Call.Signature().Recv() != nil && len(args) == 2 {
		err = args[1]
	}
	if !isError(err.Type()) {
		return nil, 0, false
	}
	if b, ok := c.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
		return nil, 0, false
	}
	if name == "Is" && len(args) == 2 {
		name = sentinelName(args[1])
	}
	return err, sentinelTest(name, yes), true
}
