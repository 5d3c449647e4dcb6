package stress

import (
	"fmt"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
)

// maxState is the number of keys of a table whose contents are recorded for
// the ledger. Beyond it the ledger has no opinion.
const maxState = 10_000

// ledgerTable is a column that the effects of actors keep books on.
type ledgerTable struct{ table, key, column string }

func (r *run) ledgerTables() []ledgerTable {
	var list []ledgerTable
	seen := map[ledgerTable]bool{}
	for _, a := range r.sc.Actors {
		for _, e := range a.Effects {
			t := ledgerTable{e.Table, e.Key, e.Column}
			if !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
	return list
}

// recordState writes what the tables of the ledger hold.
func (r *run) recordState(phase string) error {
	for _, t := range r.ledgerTables() {
		key, column := lab.Ident(t.key), lab.Ident(t.column)
		res, err := r.admin.Ask(fmt.Sprintf("select %s::text, %s::text from %s order by 1 limit %d", key, column, lab.Ident(t.table), maxState+1))
		if err != nil {
			return fmt.Errorf("reading %s.%s for the ledger: %w", t.table, t.column, err)
		}
		r.rec.Record(&history.Op{
			Scope: history.ScopeState, Kind: history.OK, Text: t.table, Phase: phase,
			Columns: []string{t.key, t.column}, Rows: res.Rows,
		})
	}
	return r.rec.Flush()
}
