package flow

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// setText adds "a = ?, b = b + ?" with its values.
func (w *writer) setText(args []ssa.Value) {
	if text := textOf(w.m.desc(args[0])); text != "" {
		vals, _ := w.values(args[1:])
		w.sets = append(w.sets, text)
		w.setVals = append(w.setVals, vals...)
	}
}

// setColumn sets a column to a value, or to an expression of SQL.
func (w *writer) setColumn(column string, args []ssa.Value) {
	if column == "" {
		column = hole
	}
	vals, _ := w.values(args)
	if len(args) > 0 {
		if text, inner, ok := w.sqlExpr(args[0]); ok {
			w.sets = append(w.sets, column+" = "+text)
			w.setVals = append(w.setVals, inner...)
			return
		}
	}
	w.sets = append(w.sets, column+" = ?")
	w.setVals = append(w.setVals, vals[:min(len(vals), 1)]...)
}

// sqlExpr reads gorm.Expr("n - ?", 1) and its like.
func (w *writer) sqlExpr(v ssa.Value) (string, []Value, bool) {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	call, ok := v.(*ssa.Call)
	if !ok || calledName(&call.Call) != "Expr" && calledFull(&call.Call) != "github.com/doug-martin/goqu/v9.L" || len(call.Call.Args) == 0 {
		return "", nil, false
	}
	text := textOf(w.m.desc(call.Call.Args[0]))
	vals, _ := w.values(call.Call.Args[1:])
	return text, vals, text != ""
}

// relative adds to a column, or takes from it.
func (w *writer) relative(note string, args []ssa.Value) {
	column, sign := w.str(args, 0), map[string]string{"increment": "+", "decrement": "-"}[note]
	if vals, _ := w.values(args[1:]); len(vals) > 0 {
		w.sets = append(w.sets, column+" = "+column+" "+sign+" ?")
		w.setVals = append(w.setVals, vals[0])
		return
	}
	w.sets = append(w.sets, column+" = "+column+" "+sign+" 1")
}

// setAll sets what a map or the fields of a structure say.
func (w *writer) setAll(v ssa.Value) {
	inner := v
	if mi, ok := v.(*ssa.MakeInterface); ok {
		inner = mi.X
	}
	if _, isMap := inner.Type().Underlying().(*types.Map); isMap {
		entries := w.mapLiteral(inner)
		for _, kv := range entries {
			w.setColumn(kv.column, []ssa.Value{kv.raw})
		}
		if len(entries) == 0 {
			w.setEntries(inner)
		}
		return
	}
	val, all := w.m.value(v, w.use), w.verb == "save" && w.filled(v)
	for _, path := range w.fields(v) {
		if !all && zero(val, path) {
			continue
		}
		w.sets = append(w.sets, w.column(v, path)+" = ?")
		w.setVals = append(w.setVals, val.Part(path))
	}
}

// pair is one entry of a map that is written out.
type pair struct {
	column string
	val    Value
	raw    ssa.Value
}

func (w *writer) mapLiteral(v ssa.Value) []pair {
	var out []pair
	if c, ok := v.(*ssa.ChangeType); ok {
		v = c.X
	}
	if v.Referrers() == nil {
		return nil
	}
	for _, r := range *v.Referrers() {
		up, ok := r.(*ssa.MapUpdate)
		if !ok {
			continue
		}
		if c, ok := up.Key.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.String {
			out = append(out, pair{constText(c), w.m.value(up.Value, w.use), up.Value})
		}
	}
	return out
}

// fields are the columns of a structure, as paths.
func (w *writer) fields(v ssa.Value) []string {
	named := structType(v)
	if named == nil {
		return nil
	}
	st := named.Underlying().(*types.Struct)
	var out []string
	for i := range st.NumFields() {
		f := st.Field(i)
		if f.Embedded() || !f.Exported() || tagValue(st.Tag(i), "bun") == "-" || tagValue(st.Tag(i), "gorm") == "-" {
			continue
		}
		name, _ := fieldName(st, i)
		out = append(out, "."+name)
	}
	return out
}
