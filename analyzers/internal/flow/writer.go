package flow

import (
	"go/constant"
	"go/types"
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
		if l.row.Path == squirrelPath {
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
	default:
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
	case "option":
		if w.str(l.args, 0) == "gorm:query_option" {
			w.option = true
		}
	}
}

// squirrelPath is the builder whose first call names table or columns.
const squirrelPath = "github.com/Masterminds/squirrel"

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
	if text == "" {
		text = hole + " = " + hole
	}
	vals, _ := w.values(args[1:])
	w.wheres = append(w.wheres, "("+text+")")
	w.vals = append(w.vals, vals...)
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
	if !ok || calledName(&call.Call) != "Expr" || len(call.Call.Args) == 0 {
		return "", nil, false
	}
	text := textOf(w.m.desc(call.Call.Args[0]))
	vals, _ := w.values(call.Call.Args[1:])
	return text, vals, text != ""
}

// setAll sets what a map or the fields of a structure say.
func (w *writer) setAll(v ssa.Value) {
	inner := v
	if mi, ok := v.(*ssa.MakeInterface); ok {
		inner = mi.X
	}
	if _, isMap := inner.Type().Underlying().(*types.Map); isMap {
		for _, kv := range w.mapLiteral(inner) {
			w.setColumn(kv.column, []ssa.Value{kv.raw})
		}
		return
	}
	val := w.m.value(v, w.use)
	for _, path := range w.fields(v) {
		if _, set := val.Parts[path]; !set && len(val.Parts) > 0 {
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
