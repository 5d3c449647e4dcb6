package retry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
)

// Phases of the state that is recorded after each round: rows that are there and
// were not, and rows that are gone. A changed row is in both.
const (
	Added   = "added"
	Removed = "removed"
)

// world is the rows of the tables as they were before the first round. The
// sequences are left where they are: a retry draws other values too.
type world struct {
	conn   *pg.Conn
	own    map[string]string // the tables in SQL, without those that inherit
	tables []relation
	resets string
	// changed are, of the last round, the tables that it changed, with the rows
	// as they had been that it changed or removed.
	changed map[string][][]history.Value
}

type relation struct {
	history.Table
	rows map[string]int // equal rows, counted
	all  [][]history.Value
}

// TooLargeError says that the tables cannot be put back between rounds.
type TooLargeError struct {
	Table string
	Limit int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("table %s has more than %d rows, and every round reads and restores it", e.Table, e.Limit)
}

func newWorld(conn *pg.Conn, tables []history.Table, limit int) (*world, error) {
	w := &world{conn: conn}
	needs, err := lab.References(conn)
	if err != nil {
		return nil, err
	}
	if w.own, err = lab.Own(conn); err != nil {
		return nil, err
	}
	var empty, fill strings.Builder
	for i, t := range lab.InOrder(tables, needs) {
		rows, err := w.read(t.Name, limit+1)
		if err != nil {
			return nil, err
		}
		if len(rows) > limit {
			return nil, &TooLargeError{t.Name, limit}
		}
		columns, err := lab.Writable(conn, t.Name)
		if err != nil {
			return nil, err
		}
		if _, err := conn.Ask(fmt.Sprintf("create temp table ccheck_kept_%d as select %s from %s", i+1, columns, w.own[t.Name])); err != nil {
			return nil, fmt.Errorf("keeping the rows of %s: %w", t.Name, err)
		}
		fmt.Fprintf(&fill, "insert into %s (%s) overriding system value select %s from pg_temp.ccheck_kept_%d;", lab.Ident(t.Name), columns, columns, i+1)
		r := relation{Table: t, rows: map[string]int{}, all: rows}
		for _, row := range rows {
			r.rows[key(row)]++
		}
		w.tables = append(w.tables, r)
	}
	for _, t := range slices.Backward(w.tables) {
		fmt.Fprintf(&empty, "delete from %s;", w.own[t.Name])
	}
	w.resets = "begin; set local ccheck.outside = 'on';" + empty.String() + fill.String() + "commit"
	return w, nil
}

func (w *world) read(table string, limit int) ([][]history.Value, error) {
	res, err := w.conn.Ask(fmt.Sprintf("select * from %s limit %d", w.own[table], limit))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", table, err)
	}
	rows := make([][]history.Value, len(res.Rows))
	for i, r := range res.Rows {
		rows[i] = slices.Clone(r)
	}
	return rows, nil
}

// key is a text that equal rows have in common.
func key(row []history.Value) string {
	var b strings.Builder
	for _, v := range row {
		if v.Null {
			b.WriteString("\x01")
		}
		b.WriteString(v.Text)
		b.WriteByte(0)
	}
	return b.String()
}

// record writes the rows that came and went.
func (w *world) record(rec *history.Recorder) error {
	w.changed = map[string][][]history.Value{}
	for _, t := range w.tables {
		found, err := w.read(t.Name, 1<<20)
		if err != nil {
			return err
		}
		var added, removed [][]history.Value
		seen := map[string]int{}
		for _, row := range found {
			k := key(row)
			if seen[k]++; seen[k] > t.rows[k] {
				added = append(added, row)
			}
		}
		for _, row := range t.all {
			k := key(row)
			if seen[k]--; seen[k] < 0 {
				removed = append(removed, row)
			}
		}
		if len(added)+len(removed) > 0 {
			w.changed[t.Name] = removed
		}
		for _, side := range []struct {
			phase string
			rows  [][]history.Value
		}{{Removed, removed}, {Added, added}} {
			if len(side.rows) > 0 {
				rec.Record(&history.Op{Scope: history.ScopeState, Kind: history.OK, Text: t.Name, Phase: side.phase, Columns: t.Columns, Rows: side.rows})
			}
		}
	}
	return rec.Flush()
}

// reset puts the rows back.
func (w *world) reset() error {
	if _, err := w.conn.Ask(w.resets); err != nil {
		_, undo := w.conn.Ask("rollback")
		if undo != nil {
			return undo
		}
		return fmt.Errorf("putting the rows of before the round back: %w", err)
	}
	return nil
}

// advance moves the sequences on, so that what is drawn from them differs from
// one calm round to the next as it does after a rollback.
func (w *world) advance() error {
	sequences, err := lab.Sequences(w.conn)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, s := range sequences {
		if s.Name != atWrite && s.Name != atCommit {
			fmt.Fprintf(&b, "select nextval(%s);", lab.Literal(s.Name))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	if _, err := w.conn.Ask(b.String()); err != nil {
		return fmt.Errorf("moving the sequences on: %w", err)
	}
	return nil
}
