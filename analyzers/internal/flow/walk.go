package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// walks are the functions that call one for each path below a directory, by the
// number of the argument that is the directory.
var walks = map[string]int{"path/filepath.Walk": 0, "path/filepath.WalkDir": 0, "io/fs.WalkDir": 1}

// visit names the path with which a walk calls a function: it is below the directory.
func (m *maker) visit(s *site, args []Value) {
	c, ok := s.instr.(ssa.CallInstruction)
	if !ok {
		return
	}
	name := calledFull(c.Common())
	if dir, ok := walks[name]; ok && len(args) > 0 {
		args[0].Desc = Desc{Root: Expr, Name: name, Args: []Desc{s.values[dir].Desc}}
	}
}

// placeEntry makes an event of the question what kind of file a walk has found, where
// the function that asks was given the path beside the entry:
//
//	func visit(path string, d fs.DirEntry, err error) error
//
// What a walk knows of a path it has asked for before, by that path.
func (m *maker) placeEntry(s *site, c *ssa.CallCommon) {
	path := m.pathBeside(found(c.Value))
	if path == nil {
		return
	}
	e := m.newEvent(s.instr, libs.FileCheck, calledFull(c))
	e.Note, e.Key = "Entry", m.value(path, nil)
	m.push(s, e)
}

// found is the entry of a directory of which a value tells: itself, or behind Info.
func found(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		if c, ok := x.Tuple.(*ssa.Call); ok && calledFull(&c.Call) == "(io/fs.DirEntry).Info" {
			return c.Call.Value
		}
	}
	return v
}

// pathBeside is the text parameter before another one, nil when there is none.
func (m *maker) pathBeside(v ssa.Value) ssa.Value {
	for i, p := range m.fn.Params {
		if p == v && i > 0 && isString(m.fn.Params[i-1].Type()) {
			return m.fn.Params[i-1]
		}
	}
	return nil
}
