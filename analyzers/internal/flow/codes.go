package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
)

// codes are the lists of texts that a package writes out where it declares a variable,
// and that nothing in it changes: a slice, or a set that is a map. A list of error codes
// is asked for one as a comparison would be.
func codes(pkg *ssa.Package, funcs []*ssa.Function) map[*ssa.Global][]string {
	all := map[*ssa.Global][]string{}
	init := pkg.Func("init")
	if init == nil {
		return all
	}
	cfg.Each(init, func(in ssa.Instruction) {
		if st, ok := in.(*ssa.Store); ok {
			if g, ok := st.Addr.(*ssa.Global); ok {
				all[g] = texts(st.Val)
			}
		}
	})
	for _, f := range funcs {
		cfg.Each(f, func(in ssa.Instruction) {
			if g := changedList(in); g != nil {
				delete(all, g)
			}
		})
	}
	return all
}

// texts are those of a list that is written out, nil where it is none or has others.
func texts(v ssa.Value) []string {
	switch v := v.(type) {
	case *ssa.MakeMap:
		return keysOf(v)
	case *ssa.Slice:
		return elementsOf(v)
	}
	return nil
}

// keysOf are the keys of a set: a map to bool or to nothing.
func keysOf(made *ssa.MakeMap) []string {
	var out []string
	for _, r := range *made.Referrers() {
		put, ok := r.(*ssa.MapUpdate)
		if !ok {
			continue
		}
		key, isConst := put.Key.(*ssa.Const)
		if !isConst || !isString(key.Type()) || !member(put.Value) {
			return nil
		}
		out = append(out, constText(key))
	}
	return out
}

// member reports whether the value of a set says that the key is in it.
func member(v ssa.Value) bool {
	if c, ok := v.(*ssa.Const); ok && isBool(c.Type()) {
		return constText(c) == "true"
	}
	s, ok := v.Type().Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

func elementsOf(s *ssa.Slice) []string {
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var out []string
	for _, r := range *array.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *at.Referrers() {
			st, ok := use.(*ssa.Store)
			if !ok || !isText(st.Val) {
				return nil
			}
			out = append(out, constText(st.Val.(*ssa.Const)))
		}
	}
	return out
}

func isText(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && isString(c.Type())
}

// changedList is the variable that an instruction puts another list into, or changes
// in one place.
func changedList(in ssa.Instruction) *ssa.Global {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		return listIn(in.Map)
	case *ssa.Store:
		if at, ok := in.Addr.(*ssa.IndexAddr); ok {
			return listIn(at.X)
		}
		g, _ := in.Addr.(*ssa.Global)
		return g
	}
	return nil
}

// listIn is the variable from which a list was read, or whose element a value is; nil
// when it comes from elsewhere.
func listIn(v ssa.Value) *ssa.Global {
	for range farBack {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Global:
			return x
		default:
			return nil
		}
	}
	return nil
}

// askListed notes the question for each code of a list as the comparison that it is.
func (m *maker) askListed(list, sought ssa.Value, in ssa.Instruction) {
	for _, code := range m.b.codes[listIn(list)] {
		if sqlstate.MatchString(code) {
			m.ask(sought, in, "="+code)
		}
	}
}
