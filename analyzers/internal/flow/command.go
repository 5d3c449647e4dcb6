package flow

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// command reads a command of Redis that was built word by word, as
// client.B().Set().Key(k).Value(v).Nx().Build() is.
func (m *maker) command(s *site, e *Event) {
	if len(s.args) < 3 {
		return
	}
	words := map[string]ssa.Value{}
	v := s.args[2]
	for range 20 {
		call, ok := v.(*ssa.Call)
		if !ok || len(call.Call.Args) == 0 {
			return
		}
		name := calledName(&call.Call)
		if calledOn(call) == "Builder" {
			m.spoken(s, name, words, e)
			return
		}
		words[name] = call
		if args := call.Call.Args; len(args) > 1 {
			words[name] = args[len(args)-1]
		}
		v = call.Call.Args[0]
	}
}

// calledOn is the name of the type whose method is called.
func calledOn(c *ssa.Call) string {
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Signature.Recv() == nil {
		return ""
	}
	return libs.TypeName(fn.Signature.Recv().Type())
}

// spoken turns the words behind a command into the operation and its values.
func (m *maker) spoken(s *site, name string, words map[string]ssa.Value, e *Event) {
	op, note, ok := libs.Command(name)
	if !ok {
		return
	}
	e.Op, e.Note = op, note
	for _, w := range []string{"Key", "Numkeys"} {
		if v := words[w]; v != nil {
			e.Key = m.one(v, s.instr)
		}
	}
	for _, w := range []string{"Value", "FieldValue", "Element", "Member", "Increment", "ScoreMember", "Seconds"} {
		if v := words[w]; v != nil {
			e.Val = m.one(v, s.instr)
		}
	}
	switch {
	case strings.EqualFold(name, "set") && words["Nx"] != nil:
		e.Op, e.Note = libs.KVClaim, "SET NX"
	case strings.EqualFold(name, "set") && words["Get"] != nil:
		e.Op, e.Note = libs.KVAtomic, "SET GET"
	}
}

// spelled reads a command of Redis that is written as a list of words:
// conn.Do("SET", key, value, "NX", "EX", 60), with or without a context before it.
func (m *maker) spelled(s *site, e *Event) {
	words := s.args[1:]
	if len(words) > 0 && words[0].Type().String() == "context.Context" {
		words = words[1:]
	}
	words = m.spread(words)
	if len(words) == 0 {
		return
	}
	name := strings.ToUpper(word(words[0]))
	op, note, ok := libs.Command(name)
	switch {
	case name == "WATCH":
		e.Op = libs.KVWatch
		return
	case !ok || len(words) < 2 || op == libs.KVAtomic:
		return
	}
	e.Op, e.Note, e.Key = op, note, m.value(words[1], s.instr)
	if at := 1 + libs.Stored(name); at < len(words) {
		e.Val = m.value(words[at], s.instr)
	}
	if name == "SET" || name == "SETNX" {
		m.optional(words[min(3, len(words)):], e)
	}
}

// optional reads what stands behind the value of SET.
func (m *maker) optional(options []ssa.Value, e *Event) {
	e.Args = []Value{{Desc: Desc{Root: Const, Name: "0"}}} // the time to live
	for _, o := range options {
		switch strings.ToUpper(word(o)) {
		case "NX":
			e.Op, e.Note = libs.KVClaim, "SET NX"
		case "GET":
			e.Op, e.Note = libs.KVAtomic, "SET GET"
		case "EX", "PX", "EXAT", "PXAT", "KEEPTTL":
			e.Args = nil
		}
	}
	if len(options) == 1 && word(options[0]) == "" {
		e.Args = nil // a list of options that is made elsewhere
	}
}

// word is the text of a constant, "" of anything else.
func word(v ssa.Value) string {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if c, ok := v.(*ssa.Const); ok && c.Value != nil && isString(c.Type()) {
		return constText(c)
	}
	return ""
}

// one is a value, or the only element of a variadic list.
func (m *maker) one(v ssa.Value, use ssa.Instruction) Value {
	val := m.value(v, use)
	if len(val.Elems) == 1 {
		return val.Elems[0]
	}
	return val
}
