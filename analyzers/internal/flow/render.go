package flow

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// finish adds what the call that runs the statement says.
func (w *writer) finish() {
	if w.dest != nil && w.table == "" {
		w.table = w.m.tableOf(w.dest)
	}
	switch w.verb {
	case "first", "find", "scan", "pluck", "row", "exists", "count", "scanall", "firstorcreate":
		if w.kind == "" {
			w.kind = "select"
		}
		w.read()
	case "bean", "beanexists", "beandelete":
		w.bean()
	case "ent get":
		w.kind, w.table, w.limit = "select", plural(snake(w.row.Word)), true
		w.equal("id", w.m.value(w.more[len(w.more)-1], w.use))
	case "insert", "delete", "update":
		w.kind = w.verb
	case "save":
		w.kind = "update"
		w.setAll(w.dest)
		w.primaryKey(w.dest)
		return
	case "set":
		w.kind = "update"
		w.setColumn(w.str(w.more, 0), w.more[1:])
	case "sets":
		w.kind = "update"
		w.setAll(w.more[0])
	}
	w.complete()
}

// bean reads a call of xorm: the fields of the structure that are set are
// conditions.
func (w *writer) bean() {
	if len(w.wheres) == 0 && w.dest != nil {
		w.setFields()
	}
	w.kind = "select"
	switch w.verb {
	case "bean":
		w.limit = true
	case "beanexists":
		w.columns = []string{"count(*) > 0"}
	case "beandelete":
		w.kind = "delete"
	}
}

// setFields adds a condition for each field that was set before.
func (w *writer) setFields() {
	root, _ := address(w.dest)
	if root.Referrers() == nil {
		return
	}
	for _, r := range *root.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, st := range *fa.Referrers() {
			if st, ok := st.(*ssa.Store); ok && st.Addr == ssa.Value(fa) && before(st, w.use) {
				name, _ := fieldName(fa.X.Type(), fa.Field)
				w.equal(w.column(w.dest, "."+name), w.m.value(st.Val, w.use))
			}
		}
	}
}

// read adds the conditions behind gorm's destination, and the limit of First.
func (w *writer) read() {
	if w.row.Path == gormPath && w.verb != "pluck" && w.verb != "count" && w.verb != "scan" {
		w.where(w.more)
	}
	switch w.verb {
	case "first":
		w.limit = true
	case "count":
		w.columns = []string{"count(*)"}
	case "exists":
		w.columns = []string{"count(*) > 0"}
	case "pluck":
		w.columns = nil
	}
}

const (
	gormPath = "gorm.io/gorm"
	xormPath = "xorm.io/xorm"
)

// complete derives what the statement takes from its model.
func (w *writer) complete() {
	switch {
	case w.kind == "delete" && w.row.Path == gormPath:
		w.where(w.more)
		if len(w.wheres) == 0 && w.dest != nil {
			w.primaryKey(w.dest)
		}
	case w.kind == "insert" && len(w.columns) == 0 && w.dest != nil:
		w.insertAll()
	case w.kind == "update" && len(w.sets) == 0 && w.dest != nil:
		w.updateAll()
	case w.kind == "update" && len(w.wheres) == 0 && w.dest != nil && w.row.Path == gormPath:
		w.primaryKey(w.dest)
	}
}

func (w *writer) insertAll() {
	val, filled := w.m.value(w.dest, w.use), w.filled(w.dest)
	for _, path := range w.fields(w.dest) {
		if !filled && zero(val, path) {
			continue
		}
		w.columns = append(w.columns, w.column(w.dest, path))
		w.setVals = append(w.setVals, val.Part(path))
	}
}

// zero reports whether a field of a structure that is made here stays as it is made.
func zero(val Value, path string) bool {
	_, set := val.Parts[path]
	return !set && len(val.Parts) > 0
}

// filled reports whether others put something into a structure: the caller, or what
// was given its address, as a decoder is. What is set here is not all then.
func (w *writer) filled(v ssa.Value) bool {
	root, _ := address(v)
	switch root.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	case *ssa.Alloc:
		return slices.ContainsFunc(*root.Referrers(), func(r ssa.Instruction) bool { return w.hands(r, root) })
	}
	return false
}

// hands reports whether an instruction gives an address to a call besides the
// statement itself.
func (w *writer) hands(r ssa.Instruction, addr ssa.Value) bool {
	switch r := r.(type) {
	case *ssa.MakeInterface:
		return slices.ContainsFunc(*r.Referrers(), func(u ssa.Instruction) bool { return w.hands(u, r) })
	case ssa.CallInstruction:
		return r != w.use && slices.Contains(r.Common().Args, addr) && len(calledFull(r.Common())) > 0 && before(r, w.use)
	}
	return false
}

func (w *writer) updateAll() {
	val := w.m.value(w.dest, w.use)
	for _, path := range w.fields(w.dest) {
		column := w.column(w.dest, path)
		if w.row.Path == xormPath && zero(val, path) && !w.filled(w.dest) {
			continue // it writes what is not zero
		}
		if len(w.columns) > 0 && !contains(w.columns, column) {
			continue
		}
		w.sets = append(w.sets, column+" = ?")
		w.setVals = append(w.setVals, val.Part(path))
	}
}

func contains(columns []string, c string) bool {
	for _, d := range columns {
		if Column(d) == Column(c) {
			return true
		}
	}
	return false
}

// text is the statement.
func (w *writer) text() (string, []Value) {
	vals := append(w.setVals[:len(w.setVals):len(w.setVals)], w.vals...)
	switch w.kind {
	case "insert":
		if len(w.columns) == 0 {
			return "INSERT INTO " + w.table + " DEFAULT VALUES" + w.tail, vals
		}
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(w.columns)), ", ")
		return "INSERT INTO " + w.table + " (" + strings.Join(w.columns, ", ") + ") VALUES (" + marks + ")" + w.tail, vals
	case "update":
		if len(w.sets) == 0 {
			w.sets = []string{hole + " = " + hole}
		}
		return "UPDATE " + w.table + " SET " + strings.Join(w.sets, ", ") + w.condition() + w.tail, vals
	case "delete":
		return "DELETE FROM " + w.table + w.condition() + w.tail, vals
	}
	columns := strings.Join(w.columns, ", ")
	if columns == "" {
		columns = "*"
	}
	text := "SELECT " + columns + " FROM " + w.table + w.condition()
	if w.order != "" {
		text += " ORDER BY " + w.order
	}
	if w.limit {
		text += " LIMIT 1"
	}
	return text + w.tail, vals
}

func (w *writer) condition() string {
	if len(w.wheres) == 0 {
		return ""
	}
	and := " AND "
	if w.or {
		and = " OR "
	}
	return " WHERE " + strings.Join(w.wheres, and)
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}
