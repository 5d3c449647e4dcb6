package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// placeRow makes the event that a table describes.
func (m *maker) placeRow(s *site, row *libs.Row, c *ssa.CallCommon) {
	s.row = row
	if row.Op == libs.Pass || row.Op == libs.Build || row.Op == libs.Scan {
		if row.Fn != libs.None {
			m.callbacks(s)
		}
		return
	}
	e := m.rowEvent(s, row, c)
	m.push(s, e)
	if row.Fn == libs.None || len(s.events) == 0 {
		m.callbacks(s)
		return
	}
	m.callRow(s, row, c)
}

func (m *maker) rowEvent(s *site, row *libs.Row, c *ssa.CallCommon) Event {
	e := m.newEvent(s.instr, row.Op, calledFull(c))
	e.Note = row.Note
	if i := m.position(row, row.On, c); i < len(s.values) {
		e.On = s.values[i]
	}
	e.Key, e.Val = m.rowArg(s, row, row.Key, c), m.rowArg(s, row, row.Val, c)
	e.Handle = e.On.Handle
	if e.Handle == libs.NoHandle && isStatement(row.Op) {
		e.Handle = libs.AnyHandle
	}
	if row.Args != libs.None {
		e.Args, e.Spread = m.boundValues(s, m.position(row, row.Args, c))
	}
	switch row.Op {
	case libs.Begin:
		e.Remark = m.b.remark(e.Site[0])
	case libs.Query, libs.Exec, libs.Prepare:
		e.Named = row.Note == "named"
		e.Ctx = m.contextOf(s)
		if elems := m.list(s, row, c); elems != nil {
			e.SQL, e.Args = textOf(elems[0].Desc), elems[1:]
			break
		}
		switch {
		case m.rendered(s, row, c, &e):
		case row.Key != libs.None:
			e.SQL = textOf(e.Key.Desc)
		default:
			m.built(s, row, &e)
		}
	}
	switch row.Note {
	case "command":
		m.command(s, &e)
	case "words":
		m.spelled(s, &e)
	}
	m.claim(s, &e)
	return e
}

// contextOf names the context that a call is given.
func (m *maker) contextOf(s *site) Desc {
	for _, a := range s.args {
		if libs.IsContext(a.Type()) {
			return m.desc(a)
		}
	}
	return Desc{}
}

// rendered gives an event the statement that a builder has turned into a text
// and its values before, as in query, args, err := builder.ToSql().
func (m *maker) rendered(s *site, row *libs.Row, c *ssa.CallCommon, e *Event) bool {
	i := m.position(row, row.Key, c)
	if row.Key == libs.None || i >= len(s.args) {
		return false
	}
	text, ok := unwrap(s.args[i], map[*ssa.Phi]int{}).(*ssa.Extract)
	if !ok || text.Index != 0 {
		return false
	}
	call, ok := text.Tuple.(*ssa.Call)
	if !ok {
		return false
	}
	links, _ := m.chain(call)
	if len(links) == 0 || links[len(links)-1].row.Note != "tosql" {
		return false
	}
	w := &writer{m: m, use: s.instr, links: links, verb: "exec", row: links[len(links)-1].row}
	e.SQL, e.Args = w.statement()
	return e.SQL != ""
}

// list are the elements of a variadic argument that begins with the SQL text, nil
// when the row has none.
func (m *maker) list(s *site, row *libs.Row, c *ssa.CallCommon) []Value {
	if i := m.position(row, row.Key, c); row.Note == "list" && i < len(s.values) && len(s.values[i].Elems) > 0 {
		return s.values[i].Elems
	}
	return nil
}

func isStatement(op libs.Op) bool {
	switch op {
	case libs.Query, libs.Exec, libs.Begin, libs.Commit, libs.Rollback, libs.Prepare:
		return true
	}
	return false
}

func calledFull(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	if f := c.StaticCallee(); f != nil {
		return f.String()
	}
	return ""
}

// position is the place of a row's argument among the arguments of the site,
// of which a receiver is the first.
func (m *maker) position(row *libs.Row, n int, c *ssa.CallCommon) int {
	if c.IsInvoke() || c.Signature().Recv() != nil {
		return n + 1
	}
	return max(n, 0)
}

func (m *maker) rowArg(s *site, row *libs.Row, n int, c *ssa.CallCommon) Value {
	if i := m.position(row, n, c); n != libs.None && i < len(s.values) {
		if one := s.values[i].Elems; len(one) == 1 { // a variadic list of one
			return one[0]
		}
		return s.values[i]
	}
	return Value{}
}

// boundValues are the arguments from n on; those of a variadic call one by one.
func (m *maker) boundValues(s *site, n int) (vals []Value, spread bool) {
	if n >= len(s.values) {
		return nil, false
	}
	rest := s.values[n:]
	last := rest[len(rest)-1]
	if _, isSlice := s.args[len(s.args)-1].Type().Underlying().(*types.Slice); !isSlice || len(rest) > 1 {
		return rest, false
	}
	if last.Elems != nil {
		return last.Elems, false
	}
	if c, ok := s.args[len(s.args)-1].(*ssa.Const); ok && c.Value == nil {
		return nil, false
	}
	return rest, true
}

// callRow calls the function argument of a row: with the transaction, where the
// row begins one, and ends it then.
func (m *maker) callRow(s *site, row *libs.Row, c *ssa.CallCommon) {
	i := m.position(row, row.Fn, c)
	if i >= len(s.values) {
		return
	}
	sig, ok := s.args[i].Type().Underlying().(*types.Signature)
	if !ok {
		return
	}
	args := make([]Value, sig.Params().Len())
	on := Desc{Root: Result, N: s.events[len(s.events)-1], Path: ".#0", Handle: libs.Tx}
	for k := range args {
		if h := libs.HandleOf(sig.Params().At(k).Type()); h != libs.NoHandle && (row.Op == libs.Begin || row.Op == libs.Conn) {
			args[k].Desc = on
			if row.Op == libs.Conn {
				args[k].Handle = libs.Pinned
			}
		}
	}
	m.callValue(s, i, func() []Value { return args })
	if row.Op == libs.Begin {
		e := m.newEvent(s.instr, libs.Commit, "")
		e.On, e.Handle = Value{Desc: on}, libs.Tx
		m.push(s, e)
	}
}
