package serial

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// Seen is a query of one row whose columns went into variables of a script.
type Seen struct {
	table   *sqlread.Table
	columns map[string]string // column → variable
}

// See reads a query whose answer goes into variables that are named prefix and
// the name of the column. ok is false for a query that does not name its row.
func See(sql, prefix string) (s Seen, ok bool) {
	a := sqlread.Read(sql)
	if a.Opaque || a.Control != sqlread.None || len(a.Tables) != 1 {
		return Seen{}, false
	}
	t := &a.Tables[0]
	if t.Kind != sqlread.Select && t.Kind != sqlread.Lock || t.Aggregate || t.Sub || t.Limited || !t.Exact || len(t.Preds) == 0 {
		return Seen{}, false
	}
	s = Seen{t, map[string]string{}}
	for _, o := range a.Outputs {
		if o.Column != "" && o.Func == "" && o.Name != "" && o.Name != "*" {
			s.columns[o.Column] = prefix + o.Name
		}
	}
	return s, len(s.columns) > 0
}

// Guard returns an UPDATE of the row that was seen, which goes through only
// while the row still has the values that were seen: compare and set. stale
// tells the variables that have another value by now. ok is false where the
// guard cannot be written.
func Guard(sql string, seen []Seen, stale func(variable string) bool) (guarded string, ok bool) {
	a := sqlread.Read(sql)
	if a.Opaque || len(a.Tables) != 1 || len(a.Outputs) > 0 || a.Tables[0].Kind != sqlread.Update || !a.Tables[0].Exact {
		return "", false
	}
	t := &a.Tables[0]
	guarded = strings.TrimRight(sql, " \t\r\n")
	for _, s := range seen {
		if s.table.Name != t.Name || !sameRow(s.table, t) {
			continue
		}
		for _, w := range t.Writes {
			if v := s.columns[w.Column]; v != "" && !stale(v) {
				guarded += " AND " + w.Column + " IS NOT DISTINCT FROM :" + v
				ok = true
			}
		}
	}
	return guarded, ok
}

// sameRow reports whether two statements name their row by the same conditions.
func sameRow(x, y *sqlread.Table) bool {
	return len(x.Preds) == len(y.Preds) && !slices.ContainsFunc(x.Preds, func(p sqlread.Pred) bool {
		return p.Op != "=" || !slices.ContainsFunc(y.Preds, func(q sqlread.Pred) bool { return q.Op == "=" && q.Text == p.Text })
	})
}
