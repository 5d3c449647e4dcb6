package flow

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

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
	case e.Op == libs.Exec && isInteger(t):
		src.Path = ".n" // xorm and ent answer with the number of rows
	}
	parts := []Part{{Source: src}}
	for _, f := range s.frames {
		if isError(t) && f.sum != nil && len(f.sum.Results) > 0 {
			parts = add(parts, f.answer(".#"+strconv.Itoa(len(f.sum.Results)-1))...)
		}
	}
	return parts
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
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
		return add(parts, Part{Source: none, Over: true}, changed)
	}
	if b, ok := common.Value.(*ssa.Builtin); ok && b.Name() == "len" {
		return calculated(existence(m.of(common.Args[0], call)))
	}
	var parts []Part
	for _, a := range arguments(common) {
		if libs.IsContext(a.Type()) {
			continue
		}
		parts = add(parts, m.of(a, call)...)
		parts = add(parts, m.searchedFor(common, a)...)
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
		if name == "IsDir" && calledFull(common) == "(io/fs.FileMode).IsDir" {
			return renamed(parts, ".IsDir")
		}
	case "Err", "Error":
		if isError(t) {
			return renamed(parts, ".err")
		}
	}
	if isError(t) && (k > 0 || decodes(common)) {
		return nil
	}
	if changes(call) {
		return add(parts, changed)
	}
	if _, one := t.Underlying().(*types.Basic); !one || spelling(common) {
		return parts // a collected or converted value keeps its fields
	}
	return calculated(parts)
}

// decodes reports whether a function reads a form of a value, so that its error says
// that the form is broken, and nothing about the value.
func decodes(c *ssa.CallCommon) bool {
	name := calledFull(c)
	return strings.HasPrefix(strings.TrimPrefix(name, "(*"), "encoding/")
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
			p.Path, p.Over, p.May, p.Source.Path = "", false, false, path
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

// searchedFor are the variables that a function has captured with which a list is
// searched: slices.ContainsFunc(all, func(e entry) bool { return e.Name == name }).
func (m *maker) searchedFor(c *ssa.CallCommon, arg ssa.Value) (parts []Part) {
	f, fn := c.StaticCallee(), closureOf(arg)
	if f == nil || fn == nil {
		return nil
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Pkg == nil || f.Pkg.Pkg.Path() != "slices" {
		return nil
	}
	for _, b := range fn.Bindings {
		parts = add(parts, calculated(m.of(b, nil))...)
	}
	return parts
}
