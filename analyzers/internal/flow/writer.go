package flow

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// writer writes the statement that a chain of clauses stands for, with the
// bound values in its order.
type writer struct {
	m     *maker
	use   ssa.Instruction
	links []link
	row   *libs.Row
	verb  string      // of the call that runs it
	dest  ssa.Value   // what receives the answer, or is written
	more  []ssa.Value // arguments behind it

	kind, table       string
	columns           []string
	sets, wheres      []string
	setVals, vals     []Value
	order, tail       string
	or, limit, option bool
}

func (w *writer) statement() (string, []Value) {
	for _, l := range w.links {
		if l.row.Note == "raw" && len(l.args) > 0 {
			return w.raw(l)
		}
	}
	for _, l := range w.links {
		w.clause(l)
	}
	w.finish()
	if w.table == "" {
		w.table = hole
	}
	return w.text()
}

// rowsOf is the list of rows that one INSERT writes, no value for a single row.
func (w *writer) rowsOf(use ssa.Instruction) Value {
	if w.dest != nil && isSlice(w.dest) {
		return w.m.value(w.dest, use)
	}
	var rows Value
	for _, l := range w.links {
		if l.row.Note == "values" {
			rows.Order = rows.and(w.m.loopOrder(l.call, 0))
		}
	}
	return rows
}

func (w *writer) note(n string) string {
	if w.option {
		return "gorm v1 option"
	}
	return n
}

func (w *writer) raw(l link) (string, []Value) {
	vals, _ := w.values(l.args[1:])
	return textOf(w.m.desc(l.args[0])), vals
}

// values are the arguments of a variadic call.
func (w *writer) values(args []ssa.Value) ([]Value, bool) {
	var vals []Value
	for i, a := range args {
		v := w.m.value(a, w.use)
		if i == len(args)-1 && v.Elems != nil {
			return append(vals, v.Elems...), true
		}
		if c, ok := a.(*ssa.Const); ok && c.Value == nil && i == len(args)-1 {
			return vals, true
		}
		vals = append(vals, v)
	}
	return vals, false
}

// clause adds what one call says.
func (w *writer) clause(l link) {
	switch note := l.row.Note; note {
	case "select", "insert", "update", "delete":
		w.kind = note
		if len(l.args) > 0 {
			w.start(l)
		}
	case "model":
		w.model(l.args[0])
	case "table":
		w.table = firstWord(w.str(l.args, 0))
	case "where":
		w.where(l.args)
	case "or":
		w.or = true
		w.where(l.args)
	case "not":
		w.wheres = append(w.wheres, hole+" IS NULL")
	case "wherepk":
		w.primaryKey(w.dest)
	case "columns":
		w.columns = append(w.columns, w.strings(l.args)...)
	case "set":
		w.setText(l.args)
	case "setcolumn":
		w.setColumn(w.str(l.args, 0), l.args[1:])
	case "sets":
		w.setAll(l.args[0])
	case "values":
		vals, _ := w.values(l.args)
		w.setVals = append(w.setVals, vals...)
	case "expressions":
		w.expressions(l.args)
	case "conditions":
		w.conditions(l.args)
	case "rows":
		w.rows(l.args)
	case "id":
		w.equal("id", w.m.value(l.args[0], w.use))
	case "increment", "decrement":
		w.relative(note, l.args)
	case "setexpr":
		w.sets = append(w.sets, w.str(l.args, 0)+" = "+w.str(l.args, 1))
	default:
		if clause, ok := strings.CutPrefix(note, "ent "); ok {
			w.entClause(clause, l)
			return
		}
		w.suffix(note, l)
	}
}

// suffix adds the clauses at the end of a statement.
func (w *writer) suffix(note string, l link) {
	switch note {
	case "for":
		w.tail += " FOR " + w.str(l.args, 0)
	case "suffix":
		w.tail += " " + w.str(l.args, 0)
	case "on":
		w.tail += " ON " + w.str(l.args, 0)
	case "ignore":
		w.tail += " ON CONFLICT DO NOTHING"
	case "returning":
		w.tail += " RETURNING " + w.str(l.args, 0)
	case "clauses":
		w.clauses(l.args)
	case "order":
		w.order = strings.Join(w.strings(l.args), ", ")
	case "limit":
		w.limit = true
	case "onconflict":
		w.onConflict(l.args)
	case "returns":
		w.tail += " RETURNING *"
	case "expressionorder":
		w.order = hole
	case "lock UPDATE", "lock NO KEY UPDATE", "lock SHARE", "lock KEY SHARE":
		w.lock(strings.TrimPrefix(note, "lock "), l.args)
	case "option":
		if w.str(l.args, 0) == "gorm:query_option" {
			w.option = true
		}
	}
}

// start reads the first call of a builder, which names the table or the columns.
func (w *writer) start(l link) {
	if w.kind == "select" {
		w.columns = append(w.columns, w.strings(l.args)...)
		return
	}
	w.table = w.str(l.args, 0)
}

func (w *writer) model(v ssa.Value) {
	if t := w.m.tableOf(v); t != "" {
		w.table = t
	}
	if w.dest == nil {
		w.dest = v
	}
}

// clauses reads gorm's clause.Locking, OnConflict and Returning.
func (w *writer) clauses(args []ssa.Value) {
	vals, _ := w.m.elements(args[0])
	for _, v := range vals {
		t := v.Type()
		if mi, ok := v.(*ssa.MakeInterface); ok {
			t = mi.X.Type()
		}
		val := w.m.value(v, w.use)
		switch libs.TypeName(t) {
		case "Locking":
			strength, known := val.Parts[".Strength"], true
			if strength.Root != Const {
				strength.Name, known = "UPDATE", false
			}
			if known || strength.Name != "" {
				w.tail += " FOR " + strength.Name + option(val.Parts[".Options"].Name)
			}
		case "OnConflict":
			w.tail += conflict(val)
		case "Returning":
			w.tail += " RETURNING *"
		}
	}
}

func option(o string) string {
	if o == "" {
		return ""
	}
	return " " + o
}

func conflict(v Value) string {
	if d := v.Parts[".DoNothing"]; d.Root == Const && d.Name == "true" {
		return " ON CONFLICT DO NOTHING"
	}
	return " ON CONFLICT (" + hole + ") DO UPDATE SET " + hole + " = EXCLUDED." + hole
}

// str is the n-th of the arguments as text; those of a variadic call count.
func (w *writer) str(args []ssa.Value, n int) string {
	if texts := w.strings(args); n < len(texts) {
		return texts[n]
	}
	return ""
}

func (w *writer) strings(args []ssa.Value) []string {
	var out []string
	vals, _ := w.values(args)
	for _, v := range vals {
		if t := textOf(v.Desc); t != "" {
			out = append(out, t)
		}
	}
	return out
}
