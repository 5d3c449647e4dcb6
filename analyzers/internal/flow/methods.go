package flow

import (
	"go/types"
	"strings"
)

// Impl says that a type of the module has the methods of an interface.
type Impl struct {
	Type  string // as in the names of its methods: "(*path.T)", "(path.T)"
	Iface string // "path.I"
}

// implementations pairs the types of the package with the interfaces they have
// the methods of: its own and those of its imports. A type of one package and
// an interface of another, with none importing the other, is paired by Link.
func implementations(pkg *types.Package) []Impl {
	var impls []Impl
	for _, t := range namedTypes(pkg) {
		if types.IsInterface(t) || t.TypeParams().Len() > 0 {
			continue
		}
		for _, p := range append(pkg.Imports(), pkg) {
			if p != pkg && !sameModule(p.Path(), pkg.Path()) {
				continue
			}
			for _, i := range namedTypes(p) {
				impls = append(impls, implements(t, i)...)
			}
		}
	}
	return impls
}

func implements(t, i *types.Named) []Impl {
	iface, ok := i.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || i.TypeParams().Len() > 0 {
		return nil
	}
	name := i.Obj().Pkg().Path() + "." + i.Obj().Name()
	switch {
	case types.Implements(t, iface):
		return []Impl{{"(" + t.String() + ")", name}, {"(*" + t.String() + ")", name}}
	case types.Implements(types.NewPointer(t), iface):
		return []Impl{{"(*" + t.String() + ")", name}}
	}
	return nil
}

// Methods is the method set of a type or an interface of the module. Go's types
// satisfy interfaces they never heard of, in packages that do not import each
// other, so Link compares signatures as text.
type Methods struct {
	Name  string   // "path.Type"
	Sigs  []string // "Find(context.Context, string) (path.Row, error)", sorted by name
	Funcs []string // the function behind each of Sigs, nil for an interface
}

func methodSets(pkg *types.Package) []Methods {
	var all []Methods
	for _, t := range namedTypes(pkg) {
		if t.TypeParams().Len() > 0 {
			continue
		}
		set := types.NewMethodSet(t)
		if !types.IsInterface(t) {
			set = types.NewMethodSet(types.NewPointer(t))
		}
		if set.Len() == 0 {
			continue
		}
		m := Methods{Name: pkg.Path() + "." + t.Obj().Name()}
		for sel := range set.Methods() {
			fn := sel.Obj().(*types.Func)
			m.Sigs = append(m.Sigs, signature(fn))
			if !types.IsInterface(t) {
				m.Funcs = append(m.Funcs, fn.FullName())
			}
		}
		all = append(all, m)
	}
	return all
}

func signature(fn *types.Func) string {
	sig := fn.Signature()
	return fn.Name() + tuple(sig.Params()) + " " + tuple(sig.Results())
}

func tuple(t *types.Tuple) string {
	var parts []string
	for v := range t.Variables() {
		parts = append(parts, types.TypeString(v.Type(), nil))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// has reports whether the type has all methods of the interface, and which
// functions they are, by method name.
func (m Methods) has(iface Methods) (funcs map[string]string, ok bool) {
	if len(m.Funcs) < len(iface.Sigs) {
		return nil, false
	}
	mine := make(map[string]string, len(m.Sigs))
	for i, s := range m.Sigs {
		mine[s] = m.Funcs[i]
	}
	funcs = map[string]string{}
	for _, s := range iface.Sigs {
		f, found := mine[s]
		if !found {
			return nil, false
		}
		name, _, _ := strings.Cut(s, "(")
		funcs[name] = f
	}
	return funcs, true
}
