package flow

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// entriesHole is a column that stands for all those of a map which the function was
// given: a caller that wrote the map out knows them.
const entriesHole = "ccheck_entries"

// setEntries sets the columns of a map that somebody else has made.
func (w *writer) setEntries(v ssa.Value) {
	w.sets = append(w.sets, entriesHole+" = ?")
	w.setVals = append(w.setVals, w.m.value(v, w.use))
}

// spellOut puts the columns and values of a map into the statement where its entries
// are known by now.
func (e *Event) spellOut() {
	head, tail, found := strings.Cut(e.SQL, entriesHole+" = ?")
	n := strings.Count(head, "?")
	if !found || n >= len(e.Args) || len(e.Args[n].Parts) == 0 {
		return
	}
	var sets []string
	var vals []Value
	for _, path := range slices.Sorted(maps.Keys(e.Args[n].Parts)) {
		column, val := strings.TrimPrefix(path, "."), e.Args[n].Part(path)
		if expression(val.Desc) {
			sets = append(sets, column+" = "+column+" + "+hole)
			continue
		}
		sets, vals = append(sets, column+" = ?"), append(vals, val)
	}
	e.SQL = head + strings.Join(sets, ", ") + tail
	e.Args = slices.Concat(e.Args[:n], vals, e.Args[n+1:])
}

// expression reports whether a value is an expression of SQL, as gorm.Expr makes one:
// the server computes it, mostly from the column itself.
func expression(d Desc) bool {
	return strings.HasSuffix(d.Class, ".Expr") || d.Root == Expr && strings.HasSuffix(d.Name, ".Expr")
}
