package flow

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// entClause adds what one call of ent's generated code says.
func (w *writer) entClause(note string, l link) {
	word, column := l.row.Word, snake(l.row.Word)
	switch note {
	case "select", "insert", "update", "delete", "update one", "delete one", "update self":
		w.kind, _, _ = strings.Cut(note, " ")
		if w.kind == "update" && note != "update" {
			w.tail = " RETURNING *" // no row is an error
		}
		w.table = plural(snake(word))
		if strings.HasSuffix(note, " one") && len(l.args) > 0 {
			w.entOne(l.args[0])
		}
		if note == "update self" {
			w.entOne(arguments(&l.call.Call)[0])
		}
	case "where":
		w.each(l.args, w.predicate)
	case "lock":
		w.tail += " FOR " + word
		w.each(l.args, func(v ssa.Value) {
			if call, ok := behind(v).(*ssa.Call); ok && len(call.Call.Args) > 0 {
				w.tail += " " + textOf(w.m.desc(call.Call.Args[0]))
			}
		})
	case "conflict":
		w.tail = " ON CONFLICT DO NOTHING"
	case "set":
		if w.kind == "insert" {
			w.columns, w.setVals = append(w.columns, column), append(w.setVals, w.m.value(l.args[0], w.use))
			return
		}
		w.setColumn(column, l.args)
	case "clear":
		w.sets = append(w.sets, column+" = NULL")
	case "add":
		w.sets = append(w.sets, column+" = "+column+" + ?")
		w.setVals = append(w.setVals, w.m.value(l.args[0], w.use))
	}
}

// entOne names the row: by its id, or by the entity that has one.
func (w *writer) entOne(v ssa.Value) {
	val := w.m.value(v, w.use)
	if structType(v) != nil {
		val = val.Part(".ID")
	}
	w.equal("id", val)
}

// suffixes are how the names of ent's predicates end, longest first.
var suffixes = [][2]string{{"NEQ", "<> ?"}, {"GTE", ">= ?"}, {"LTE", "<= ?"}, {"EQ", "= ?"}, {"GT", "> ?"}, {"LT", "< ?"}, {"IsNil", "IS NULL"}, {"NotNil", "IS NOT NULL"}, {"In", "IN (?)"}}

// predicate adds a condition that a generated function names: user.EmailEQ(x).
func (w *writer) predicate(v ssa.Value) {
	call, ok := behind(v).(*ssa.Call)
	if !ok {
		w.wheres = append(w.wheres, hole+" = "+hole)
		return
	}
	name := calledName(&call.Call)
	if name == "And" {
		w.each(call.Call.Args, w.predicate)
		return
	}
	field, op := name, "= ?"
	for _, s := range suffixes {
		if cut, found := strings.CutSuffix(name, s[0]); found && cut != "" {
			field, op = cut, s[1]
			break
		}
	}
	if name == "Or" || name == "Not" || strings.HasPrefix(name, "Has") {
		field, op = hole, "IS NULL"
	}
	w.wheres = append(w.wheres, snake(field)+" "+op)
	if strings.Contains(op, "?") && len(call.Call.Args) > 0 {
		w.vals = append(w.vals, w.m.one(call.Call.Args[0], w.use))
	}
}
