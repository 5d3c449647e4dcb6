package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
)

// world is what the lanes change: the rows of the sandbox and its sequences. It
// knows them as the setup left them, tells how they differ after a schedule,
// and puts them back.
type world struct {
	conn      *pg.Conn
	rec       *history.Recorder
	tables    []*relation
	sequences []lab.Sequence
	look      string  // SQL that reads everything
	form      string  // of the tables themselves, as forms tells it
	large     []large // tables that are not put back
	limit     int     // of the rows of the others
	unchecked bool    // foreign keys are not looked at while rows are put back

	gate    *Wire   // of the application, nil without one
	company Company // what it did by itself before the last look
}

// relation is one table.
type relation struct {
	history.Table
	kept    string // temporary table with the rows of after setup
	columns string // that can be written
	rows    [][]history.Value
	count   map[string]int // of equal rows
	group   int            // tables joined by foreign keys have the same
	kind
}

// kind is what the catalog says of a table.
type kind struct {
	parted  bool // its rows are in partitions
	trigger bool // it has triggers of the scenario's own
}

// own is the table without those that inherit from it, whose rows are their
// own. A partitioned table has none but those of its partitions.
func (t *relation) own() string {
	if t.parted {
		return lab.Ident(t.Name)
	}
	return "only " + lab.Ident(t.Name)
}

// TooLargeError says that the tables cannot be put back between schedules.
type TooLargeError struct {
	Table       string
	Rows, Limit int
	Written     bool // which was seen; others are in the way by their size alone, which is Rows
}

func (e *TooLargeError) Error() string {
	if e.Written {
		return fmt.Sprintf("a request writes to table %s, which has more than %d rows, and every schedule reads and restores what was written", e.Table, e.Limit)
	}
	return fmt.Sprintf("table %s has %d rows, and every schedule reads and restores it; the limit is %d", e.Table, e.Rows, e.Limit)
}

// newWorld remembers the rows of after setup. A table with more than limit rows
// is an error, or only watched.
func newWorld(conn *pg.Conn, rec *history.Recorder, tables []history.Table, limit int, watch bool) (*world, error) {
	w := &world{conn: conn, rec: rec, limit: limit}
	needs, err := lab.References(conn)
	if err != nil {
		return nil, err
	}
	kinds, err := kindsOf(conn)
	if err != nil {
		return nil, err
	}
	for _, t := range lab.InOrder(tables, needs) {
		r, err := w.keep(t, kinds[t.Name], limit)
		if watch && errors.As(err, new(*TooLargeError)) {
			if err := w.watch(t); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		w.tables = append(w.tables, r)
	}
	w.join(needs)
	w.unchecked = w.referring(needs)
	if w.sequences, err = lab.Sequences(conn); err != nil {
		return nil, err
	}
	w.look = w.lookSQL()
	w.form, err = w.forms()
	return w, err
}

func (w *world) keep(t history.Table, k kind, limit int) (r *relation, err error) {
	n := len(w.tables)
	r = &relation{Table: t, kind: k, kept: fmt.Sprintf("pg_temp.ccheck_kept_%d", n+1), count: map[string]int{}, group: n}
	if r.columns, err = lab.Writable(w.conn, t.Name); err != nil {
		return nil, err
	}
	res, err := w.conn.Ask(fmt.Sprintf("select * from %s limit %d", r.own(), limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", t.Name, err)
	}
	if len(res.Rows) > limit {
		return nil, w.tooLarge(r)
	}
	r.rows = clone(res.Rows)
	for _, row := range r.rows {
		r.count[rowKey(row)]++
	}
	_, err = w.conn.Ask(fmt.Sprintf("create temp table ccheck_kept_%d as select %s from %s", n+1, r.columns, r.own()))
	if err != nil {
		return nil, fmt.Errorf("keeping the rows of %s: %w", t.Name, err)
	}
	return r, nil
}

// tooLarge counts the rows of a table that has too many.
func (w *world) tooLarge(t *relation) error {
	res, err := w.conn.Ask("select count(*) from " + t.own())
	if err != nil {
		return fmt.Errorf("counting the rows of %s: %w", t.Name, err)
	}
	rows, err := strconv.Atoi(res.Rows[0][0].Text)
	if err != nil {
		return fmt.Errorf("counting the rows of %s: %w", t.Name, err)
	}
	return &TooLargeError{Table: t.Name, Rows: rows, Limit: w.limit}
}

func clone(rows [][]history.Value) [][]history.Value {
	all := make([][]history.Value, len(rows))
	for i, row := range rows {
		all[i] = slices.Clone(row)
	}
	return all
}

// rowKey is a text that equal rows have in common.
func rowKey(row []history.Value) string {
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

// join gives tables that foreign keys connect one group: rows of one cannot be
// taken away without those of the others.
func (w *world) join(needs map[string][]string) {
	for _, t := range w.tables {
		for _, name := range needs[t.Name] {
			for _, other := range w.tables {
				if other.Name == name {
					w.merge(t.group, other.group)
				}
			}
		}
	}
}

func (w *world) merge(from, to int) {
	for _, t := range w.tables {
		if t.group == from {
			t.group = to
		}
	}
}

// kindsOf reads the kinds of the tables, by name. A trigger of a partition is
// one of the table.
func kindsOf(conn *pg.Conn) (map[string]kind, error) {
	res, err := conn.Ask(`select c.relname, c.relkind, exists (select from pg_trigger g
		where not g.tgisinternal and (g.tgrelid = c.oid or pg_partition_root(g.tgrelid) = c.oid))
		from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, fmt.Errorf("reading the kinds of the tables: %w", err)
	}
	kinds := map[string]kind{}
	for _, row := range res.Rows {
		kinds[row[0].Text] = kind{parted: row[1].Text == "p", trigger: row[2].Text == "t"}
	}
	return kinds, nil
}

// triggers reports whether a table has triggers of the scenario's own.
func (w *world) triggers() bool {
	return slices.ContainsFunc(w.tables, func(t *relation) bool { return t.trigger })
}

// lookSQL reads all tables and all sequences in one message, which is one
// transaction; no lane is running then.
func (w *world) lookSQL() string {
	var b strings.Builder
	for _, t := range w.tables {
		fmt.Fprintf(&b, "select * from %s;", t.own())
	}
	for _, s := range w.sequences {
		fmt.Fprintf(&b, "select last_value, is_called from %s;", s.Name)
	}
	return b.String() + w.lookLarge()
}

// Phases of the state that is recorded after each schedule: rows that are there
// and were not, and rows that are gone. A changed row is in both.
const (
	Added   = "added"
	Removed = "removed"
)

// change is how the world differs from that of after setup.
type change struct {
	tables    []rows
	sequences bool
}

// rows are those of one table that came and went.
type rows struct{ added, removed [][]history.Value }

func (r rows) any() bool { return len(r.added)+len(r.removed) > 0 }

func (c change) none() bool { return !c.sequences && !slices.ContainsFunc(c.tables, rows.any) }

// diff compares the world with that of after setup, and records the difference
// when a recorder is there.
func (w *world) diff(record bool) (change, error) {
	c := change{tables: make([]rows, len(w.tables))}
	if w.look == "" {
		w.company = Company{}
		return c, nil
	}
	results, err := w.conn.ExecText(context.Background(), &pg.Stmt{}, w.look, nil)
	if err != nil {
		return c, fmt.Errorf("reading the tables after a schedule: %w", err)
	}
	if record {
		w.company = w.accompanied() // after the rows were read: what came since is in none of them
	}
	for i, t := range w.tables {
		r := t.compare(results[i].Rows)
		c.tables[i] = r
		if record && !slices.Contains(w.company.Aside, strings.ToLower(t.Name)) {
			w.record(t, results[i].Columns, Removed, r.removed)
			w.record(t, results[i].Columns, Added, r.added)
		}
	}
	for i, s := range w.sequences {
		row := results[len(w.tables)+i].Rows[0]
		c.sequences = c.sequences || row[0].Text != s.Value || (row[1].Text == "t") != s.Called
	}
	return c, w.touched(results[len(w.tables)+len(w.sequences):])
}

func (w *world) record(t *relation, columns []string, phase string, rows [][]history.Value) {
	if len(rows) > 0 {
		w.rec.Record(&history.Op{Scope: history.ScopeState, Kind: history.OK, Text: t.Name, Phase: phase, Columns: columns, Rows: rows})
	}
}

// compare returns the rows that came and went.
func (t *relation) compare(found [][]history.Value) (r rows) {
	if slices.EqualFunc(found, t.rows, func(a, b []history.Value) bool { return slices.Equal(a, b) }) {
		return r
	}
	seen := make(map[string]int, len(found))
	for _, row := range found {
		key := rowKey(row)
		if seen[key]++; seen[key] > t.count[key] {
			r.added = append(r.added, row)
		}
	}
	for _, row := range t.rows {
		key := rowKey(row)
		if seen[key]--; seen[key] < 0 {
			r.removed = append(r.removed, row)
		}
	}
	return r
}

// reset puts back what has changed: the rows of the tables, with those that
// foreign keys join to them, and the sequences.
func (w *world) reset(c change) error {
	if c.none() {
		return nil
	}
	if _, err := w.conn.Ask(w.resetSQL(c)); err != nil {
		return fmt.Errorf("putting the rows of after setup back: %w", err)
	}
	return nil
}

// few is the number of rows up to which a whole table is written again.
const few = 50

// resetSQL is one message, and so one transaction. The rows are deleted and
// inserted in their first order rather than updated in place: where statements
// have no ORDER BY, their order in the table decides which row is locked first.
// Of a larger table only the rows that changed are written.
func (w *world) resetSQL(c change) string {
	changed := map[int]bool{}
	for i, t := range w.tables {
		changed[t.group] = changed[t.group] || c.tables[i].any()
	}
	var off, empty, fill, on strings.Builder
	if w.unchecked {
		// Rows of a large table refer to rows that are gone for a moment.
		off.WriteString("set local session_replication_role = replica;")
	}
	for i, t := range w.tables {
		if !changed[t.group] {
			continue
		}
		name := lab.Ident(t.Name)
		if t.trigger {
			fmt.Fprintf(&off, "alter table %s disable trigger user;", name)
			fmt.Fprintf(&on, "alter table %s enable trigger user;", name)
		}
		if len(t.rows) > 0 {
			fmt.Fprintf(&fill, "insert into %s (%s) overriding system value select %s from %s%s;", name, t.columns, t.columns, t.kept, w.only(t, c.tables[i]))
		}
	}
	for i, t := range slices.Backward(w.tables) {
		if changed[t.group] {
			fmt.Fprintf(&empty, "delete from %s%s;", t.own(), w.only(t, c.tables[i]))
		}
	}
	text := off.String() + empty.String() + fill.String() + on.String()
	if c.sequences {
		text += lab.SetAll(w.sequences)
	}
	return text
}

// only is the condition that names the rows to write again, "" for all. It
// needs a key, and no foreign key that would take other rows along.
func (w *world) only(t *relation, r rows) string {
	if len(t.rows) <= few || len(t.Key) == 0 || w.joined(t) {
		return ""
	}
	var names []string
	for _, k := range t.Key {
		names = append(names, lab.Ident(k))
	}
	var keys []string
	for _, row := range slices.Concat(r.added, r.removed) {
		var values []string
		for _, k := range t.Key {
			values = append(values, lab.Literal(row[slices.Index(t.Columns, k)].Text))
		}
		keys = append(keys, "("+strings.Join(values, ", ")+")")
	}
	if len(keys) == 0 {
		return " where false"
	}
	return fmt.Sprintf(" where (%s) in (%s)", strings.Join(names, ", "), strings.Join(keys, ", "))
}

// joined reports whether a foreign key connects the table with another one.
func (w *world) joined(t *relation) bool {
	return slices.ContainsFunc(w.tables, func(o *relation) bool { return o != t && o.group == t.group })
}

// formsSQL tells all that a schema is made of, but not what is in it.
const formsSQL = `select md5(concat(
	(select string_agg(concat_ws(' ', c.oid, c.relname, c.relkind, (select string_agg(concat_ws(' ', a.attname, a.atttypid, a.attnotnull), ',' order by a.attnum)
		from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)), ';' order by c.oid)
		from pg_class c where c.relnamespace = current_schema()::regnamespace),
	(select string_agg(concat_ws(' ', k.oid, k.conname), ';' order by k.oid) from pg_constraint k where k.connamespace = current_schema()::regnamespace)))`

func (w *world) forms() (string, error) {
	res, err := w.conn.Ask(formsSQL)
	if err != nil {
		return "", fmt.Errorf("reading what the tables are made of: %w", err)
	}
	return res.Rows[0][0].Text, nil
}

// sameForm reports whether the schema is made of what it was after setup.
func (w *world) sameForm() (bool, error) {
	form, err := w.forms()
	return form == w.form, err
}

// proof returns an error when the world is not that of after setup, although
// everything was put back.
func (w *world) proof() error {
	c, err := w.diff(false)
	if err != nil {
		return err
	}
	for i, t := range w.tables {
		if c.tables[i].any() {
			return fmt.Errorf("table %s cannot be put back as the setup left it, so no two schedules begin alike; a rule, a trigger or another session changes it", t.Name)
		}
	}
	if c.sequences {
		return errors.New("the sequences cannot be put back as the setup left them, so no two schedules begin alike; another session draws from them")
	}
	return nil
}

// advance moves every sequence on, so that a second run of the same order shows
// which columns they fill.
func (w *world) advance() error {
	var b strings.Builder
	for _, s := range w.sequences {
		fmt.Fprintf(&b, "select setval(%s, nextval(%[1]s) + 1000);", lab.Literal(s.Name))
	}
	if b.Len() == 0 {
		return nil
	}
	if _, err := w.conn.Ask(b.String()); err != nil {
		return fmt.Errorf("moving the sequences on: %w", err)
	}
	return nil
}
