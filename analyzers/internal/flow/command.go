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

// one is a value, or the only element of a variadic list.
func (m *maker) one(v ssa.Value, use ssa.Instruction) Value {
	val := m.value(v, use)
	if len(val.Elems) == 1 {
		return val.Elems[0]
	}
	return val
}
