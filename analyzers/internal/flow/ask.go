package flow

import (
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

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
			case *ssa.Lookup:
				m.askListed(in.X, in.Index, in)
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
			at := f.at()
			if f.inline {
				at = a.Pos
			}
			m.noteAsk(p.Source, Ask{Text: a.Text, Pos: at, In: a.In})
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

// conflictNames are the codes of conflicts by what lib/pq calls them, and by the class of
// codes that they are of.
var conflictNames = map[string]string{"serialization_failure": "40001", "transaction_rollback": "40001", "40": "40001", "deadlock_detected": "40P01"}

func (m *maker) askCompare(in *ssa.BinOp) {
	for _, pair := range [][2]ssa.Value{{in.X, in.Y}, {in.Y, in.X}} {
		if c, ok := pair[1].(*ssa.Const); ok && c.Value != nil && isString(c.Type()) && sqlstate.MatchString(constText(c)) {
			m.ask(pair[0], in, "="+constText(c))
		} else if ok && c.Value != nil && isString(c.Type()) && conflictNames[constText(c)] != "" {
			m.ask(pair[0], in, "="+conflictNames[constText(c)])
		} else if !ok && isString(pair[0].Type()) {
			m.askListed(pair[1], pair[0], in)
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
	if !isInteger(v.Type()) {
		return
	}
	for _, p := range m.of(v, in) {
		if strings.HasPrefix(p.Source.Path, ".n") || p.Event < 0 && p.Param >= 0 && !p.Calc {
			m.noteAsk(p.Source, Ask{Text: "compare", Pos: m.pos(in), In: m.sum.Name})
			if p.Source.Path == ".n" {
				m.noteAsk(p.Source, Ask{Text: "n", Pos: m.pos(in), In: m.sum.Name})
			}
		}
	}
}

func (m *maker) askCall(in *ssa.Call) {
	name, args := calledName(&in.Call), arguments(&in.Call)
	switch {
	case name == "RowsAffected" && len(args) == 1:
		m.ask(args[0], in, "n")
	case name == "Contains" && len(args) == 2 && conflictCode(args[1]) != "":
		m.ask(args[0], in, "="+conflictCode(args[1]))
	case strings.HasPrefix(calledFull(&in.Call), "slices.Contains[") && len(args) == 2:
		m.askListed(args[0], args[1], in)
	case name == "HasPrefix" && len(args) == 2 && word(args[1]) == "40":
		m.ask(args[0], in, "=40001")
	case name == "HasPrefix" && len(args) == 2 && conflictCode(args[1]) != "":
		m.ask(args[0], in, "="+conflictCode(args[1]))
		m.ask(args[0], in, "prefix")
	case name == "SameFile" && len(args) == 2:
		for _, a := range args {
			m.ask(opened(a), in, "same file")
		}
	case len(args) == 2 && (name == "Is" || name == "As") && isError(args[0].Type()):
		text := "=" + sentinelName(args[1])
		if name == "As" {
			text = "as " + pointee(args[1])
		}
		m.ask(args[0], in, text)
	default:
		for _, a := range m.spread(args) {
			if name != "" && errorBehind(a) {
				m.ask(a, in, asking(name, args))
			}
		}
	}
}

// opened is the open file that says what a file is like; for what was asked of a
// path, the answer itself.
func opened(info ssa.Value) ssa.Value {
	if c, ok := extracted(info).(*ssa.Call); ok && calledFull(&c.Call) == "(*os.File).Stat" {
		return c.Call.Args[0]
	}
	return info
}

// asking is the question of a call that gets an error. Errorf without %w keeps
// its words and hides what it was.
func asking(name string, args []ssa.Value) string {
	if c, ok := args[0].(*ssa.Const); ok && name == "Errorf" && c.Value != nil && isString(c.Type()) && !strings.Contains(constText(c), "%w") {
		return "hide " + name
	}
	return "call " + name
}

// conflictCode is the code of the conflict of whose message a text is part, "" of no
// one. Of a deadlock MySQL speaks as well, to which it is the only conflict.
func conflictCode(v ssa.Value) string {
	c, ok := v.(*ssa.Const)
	switch {
	case !ok || c.Value == nil || !isString(c.Type()) || !conflictWords.MatchString(constText(c)):
		return ""
	case deadlockWords.MatchString(constText(c)):
		return "40P01"
	}
	return "40001"
}

var (
	conflictWords = regexp.MustCompile(`(?i)40001|40P01|serializ|deadlock|concurrent update`)
	deadlockWords = regexp.MustCompile(`(?i)40P01|deadlock detected`)
)

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
