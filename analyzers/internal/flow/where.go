package flow

import (
	"go/constant"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// where adds a condition: a text with its values, a structure or map of equal
// columns, or a primary key.
func (w *writer) where(args []ssa.Value) {
	if len(args) == 0 {
		return
	}
	cond := args[0]
	if mi, ok := cond.(*ssa.MakeInterface); ok {
		cond = mi.X
	}
	if elems, ok := w.m.elements(args[0]); ok {
		if len(elems) > 0 {
			w.where(elems)
		}
		return
	}
	switch t := cond.Type().Underlying().(type) {
	case *types.Basic:
		w.whereText(t, cond, args)
	case *types.Map:
		for _, kv := range w.mapLiteral(cond) {
			w.equal(kv.column, kv.val)
		}
	default:
		w.whereStruct(args[0])
	}
}

func (w *writer) whereText(t *types.Basic, cond ssa.Value, args []ssa.Value) {
	if t.Info()&types.IsString == 0 {
		w.equal("id", w.m.value(cond, w.use))
		return
	}
	text := textOf(w.m.desc(cond))
	if text == "" && len(args) == 1 && callsID(cond) { // gorm takes a number in a text for the key
		w.equal("id", w.m.value(cond, w.use))
		return
	}
	if text == "" {
		text = hole + " = " + hole
	}
	vals, _ := w.values(args[1:])
	w.wheres = append(w.wheres, "("+text+")")
	w.vals = append(w.vals, vals...)
}

// identifier is a name that ends as those of keys do.
var identifier = regexp.MustCompile(`(^id|ID|Id|_id)$`)

// callsID reports whether a text is called an identifier where it comes from: by the
// parameter that has it, or in the call that takes it out of a request.
func callsID(v ssa.Value) bool {
	if p, ok := v.(*ssa.Parameter); ok {
		return identifier.MatchString(p.Name())
	}
	call, ok := v.(*ssa.Call)
	return ok && slices.ContainsFunc(arguments(call.Common()), func(a ssa.Value) bool {
		c, ok := a.(*ssa.Const)
		return ok && isString(c.Type()) && c.Value != nil && identifier.MatchString(constant.StringVal(c.Value))
	})
}

func (w *writer) equal(column string, v Value) {
	w.wheres = append(w.wheres, column+" = ?")
	w.vals = append(w.vals, v)
}

func (w *writer) whereStruct(v ssa.Value) {
	val := w.m.value(v, w.use)
	for path := range val.Parts {
		w.equal(w.column(v, path), val.Part(path))
	}
	if len(val.Parts) == 0 {
		w.wheres = append(w.wheres, hole+" = "+hole)
	}
}

// column is the column of a field path.
func (w *writer) column(v ssa.Value, path string) string {
	name := strings.TrimPrefix(path, ".")
	if strings.ToLower(name) == name {
		return name
	}
	return snake(name)
}

func (w *writer) primaryKey(v ssa.Value) {
	if v == nil {
		return
	}
	pk := "ID"
	if named := structType(v); named != nil {
		pk = primaryKey(named.Underlying().(*types.Struct))
	}
	w.equal(w.column(v, "."+pk), w.m.value(v, w.use).Part("."+pk))
}

// primaryKey is the field that a tag calls so, or ID.
func primaryKey(st *types.Struct) string {
	for i := range st.NumFields() {
		if strings.Contains(tagValue(st.Tag(i), "bun")+",", ",pk,") || strings.Contains(strings.ToLower(tagValue(st.Tag(i), "gorm")), "primarykey") {
			name, _ := fieldName(st, i)
			return name
		}
	}
	return "ID"
}
