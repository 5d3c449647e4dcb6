package flow

import (
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// fill gives the events what could not be known before all sources had flowed.
func (m *maker) fill() {
	for _, s := range m.order {
		m.refresh(s)
	}
	for _, s := range m.order {
		m.fillSite(s)
	}
	m.sequence()
	m.hold()
	m.asks()
}

func (m *maker) fillSite(s *site) {
	conds := m.conds(s.instr)
	var loops []Loop
	for _, l := range m.loops {
		if l.body[s.instr.Block()] {
			loops = append(loops, m.describe(l))
		}
	}
	for _, i := range s.events {
		e := &m.sum.Events[i]
		if o, ok := m.origins[i]; ok {
			m.refold(e, o)
		} else {
			m.refill(s, e)
		}
		for _, c := range conds {
			e.Conds = addCond(e.Conds, c)
		}
		e.Loop = append(loops[:len(loops):len(loops)], e.Loop...)
	}
}

// refold translates a folded event again, now with sources.
func (m *maker) refold(e *Event, o origin) {
	n := o.frame.event(&o.frame.sum.Events[o.index])
	n.Deferred, n.Async, n.Later = e.Deferred, e.Async, e.Later
	*e = n
}

// refill brings the values of an event of this function up to date.
func (m *maker) refill(s *site, e *Event) {
	for i := range s.values {
		v := s.values[i]
		for _, w := range []*Value{&e.On, &e.Key, &e.Val} {
			if w.Root == v.Root && w.String() == v.String() && len(w.From) == 0 {
				w.From, w.Bound = v.From, v.Bound
			}
		}
	}
	if m.refillMemory(s, e) {
		return
	}
	call, ok := s.instr.(ssa.CallInstruction)
	if !ok || s.row == nil {
		if e.Op == libs.Calls && s.row == nil {
			e.Args = s.values[:min(len(e.Args), len(s.values))]
		}
		return
	}
	if s.row.Args != libs.None && e.Op == s.row.Op {
		e.Args, e.Spread = m.boundValues(s, m.position(s.row, s.row.Args, call.Common()))
	} else if s.row.Key == libs.None && e.Op == s.row.Op && runsSQL(e.Op) {
		m.built(s, s.row, e)
	}
}

func runsSQL(op libs.Op) bool { return op == libs.Query || op == libs.Exec || op == libs.Prepare }

// refillMemory does so for the events of maps, globals and fields.
func (m *maker) refillMemory(s *site, e *Event) bool {
	switch in := s.instr.(type) {
	case *ssa.Lookup:
		e.Key = m.value(in.Index, in)
	case *ssa.MapUpdate:
		e.Key, e.Val = m.value(in.Key, in), m.value(in.Value, in)
	case *ssa.Store:
		e.Val = m.value(in.Val, in)
	case *ssa.Range, *ssa.UnOp:
	default:
		return false
	}
	return true
}

// sequence notes which events can follow which.
func (m *maker) sequence() {
	for _, s := range m.order {
		for _, t := range m.order {
			if s != t && !m.follows(s, t) {
				continue
			}
			for _, i := range s.events {
				for _, j := range t.events {
					if s == t && !m.follows(s, s) && !m.inside(i, j) {
						continue
					}
					if i != j || m.follows(s, t) {
						m.sum.Events[i].Then.Set(j)
					}
				}
			}
		}
	}
}

// inside reports whether j can follow i in what one site folds.
func (m *maker) inside(i, j int) bool {
	a, okA := m.origins[i]
	b, okB := m.origins[j]
	if okA && okB && a.frame == b.frame {
		return a.frame.sum.After(a.index, b.index)
	}
	return i < j
}

func (m *maker) follows(s, t *site) bool {
	a, b := s.instr.Block(), t.instr.Block()
	switch {
	case t.defers && !s.defers:
		return t.instr.Block().Dominates(a) || m.ctl.reach[a.Index].Has(b.Index) || m.ctl.reach[b.Index].Has(a.Index) || a == b
	case s.defers && !t.defers:
		return false
	case a == b && s != t && before(s.instr, t.instr):
		return true
	}
	return m.ctl.reach[a.Index].Has(b.Index)
}

// conds are the branches on which an instruction depends, as questions.
func (m *maker) conds(in ssa.Instruction) []Cond {
	var out []Cond
	for _, e := range m.ctl.on(in.Block()) {
		if m.iterates(e.from, in.Block()) {
			continue
		}
		if br, ok := e.from.Instrs[len(e.from.Instrs)-1].(*ssa.If); ok {
			for _, c := range m.question(br, e.side == 0) {
				out = addCond(out, c)
			}
		}
	}
	return out
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
	if v := nilTest(cond); v != nil {
		return asked(existence(m.of(v, br)), Cond{Test: Decides, Pos: pos, Text: "nil", Yes: yes})
	}
	text := ""
	if b, ok := cond.(*ssa.BinOp); ok {
		text = b.Op.String()
		if c, ok := b.Y.(*ssa.Const); ok && c.Value != nil {
			text += " " + constText(c)
		}
	}
	return asked(m.of(cond, br), Cond{Test: Decides, Pos: pos, Text: text, Yes: yes})
}

// nilTest is the value that a condition compares with nil.
func nilTest(cond ssa.Value) ssa.Value {
	b, ok := cond.(*ssa.BinOp)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return nil
	}
	switch {
	case isNil(b.Y):
		return b.X
	case isNil(b.X):
		return b.Y
	}
	return nil
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
			p.Calc = false
			n := c
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
var absent = regexp.MustCompile(`(?i)no_?rows|not_?found|\bnil\b|missing|absent|no_?record|not_?exist|no_?such|unknown|cache_?miss|key_?miss`)

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

// asks notes the questions that are put to errors and row counts.
func (m *maker) asks() {
	for _, b := range m.fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.BinOp:
				m.askCompare(in)
			case *ssa.TypeAssert:
				if isError(in.X.Type()) {
					m.ask(in.X, in, "assert "+in.AssertedType.String())
				}
			case *ssa.Call:
				m.askCall(in)
			case *ssa.Field, *ssa.FieldAddr:
				m.askField(in)
			}
		}
	}
	for _, s := range m.order {
		for _, f := range s.frames {
			m.askFrame(f)
		}
	}
}

func (m *maker) askFrame(f *frame) {
	for _, a := range f.sum.Asks {
		for _, p := range f.source(a.Source) {
			m.noteAsk(p.Source, Ask{Text: a.Text, Pos: f.at(), In: a.In})
		}
	}
	for _, g := range f.calls {
		m.askFrame(g)
	}
}

func (m *maker) ask(v ssa.Value, in ssa.Instruction, text string) {
	for _, p := range m.of(v, in) {
		m.noteAsk(p.Source, Ask{Text: text, Pos: m.pos(in), In: m.sum.Name})
	}
}

func (m *maker) noteAsk(s Source, n Ask) {
	if s == none || len(m.sum.Asks) > 200 {
		return
	}
	for _, a := range m.sum.Asks {
		if a.Source == s && a.Text == n.Text {
			return
		}
	}
	n.Source = s
	m.sum.Asks = append(m.sum.Asks, n)
}

// sqlstate is the shape of PostgreSQL's error codes.
var sqlstate = regexp.MustCompile(`^[0-9A-Z]{5}$`)

func (m *maker) askCompare(in *ssa.BinOp) {
	for _, pair := range [][2]ssa.Value{{in.X, in.Y}, {in.Y, in.X}} {
		if c, ok := pair[1].(*ssa.Const); ok && c.Value != nil && isString(c.Type()) && sqlstate.MatchString(constText(c)) {
			m.ask(pair[0], in, "="+constText(c))
		}
		m.askCount(pair[0], in)
		if isError(pair[0].Type()) {
			if name := sentinelName(pair[1]); name != "" {
				m.ask(pair[0], in, "="+name)
			}
		}
	}
}

// askCount notes that a number of rows is compared.
func (m *maker) askCount(v ssa.Value, in *ssa.BinOp) {
	if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return
	}
	for _, p := range m.of(v, in) {
		if strings.HasPrefix(p.Source.Path, ".n") || p.Event < 0 && p.Param >= 0 && !p.Calc {
			m.noteAsk(p.Source, Ask{Text: "compare", Pos: m.pos(in), In: m.sum.Name})
		}
	}
}

func (m *maker) askCall(in *ssa.Call) {
	name, args := calledName(&in.Call), arguments(&in.Call)
	switch {
	case name == "RowsAffected" && len(args) == 1:
		m.ask(args[0], in, "n")
	case name == "Contains" && len(args) == 2 && conflictText(args[1]):
		m.ask(args[0], in, "=40001")
	case len(args) == 2 && (name == "Is" || name == "As") && isError(args[0].Type()):
		text := "=" + sentinelName(args[1])
		if name == "As" {
			text = "as " + pointee(args[1])
		}
		m.ask(args[0], in, text)
	default:
		for _, a := range m.spread(args) {
			if name != "" && errorBehind(a) {
				m.ask(a, in, "call "+name)
			}
		}
	}
}

// conflictText reports whether a text is part of the message of a conflict.
func conflictText(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && isString(c.Type()) && conflictWords.MatchString(constText(c))
}

var conflictWords = regexp.MustCompile(`(?i)40001|40P01|serializ|deadlock|concurrent update`)

// spread puts the elements of a variadic argument in its place.
func (m *maker) spread(args []ssa.Value) []ssa.Value {
	if len(args) == 0 {
		return nil
	}
	if elems, ok := m.elements(args[len(args)-1]); ok {
		return append(args[:len(args)-1:len(args)-1], elems...)
	}
	return args
}

// errorBehind reports whether a value is an error, in whatever interface.
func errorBehind(v ssa.Value) bool {
	if c, ok := v.(*ssa.ChangeInterface); ok {
		v = c.X
	}
	return isError(v.Type())
}

func pointee(v ssa.Value) string {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if p, ok := v.Type().Underlying().(*types.Pointer); ok {
		return p.Elem().String()
	}
	return v.Type().String()
}

func (m *maker) askField(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Field:
		if name, _ := fieldName(in.X.Type(), in.Field); name == "RowsAffected" {
			m.ask(in.X, in, "n")
		}
	case *ssa.FieldAddr:
		if name, _ := fieldName(in.X.Type(), in.Field); name == "RowsAffected" {
			m.ask(in.X, in, "n")
		}
	}
}

// results describes what the function returns and leaves in memory.
func (m *maker) results() {
	var rets []*ssa.Return
	for _, b := range m.fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			rets = append(rets, r)
		}
	}
	n := m.fn.Signature.Results().Len()
	m.sum.Results, m.sum.Descs, m.sum.Shapes = make([][]Part, n), make([]Desc, n), make([]map[string]Desc, n)
	for k := range n {
		m.sum.Shapes[k] = m.shapeOf(rets, k)
		for i, r := range rets {
			m.sum.Results[k] = add(m.sum.Results[k], m.of(r.Results[k], r)...)
			if d := m.desc(r.Results[k]); i == 0 || m.sum.Descs[k].Root == Const {
				m.sum.Descs[k] = d
			} else if d.Root != Const && d.String() != m.sum.Descs[k].String() {
				m.sum.Descs[k] = Desc{}
			}
		}
		if differ(rets, k) {
			path := chosen
			if t := m.fn.Signature.Results().At(k).Type(); isError(t) || basic(t) {
				path = ""
			}
			m.sum.Results[k] = add(m.sum.Results[k], at(path, m.choice(rets, k), false)...)
		}
	}
	m.leave()
}

// shapeOf names the fields of a result, when only one return gives more than
// nil.
func (m *maker) shapeOf(rets []*ssa.Return, k int) map[string]Desc {
	var made ssa.Value
	for _, r := range rets {
		if isNil(r.Results[k]) {
			continue
		}
		if made != nil && made != r.Results[k] {
			return nil
		}
		made = r.Results[k]
	}
	if made == nil || structType(made) == nil {
		return nil
	}
	return m.partsOf(made)
}

func differ(rets []*ssa.Return, k int) bool {
	for _, r := range rets {
		if r.Results[k] != rets[0].Results[k] {
			return true
		}
	}
	return false
}

// choice are the sources that decide which value is returned: the caller that
// looks at the value asks their question.
func (m *maker) choice(rets []*ssa.Return, k int) []Part {
	var parts []Part
	for _, r := range rets {
		for _, c := range m.conds(r) {
			switch c.Test {
			case Decides:
				c.Calc = true
			case Absent, Present:
				c.Source.Path, _, _ = strings.Cut(c.Source.Path, ".err")
				c.Source.Path += ".absent"
			default:
				continue
			}
			parts = add(parts, Part{Source: c.Source})
		}
	}
	return parts
}

// always reports whether an instruction runs on every way to a return.
func (m *maker) always(in ssa.Instruction) bool {
	for _, b := range m.fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !before(in, r) {
			return false
		}
	}
	return true
}

// leave notes what is written behind parameters and captured variables.
func (m *maker) leave() {
	for root, ws := range m.writes {
		k := -1
		switch root.(type) {
		case *ssa.Parameter, *ssa.FreeVar:
			k = m.paramIndex(root)
		}
		if k < 0 {
			continue
		}
		for _, w := range ws {
			sure := w.sure && w.path != "" && m.always(w.at)
			if len(w.from) > 0 || sure {
				m.sum.Outs = append(m.sum.Outs, Out{Param: k, Path: w.path, From: w.from, Sure: sure})
			}
		}
	}
	sortOuts(m.sum.Outs)
}
