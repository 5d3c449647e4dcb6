package stress

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// newReset returns what puts the tables back to their state after setup. A
// scenario's own reset is used when it has one. Otherwise the rows are kept in
// temporary tables of the admin session and copied back in one transaction
// that also sets the sequences: DELETE and INSERT, since for the few rows of a
// scenario in rounds they are faster than TRUNCATE.
func (r *run) newReset() (func() error, error) {
	if r.sc.Reset != nil {
		return func() error { return r.runSource(*r.sc.Reset, "reset") }, nil
	}
	tables, err := r.inOrder()
	if err != nil {
		return nil, err
	}
	var keep, empty, fill strings.Builder
	for i, t := range tables {
		columns, err := r.writable(t)
		if err != nil {
			return nil, err
		}
		kept := fmt.Sprintf("pg_temp.ccheck_kept_%d", i+1)
		fmt.Fprintf(&keep, "create temp table ccheck_kept_%d as select %s from %s;", i+1, columns, ident(t.Name))
		fmt.Fprintf(&fill, "insert into %s (%s) overriding system value select %s from %s;", ident(t.Name), columns, columns, kept)
	}
	for i := len(tables) - 1; i >= 0; i-- {
		fmt.Fprintf(&empty, "delete from %s;", ident(tables[i].Name))
	}
	sequences, err := r.sequences()
	if err != nil {
		return nil, err
	}
	if keep.Len() > 0 {
		if _, err := r.admin.Ask(keep.String()); err != nil {
			return nil, fmt.Errorf("keeping the rows of after setup: %w", err)
		}
	}
	text := "begin;" + empty.String() + fill.String() + sequences + "commit"
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

// inOrder returns the tables with those that are referenced before those that
// refer to them.
func (r *run) inOrder() ([]history.Table, error) {
	res, err := r.admin.Ask(`select c.conrelid::regclass::text, c.confrelid::regclass::text from pg_constraint c
		join pg_class t on t.oid = c.conrelid where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, fmt.Errorf("reading the foreign keys: %w", err)
	}
	needs := map[string][]string{}
	for _, row := range res.Rows {
		needs[row[0].Text] = append(needs[row[0].Text], row[1].Text)
	}
	byName := map[string]history.Table{}
	for _, t := range r.tables {
		byName[t.Name] = t
	}
	var order []history.Table
	done := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		t, ours := byName[name]
		if done[name] || !ours {
			return
		}
		done[name] = true
		for _, other := range needs[name] {
			visit(other)
		}
		order = append(order, t)
	}
	for _, t := range r.tables {
		visit(t.Name)
	}
	return order, nil
}

// writable lists the columns of a table that can be written, without generated ones.
func (r *run) writable(t history.Table) (string, error) {
	res, err := r.admin.Ask(fmt.Sprintf(`select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
		where attrelid = '%s'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`, strings.ReplaceAll(ident(t.Name), "'", "''")))
	if err != nil {
		return "", fmt.Errorf("reading the columns of %s: %w", t.Name, err)
	}
	return res.Rows[0][0].Text, nil
}

// sequences is SQL that sets the sequences of the sandbox back.
func (r *run) sequences() (string, error) {
	res, err := r.admin.Ask(`select quote_ident(sequencename), coalesce(last_value, start_value), last_value is not null
		from pg_sequences where schemaname = current_schema()`)
	if err != nil {
		return "", fmt.Errorf("reading the sequences: %w", err)
	}
	var b strings.Builder
	for _, row := range res.Rows {
		called := "false"
		if row[2].Text == "t" {
			called = "true"
		}
		fmt.Fprintf(&b, "select setval('%s', %s, %s);", strings.ReplaceAll(row[0].Text, "'", "''"), row[1].Text, called)
	}
	return b.String(), nil
}
