package contention

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// plan says where the rows of a statement are to be found.
type plan struct {
	access  *sqlread.Access
	rows    []rowPlan
	returns way // the key of the one table that a query reads, nil for any other
}

// rowPlan names the rows of one access by the values of some columns.
type rowPlan struct {
	values []sqlread.Value
	all    bool // by all arguments of the statement
	seed   uint64
	write  bool
}

// way is a set of columns by which rows of a table are named, each with its
// function: "id", "lower(mail)". The empty way is the table as a whole.
type way []sqlread.Pred

func (w way) id(table string) uint64 {
	h := text(offset, table)
	for _, p := range w {
		h = text(text(h, p.Func), p.Column)
	}
	return h
}

// planOf works out once per statement which values name its rows. A statement
// that asks in a new way changes what the writes before it are remembered by,
// so their plans are made anew.
func (m *meter) planOf(s *history.Stmt) *plan {
	if p := m.plans[s]; p != nil {
		return p
	}
	p := &plan{access: m.schema.Read(s.SQL)}
	for i := range p.access.Tables {
		if t := &p.access.Tables[i]; !t.Kind.Writes() && m.ask(t) {
			clear(m.plans)
		}
	}
	for i := range p.access.Tables {
		t := &p.access.Tables[i]
		for _, w := range m.ways(t) {
			for row := range max(1, len(t.Rows)) {
				if values, ok := valuesOf(t, w, row); ok {
					p.rows = append(p.rows, rowPlan{values: values, seed: w.id(t.Name), write: t.Kind.Writes() || m.chosen(p.access, t)})
				}
			}
		}
		if t.OnConflict != "" {
			// The key may be an expression that only the server can work out, but
			// the same statement with the same arguments has the same one.
			p.rows = append(p.rows, rowPlan{all: true, seed: text(text(offset, t.Name), s.SQL), write: true})
		}
	}
	if len(p.access.Tables) > 0 && strings.Contains(strings.ToLower(s.SQL), "skip locked") {
		// What it did not take is what the others had, who asked for the same.
		p.rows = append(p.rows, rowPlan{all: true, seed: text(offset, s.SQL), write: true})
	}
	p.returns = m.returns(p.access, s.SQL)
	m.plans[s] = p
	return p
}

// returns is the key that a query's answer may have. A column of another name that
// is given this one says something else.
func (m *meter) returns(a *sqlread.Access, sql string) way {
	if len(a.Tables) != 1 || a.Tables[0].Kind.Writes() {
		return nil
	}
	key := m.key(a.Tables[0].Name)
	sql = strings.ToLower(sql)
	if slices.ContainsFunc(key, func(p sqlread.Pred) bool {
		return strings.Contains(sql, " as "+p.Column) || strings.Contains(sql, ` as "`+p.Column)
	}) {
		return nil
	}
	return key
}

// chosen reports whether the rows that a subquery reads are those that the
// statement around it writes, since that names them in no other way.
func (m *meter) chosen(a *sqlread.Access, t *sqlread.Table) bool {
	key := m.key(t.Name)
	return slices.ContainsFunc(a.Tables, func(o sqlread.Table) bool {
		_, named := valuesOf(&o, key, 0)
		named = named && len(key) > 0
		return t.Sub && o.Name == t.Name && o.Kind.Writes() && !named
	})
}

// ask remembers in which way a read asks for rows, and reports whether that is
// new. A read by the whole key needs no memory.
func (m *meter) ask(t *sqlread.Table) bool {
	w := m.askedBy(t)
	if w == nil {
		return false
	}
	for _, known := range m.asked[t.Name] {
		if known.id("") == w.id("") {
			return false
		}
	}
	m.asked[t.Name] = append(m.asked[t.Name], w)
	return true
}

// askedBy is the way of a read: the columns that it compares with parameters,
// else those it compares with constants, else the table as a whole; nil when
// it names its row by the key.
func (m *meter) askedBy(t *sqlread.Table) way {
	if key := m.key(t.Name); len(key) > 0 {
		if _, ok := valuesOf(t, key, 0); ok {
			return nil
		}
	}
	params, constants := way{}, way{}
	for _, p := range t.Preds {
		switch {
		case p.Op != "=" || !p.Values[0].Known():
		case p.Values[0].Kind != sqlread.Literal:
			params = append(params, sqlread.Pred{Column: p.Column, Func: p.Func})
		default:
			constants = append(constants, sqlread.Pred{Column: p.Column, Func: p.Func})
		}
	}
	if len(params) > 0 {
		return params
	}
	return constants
}

func (m *meter) key(table string) way {
	var w way
	for _, k := range m.schema.Key(table) {
		w = append(w, sqlread.Pred{Column: k})
	}
	return w
}

// ways are those in which an access can meet another one: a write by the key
// and in every way in which somebody asks, a read in its own.
func (m *meter) ways(t *sqlread.Table) []way {
	key := m.key(t.Name)
	if !t.Kind.Writes() {
		if w := m.askedBy(t); w != nil {
			return []way{w}
		}
		return []way{key}
	}
	ways := slices.Clone(m.asked[t.Name])
	if len(key) > 0 {
		ways = append(ways, key)
	}
	return ways
}

// valuesOf returns where the values of the columns are in the statement; an
// INSERT has them once for every row.
func valuesOf(t *sqlread.Table, w way, row int) ([]sqlread.Value, bool) {
	values := make([]sqlread.Value, 0, len(w))
	for _, p := range w {
		v, ok := valueOf(t, p, row)
		if !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

func valueOf(t *sqlread.Table, want sqlread.Pred, row int) (sqlread.Value, bool) {
	if n := slices.Index(t.Into, want.Column); t.Kind == sqlread.Insert && n >= 0 && row < len(t.Rows) && n < len(t.Rows[row]) {
		v := t.Rows[row][n]
		if v.Func == "" {
			v.Func = want.Func
		}
		return v, v.Known()
	}
	for _, p := range t.Preds {
		if p.Column == want.Column && p.Func == want.Func && p.Op == "=" && p.Values[0].Known() {
			return p.Values[0], true
		}
	}
	return sqlread.Value{}, false
}

// offset and prime are those of FNV-1a. The hash must be the same in every
// process, or the count of one file would differ from run to run.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func text(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return (h ^ 0xff) * prime
}
