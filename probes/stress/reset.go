package stress

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/probes/internal/lab"
)

// newReset returns what puts the tables back to their state after setup. A
// scenario's own reset is used when it has one. Otherwise the rows are kept in
// temporary tables of the admin session and copied back in one transaction
// that also sets the sequences: DELETE and INSERT, since for the few rows of a
// scenario in rounds they are faster than TRUNCATE.
func (r *run) newReset() (func() error, error) {
	if r.sc.Reset != nil {
		return func() error { return lab.RunSource(r.admin, *r.sc.Reset, r.sc.Params, "reset") }, nil
	}
	needs, err := lab.References(r.admin)
	if err != nil {
		return nil, err
	}
	own, err := lab.Own(r.admin)
	if err != nil {
		return nil, err
	}
	tables := lab.InOrder(r.tables, needs)
	var keep, empty, fill strings.Builder
	for i, t := range tables {
		columns, err := lab.Writable(r.admin, t.Name)
		if err != nil {
			return nil, err
		}
		kept := fmt.Sprintf("pg_temp.ccheck_kept_%d", i+1)
		fmt.Fprintf(&keep, "create temp table ccheck_kept_%d as select %s from %s;", i+1, columns, own[t.Name])
		fmt.Fprintf(&fill, "insert into %s (%s) overriding system value select %s from %s;", lab.Ident(t.Name), columns, columns, kept)
	}
	for i := len(tables) - 1; i >= 0; i-- {
		fmt.Fprintf(&empty, "delete from %s;", own[tables[i].Name])
	}
	sequences, err := lab.Sequences(r.admin)
	if err != nil {
		return nil, err
	}
	if keep.Len() > 0 {
		if _, err := r.admin.Ask(keep.String()); err != nil {
			return nil, fmt.Errorf("keeping the rows of after setup: %w", err)
		}
	}
	text := "begin;" + empty.String() + fill.String() + lab.SetAll(sequences) + "commit"
	return func() error {
		if _, err := r.admin.Ask(text); err != nil {
			if _, undo := r.admin.Ask("rollback"); undo != nil {
				return undo
			}
			return fmt.Errorf("putting the rows of after setup back: %w (a scenario may have a reset of its own)", err)
		}
		return nil
	}, nil
}
