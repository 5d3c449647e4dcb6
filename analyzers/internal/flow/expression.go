package flow

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Builders whose clauses are expressions of Go, as goqu.C("n").Gt(0), are read
// here: what is understood becomes SQL, the rest a hole.

// each calls f with each argument of a variadic call.
func (w *writer) each(args []ssa.Value, f func(ssa.Value)) {
	for _, a := range w.m.spread(args) {
		if mi, ok := a.(*ssa.MakeInterface); ok {
			a = mi.X
		}
		f(a)
	}
}

// expressions adds the columns of an answer.
func (w *writer) expressions(args []ssa.Value) {
	w.each(args, func(v ssa.Value) {
		if text := w.operand(v); text != "" {
			w.columns = append(w.columns, text)
		}
	})
}

// operand is a column, a function of one, or a text; "" when it is unknown.
func (w *writer) operand(v ssa.Value) string {
	v = behind(v)
	if text := textOf(w.m.desc(v)); text != "" {
		return text
	}
	call, ok := v.(*ssa.Call)
	if !ok || len(arguments(&call.Call)) == 0 {
		return ""
	}
	first := arguments(&call.Call)[0]
	switch name := calledName(&call.Call); name {
	case "C", "I", "L", "T", "As":
		return w.operand(first)
	case "COUNT", "MAX", "MIN", "SUM":
		return strings.ToLower(name) + "(" + w.operand(first) + ")"
	case "Star":
		return "*"
	}
	return ""
}

func behind(v ssa.Value) ssa.Value {
	for range 4 {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
	return v
}

// comparisons are the methods of a column that compare it.
var comparisons = map[string]string{"Eq": "=", "Neq": "<>", "Gt": ">", "Gte": ">=", "Lt": "<", "Lte": "<=", "Is": "IS", "In": "IN"}

// conditions adds the conditions of an expression each: a map of equal columns,
// or a comparison of one.
func (w *writer) conditions(args []ssa.Value) {
	w.each(args, func(v ssa.Value) {
		v = behind(v)
		if entries := w.mapLiteral(v); entries != nil {
			for _, kv := range entries {
				w.equalOrOp(kv)
			}
			return
		}
		call, ok := v.(*ssa.Call)
		if !ok {
			w.wheres = append(w.wheres, hole+" = "+hole)
			return
		}
		w.comparison(call)
	})
}

// equalOrOp is an entry of a map: a value, or an operator with a value.
func (w *writer) equalOrOp(kv pair) {
	for _, op := range w.mapLiteral(behind(kv.raw)) {
		if sign := comparisons[strings.ToUpper(op.column[:1])+op.column[1:]]; sign != "" {
			w.wheres = append(w.wheres, kv.column+" "+sign+" ?")
			w.vals = append(w.vals, op.val)
			return
		}
	}
	w.equal(kv.column, kv.val)
}

func (w *writer) comparison(call *ssa.Call) {
	args := arguments(&call.Call)
	name := calledName(&call.Call)
	switch {
	case name == "And" || name == "Or":
		w.conditions(args)
	case name == "L" && len(args) > 0:
		text := textOf(w.m.desc(args[0]))
		vals, _ := w.values(args[1:])
		w.wheres, w.vals = append(w.wheres, "("+text+")"), append(w.vals, vals...)
	case len(args) > 0 && (name == "IsNull" || name == "IsTrue" || name == "IsFalse" || name == "IsNotNull"):
		w.wheres = append(w.wheres, w.operand(args[0])+map[string]string{"IsNull": " IS NULL", "IsNotNull": " IS NOT NULL", "IsTrue": " = true", "IsFalse": " = false"}[name])
	case len(args) == 2 && comparisons[name] != "" && w.operand(args[0]) != "":
		w.wheres = append(w.wheres, w.operand(args[0])+" "+comparisons[name]+" ?")
		w.vals = append(w.vals, w.m.one(args[1], w.use))
	default:
		w.wheres = append(w.wheres, hole+" = "+hole)
	}
}

// rows adds the rows of an INSERT, of which the first tells the columns.
func (w *writer) rows(args []ssa.Value) {
	n := 0
	w.each(args, func(v ssa.Value) {
		if n++; n > 1 {
			return
		}
		entries := w.mapLiteral(behind(v))
		for _, kv := range entries {
			w.columns, w.setVals = append(w.columns, kv.column), append(w.setVals, kv.val)
		}
		if len(entries) == 0 {
			w.dest = v
			w.insertAll()
		}
	})
}

// onConflict adds what goqu.DoNothing and goqu.DoUpdate say.
func (w *writer) onConflict(args []ssa.Value) {
	w.each(args, func(v ssa.Value) {
		call, ok := behind(v).(*ssa.Call)
		switch {
		case ok && calledName(&call.Call) == "DoNothing":
			w.tail += " ON CONFLICT DO NOTHING"
		case ok && calledName(&call.Call) == "DoUpdate":
			w.tail += " ON CONFLICT (" + textOf(w.m.desc(call.Call.Args[0])) + ") DO UPDATE SET " + hole + " = EXCLUDED." + hole
		}
	})
}

// lock adds a locking clause, with the option that goqu's constants stand for.
func (w *writer) lock(strength string, args []ssa.Value) {
	w.tail += " FOR " + strength
	if len(args) > 0 {
		w.tail += map[string]string{"1": " NOWAIT", "2": " SKIP LOCKED"}[w.m.desc(args[0]).Name]
	}
}
