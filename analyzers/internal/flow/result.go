package flow

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// results describes what the function returns and leaves in memory.
func (m *maker) results() {
	var rets []*ssa.Return
	for _, b := range m.fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			rets = append(rets, r)
		}
	}
	n := m.fn.Signature.Results().Len()
	m.sum.Results, m.sum.Descs, m.sum.Shapes = make([][]Part, n), make([]Desc, n), make([]Fields, n)
	for k := range n {
		m.sum.Shapes[k] = m.shapeOf(rets, k)
		m.noteOrder(rets, k)
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
		parts = add(parts, m.deciding(r)...)
	}
	return turned(parts, m.freed(rets, k))
}

// turned are the sources of an error that says of some events that they found something.
func turned(parts []Part, free map[int]bool) []Part {
	out := slices.Clone(parts)
	for i := range out {
		if p, ok := strings.CutSuffix(out[i].Source.Path, ".absent"); ok && free[out[i].Event] {
			out[i].Source.Path = p + taken
		}
	}
	return out
}

// freed are the events of which a function answers with no error only when they found
// nothing, and with one of its own when they did, as one that asks whether a name is free:
//
//	if _, err := os.Lstat(path); err == nil { return errTaken }
//	return nil
func (m *maker) freed(rets []*ssa.Return, k int) map[int]bool {
	free, refused, other := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, r := range rets {
		v := r.Results[k]
		if stored := namedResult(v, r.Block()); stored != nil {
			v = stored
		}
		fine := isError(v.Type()) && isNil(v)
		own := !fine && k == len(r.Results)-1 && m.answersError(r)
		for _, c := range m.conds(r) {
			switch missing := c.Test == Absent || c.Test == Err; {
			case fine && missing:
				free[c.Event] = true
			case fine:
				other[c.Event] = true
			case own && !missing:
				refused[c.Event] = true
			}
		}
	}
	maps.DeleteFunc(free, func(e int, _ bool) bool { return e < 0 || other[e] || !refused[e] })
	return free
}

// deciding are the sources that decide whether an instruction runs.
func (m *maker) deciding(in ssa.Instruction) []Part { return m.answers(m.conds(in)) }

// answers are the sources of questions, for whoever sees only how they came out.
func (m *maker) answers(conds []Cond) []Part {
	var parts []Part
	for _, c := range conds {
		switch c.Test {
		case Decides:
			c.Calc = true
		case Absent, Present:
			c.Source.Path, _, _ = strings.Cut(c.Source.Path, ".err")
			c.Source.Path += ".absent"
		default:
			if c.Event < 0 || m.sum.Events[c.Event].Op != libs.FileCheck {
				continue // an error that is handed on is no answer
			}
			c.Source.Path, _, _ = strings.Cut(c.Source.Path, ".err")
			c.Source.Path += ".absent"
		}
		parts = add(parts, Part{Source: c.Source})
	}
	return parts
}

// stepPhi joins the ways. An error that is made on one of them, as in
//
//	if err == nil && used { err = errUsed }
//
// tells whoever looks at it what the branch had asked. So does a yes or no that is
// put together of several, as in
//
//	return t.Kind == kind && !t.Used
func (m *maker) stepPhi(in *ssa.Phi) {
	for i, e := range in.Edges {
		m.put(in, perhaps(m.of(e, nil)))
		last := in.Block().Preds[i].Instrs[len(in.Block().Preds[i].Instrs)-1]
		if isError(in.Type()) && madeError(e) {
			m.put(in, turned(m.deciding(last), m.refused(in, last)))
		}
		if _, fixed := e.(*ssa.Const); fixed && isBool(in.Type()) {
			if br, yes := leading(in.Block().Preds[i], in.Block()); br != nil {
				m.put(in, m.answers(m.question(br, yes)))
			}
		}
	}
}

// leading is the branch that leads over an edge, and the side of it: the last of where
// it comes from, or of what alone leads there, as before a flag is set in a loop that
// is left then.
func leading(from, to *ssa.BasicBlock) (br *ssa.If, yes bool) {
	for range 4 {
		if br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If); ok {
			return br, from.Succs[0] == to
		}
		if len(from.Preds) != 1 {
			return nil, false
		}
		from, to = from.Preds[0], from
	}
	return nil, false
}

// refused are the events that found something where an error is made that is nil on all
// other ways:
//
//	if _, e := os.Lstat(path); e == nil { err = errTaken }
func (m *maker) refused(in *ssa.Phi, last ssa.Instruction) map[int]bool {
	if slices.ContainsFunc(in.Edges, func(e ssa.Value) bool { return !isNil(e) && !madeError(e) }) {
		return nil
	}
	found, other := map[int]bool{}, map[int]bool{}
	for _, c := range m.conds(last) {
		if c.Test == Present || c.Test == NoErr {
			found[c.Event] = true
		} else {
			other[c.Event] = true
		}
	}
	maps.DeleteFunc(found, func(e int, _ bool) bool { return e < 0 || other[e] })
	return found
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// madeError reports whether an error is a new one, and not one that was answered.
func madeError(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		name := calledFull(&v.Call)
		return name == "errors.New" || name == "fmt.Errorf"
	case *ssa.MakeInterface:
		return true
	}
	return isSentinel(v)
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
