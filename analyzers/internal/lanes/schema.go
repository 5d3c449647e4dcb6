package lanes

import (
	"maps"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// Schema answers questions about the tables of the sandbox.
type Schema struct {
	tables map[string]*history.Table
}

// NewSchema returns the schema of the history with that header.
func NewSchema(h *history.Header) *Schema {
	s := &Schema{tables: make(map[string]*history.Table, len(h.Tables))}
	for i := range h.Tables {
		s.tables[h.Tables[i].Name] = &h.Tables[i]
	}
	return s
}

// Table returns a table, or nil.
func (s *Schema) Table(name string) *history.Table { return s.tables[name] }

// Key returns the primary key of a table, nil when it has none or is unknown.
func (s *Schema) Key(table string) []string {
	if t := s.tables[table]; t != nil {
		return t.Key
	}
	return nil
}

// Type returns the type of a column, "" when it is unknown.
func (s *Schema) Type(table, column string) string {
	t := s.tables[table]
	if t == nil {
		return ""
	}
	if i := slices.Index(t.Columns, column); i >= 0 && i < len(t.Types) {
		return t.Types[i]
	}
	return ""
}

// Numeric reports whether one can subtract from the column.
func (s *Schema) Numeric(table, column string) bool {
	typ := s.Type(table, column)
	for _, p := range []string{"int", "small", "big", "numeric", "decimal", "real", "double", "float", "money"} {
		if strings.HasPrefix(typ, p) {
			return !strings.Contains(typ, "range") && !strings.HasPrefix(typ, "interval") && !strings.HasSuffix(typ, "[]")
		}
	}
	return false
}

// Referenced reports whether any table has a foreign key to this one.
func (s *Schema) Referenced(table string) bool {
	for child := range s.tables {
		if s.RefersTo(child, table) {
			return true
		}
	}
	return false
}

// RefersTo reports whether child has a foreign key to parent.
func (s *Schema) RefersTo(child, parent string) bool {
	t := s.tables[child]
	return t != nil && slices.ContainsFunc(t.Constraints, func(c string) bool {
		_, to, _, ok := foreignKey(c)
		return ok && to == parent
	})
}

// Parent returns the table and column that a column refers to by a foreign key
// of its own.
func (s *Schema) Parent(table, column string) (parent, key string, ok bool) {
	t := s.tables[table]
	if t == nil {
		return "", "", false
	}
	for _, c := range t.Constraints {
		if from, to, key, ok := foreignKey(c); ok && from == column && key != "" {
			return to, key, true
		}
	}
	return "", "", false
}

// Keyed reports whether a column is in the primary key or in a unique index that a
// foreign key could refer to: an UPDATE that changes it takes FOR UPDATE instead of
// FOR NO KEY UPDATE (manual, 13.3.2).
func (s *Schema) Keyed(table, column string) bool {
	t := s.tables[table]
	if t == nil {
		return false
	}
	return slices.Contains(t.Key, column) || slices.ContainsFunc(t.Unique, func(def string) bool {
		return slices.Contains(indexed(def), column)
	})
}

// indexed are the columns of a unique index as pg_get_indexdef writes it, without
// those that it only includes; none when it has expressions or a condition.
func indexed(def string) []string {
	_, list, _ := strings.Cut(def, " (")
	list, rest, ok := strings.Cut(list, ")")
	if !ok || strings.Contains(list, "(") || strings.Contains(rest, " WHERE ") {
		return nil
	}
	columns := strings.Split(list, ",")
	for i, c := range columns {
		columns[i] = strings.Trim(strings.TrimSpace(c), `"`)
	}
	return columns
}

// foreignKey reads what pg_get_constraintdef writes:
// "FOREIGN KEY (a) REFERENCES t(id) ON DELETE CASCADE".
func foreignKey(def string) (column, table, key string, ok bool) {
	from, to, ok := strings.Cut(def, " REFERENCES ")
	if !ok {
		return "", "", "", false
	}
	column = strings.TrimSuffix(strings.TrimPrefix(from, "FOREIGN KEY ("), ")")
	table, rest, _ := strings.Cut(to, "(")
	key, _, _ = strings.Cut(rest, ")")
	if i := strings.LastIndexByte(table, '.'); i >= 0 {
		table = table[i+1:]
	}
	unquote := func(s string) string { return strings.Trim(strings.TrimSpace(s), `"`) }
	return unquote(column), unquote(table), unquote(key), true
}

// Read is sqlread.Read with the columns of an INSERT that names none, and with
// the rows that a DELETE takes along over foreign keys.
func (s *Schema) Read(sql string) *sqlread.Access {
	a := sqlread.Read(sql)
	for i := range a.Tables {
		t := &a.Tables[i]
		if known := s.tables[t.Name]; t.Kind == sqlread.Insert && t.Into == nil && known != nil {
			t.Into = known.Columns
		}
	}
	for i := 0; i < len(a.Tables) && i < maxCascades; i++ {
		if a.Tables[i].Kind == sqlread.Delete {
			a.Tables = append(a.Tables, s.cascades(&a.Tables[i])...)
		}
	}
	return &a
}

// maxCascades bounds the tables that one statement can reach over foreign keys,
// which may go in a circle.
const maxCascades = 16

// cascades are the deletes that follow from one (ON DELETE CASCADE).
func (s *Schema) cascades(t *sqlread.Table) []sqlread.Table {
	var list []sqlread.Table
	for _, child := range slices.Sorted(maps.Keys(s.tables)) {
		for _, def := range s.tables[child].Constraints {
			column, parent, key, ok := foreignKey(def)
			if !ok || parent != t.Name || !strings.Contains(def, "ON DELETE CASCADE") {
				continue
			}
			d := sqlread.Table{Name: child, Alias: child, Kind: sqlread.Delete, Lock: sqlread.ForUpdate, Sub: true, Columns: []string{column}}
			for _, p := range t.Preds {
				if p.Column == key && p.Func == "" && (p.Op == "=" || p.Op == "in") {
					p.Column = column
					d.Preds = append(d.Preds, p)
				}
			}
			list = append(list, d)
		}
	}
	return list
}
