package graph

import (
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// Kind is a way in which two transactions go wrong together.
type Kind uint8

// The kinds, the strongest explanation first.
const (
	LostUpdate    Kind = iota + 1 // P4: written from a stale read, over a newer value
	StaleCheck                    // decided on a stale read, then changed the row all the same
	RowIgnored                    // the guard matched no row and nobody looked
	ClaimTwice                    // the row was chosen in a subquery of the statement that claims it
	StaleSubquery                 // the value was computed in a subquery of the statement that writes it
	EffectOutside                 // something outside the transaction was done before the commit could say no
	SplitSnapshot                 // one statement: the unique index saw the row, the query did not
	Phantom                       // both looked, and inserted what the other one's look would have seen
	WriteSkew                     // each read what the other one changed
	OutOfOrder                    // ids became visible in another order than they were handed out
	ReadSkew                      // saw a part of the other transaction
)

var names = [...]string{
	LostUpdate: "lost update (P4)", StaleCheck: "stale read then write (G-single)", RowIgnored: "row count ignored after a stale read (G-single)",
	ClaimTwice: "claimed twice: stale subquery (G-single)", StaleSubquery: "value from a stale subquery (G-single)", EffectOutside: "effect outside the transaction before its commit", SplitSnapshot: "stale snapshot inside one statement (G-single)",
	Phantom: "phantom: insert after check (G2)", WriteSkew: "write skew (G2-item)", OutOfOrder: "ids visible out of order (reads past an uncommitted insert)", ReadSkew: "read skew (G-single)",
}

func (k Kind) String() string { return names[k] }

// Anomaly is a dependency that was missed and the one that closes the cycle.
type Anomaly struct {
	Kind   Kind
	Reader *lanes.Txn // whose read was stale
	Writer *lanes.Txn // whose write it missed
	Missed Edge       // rw from Reader to Writer
	Back   Edge       // from Writer to Reader; zero for OutOfOrder
	Sure   bool
	Weak   bool // the record fits the opposite as well
	Stale  bool // the read came after the commit and still saw the old snapshot
}

// Name is the field's word for it. A skew through rows that did not exist when
// they were looked for is no G2-item.
func (a *Anomaly) Name() string {
	if a.OnReplica() && (a.Kind == LostUpdate || a.Kind == StaleCheck || a.Kind == Phantom) {
		return "stale read from a replica, then write (G-single)"
	}
	if a.Kind == Phantom && a.SawNothing() {
		return "phantom: duplicate after check (G2)"
	}
	if a.Kind == WriteSkew && (!a.Missed.Row || !a.Back.Row) && (a.Missed.Columns == nil || a.Back.Columns == nil) {
		return "write skew (G2)"
	}
	return a.Kind.String()
}

// OnReplica reports whether the read that missed the write was on a replica.
func (a *Anomaly) OnReplica() bool { return a.Missed.From.Statement().OnReplica() }

// SawNothing reports whether the reader asked for a row and got none: EXISTS
// was false, or no row came back. A count of 0 says less, since the limit may
// be another one.
func (a *Anomaly) SawNothing() bool {
	s := a.Missed.From.Statement()
	switch {
	case s.End == nil:
		return false
	case s.Access.Tables[0].Kind == sqlread.Insert && a.Missed.From.Access().Sub:
		return s.Effective(0) && notExists.MatchString(s.Begin.Stmt.SQL)
	}
	if !a.Missed.From.Access().Aggregate {
		return len(s.End.Rows) == 0
	}
	return a.Missed.From.Access().Sub && len(s.End.Rows) == 1 && len(s.End.Rows[0]) == 1 && s.End.Rows[0][0].Text == "f"
}

var notExists = regexp.MustCompile(`(?i)\bnot\s+exists\b`)

// CountedNothing reports whether the reader counted rows and there were none.
func (a *Anomaly) CountedNothing() bool {
	s := a.Missed.From.Statement()
	return a.Missed.From.Access().Aggregate && s.End != nil && len(s.End.Rows) == 1 && len(s.End.Rows[0]) == 1 && s.End.Rows[0][0].Text == "0"
}

// Time is when the later of the two ended: before it nothing was wrong.
func (a *Anomaly) Time() time.Duration { return max(a.Reader.End(), a.Writer.End()) }

// Between returns the strongest anomaly of two transactions, or nil.
func Between(schema *lanes.Schema, a, b *lanes.Txn) *Anomaly {
	if a == b || a.Round != b.Round || !counts(a) || !counts(b) || !a.Wrote("") && !effect(a) && !b.Wrote("") {
		return nil
	}
	ab, ba := Pair(schema, a, b)
	found := append(cycles(ab, ba), cycles(ba, ab)...)
	if len(found) == 0 {
		found = append(undone(schema, ab), undone(schema, ba)...)
	}
	if len(found) == 0 {
		return outOfOrder(ab, ba)
	}
	slices.SortStableFunc(found, func(x, y *Anomaly) int {
		return cmp.Or(compareBool(x.Sure, y.Sure), compareBool(y.Weak, x.Weak), cmp.Compare(x.Kind, y.Kind), compareBool(x.Missed.Row, y.Missed.Row))
	})
	return found[0]
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// undone finds a transaction that did something outside of itself after a read
// that was out of date, and was then rolled back because of the other one.
func undone(schema *lanes.Schema, edges []Edge) []*Anomaly {
	var found []*Anomaly
	for _, miss := range edges {
		if miss.Kind != "rw" || miss.From.Txn.State != lanes.Aborted || miss.To.Txn.State != lanes.Committed || !effect(miss.From.Txn) {
			continue
		}
		if back, _, ok := Met(schema, miss.From.Txn, miss.To.Txn); ok && back.To.Statement().Failed() {
			found = append(found, &Anomaly{Kind: EffectOutside, Reader: miss.From.Txn, Writer: miss.To.Txn, Missed: miss, Back: back, Sure: miss.Sure, Weak: miss.Weak})
		}
	}
	return found
}

// counts reports whether the transaction had an effect, or can have had.
func counts(t *lanes.Txn) bool { return t.State != lanes.Aborted || effect(t) }

// effect reports whether something that the transaction did outside of itself
// stays.
func effect(t *lanes.Txn) bool {
	return slices.ContainsFunc(t.Outside, func(o *lanes.Txn) bool { return o.State != lanes.Aborted && o.Wrote("") })
}

// cycles closes every rw of there with every edge of back.
func cycles(there, back []Edge) []*Anomaly {
	var found []*Anomaly
	for _, miss := range there {
		if miss.Kind != "rw" || validated(miss) {
			continue
		}
		for _, b := range back {
			kind := classify(miss, b)
			if kind == 0 {
				continue
			}
			a := &Anomaly{Kind: kind, Reader: miss.From.Txn, Writer: miss.To.Txn, Missed: miss, Back: b, Sure: miss.Sure && b.Sure, Weak: miss.Weak || b.Weak}
			sent, _ := a.Writer.Commit()
			a.Stale = a.Reader.Level != lanes.ReadCommitted && sent < miss.From.Statement().Begin.Time
			found = append(found, a)
		}
	}
	return found
}

// classify names the cycle of a missed write and the dependency back, 0 when
// the two do no harm.
func classify(miss, back Edge) Kind {
	reader, again := miss.From, back.To // statements of the reader
	if effect(reader.Txn) && miss.From.Txn.State == lanes.Aborted {
		return aborted(miss, back)
	}
	switch back.Kind {
	case "ww":
		return overwritten(miss, back)
	case "rw":
		return skew(miss, back)
	}
	switch {
	case again.Access().Kind == sqlread.Insert && reader.Stmt == again.Stmt:
		return SplitSnapshot
	case reader.Stmt == again.Stmt && fresh(miss.To) && again.Access().Kind.Writes() && !again.Statement().Effective(again.Table) && reader.Txn.Wrote(""):
		return SplitSnapshot
	case again.Access().Kind.Writes() && again.Stmt > reader.Stmt && !again.Statement().Effective(again.Table) && reader.Txn.Wrote(""):
		return RowIgnored
	case again.Stmt != reader.Stmt && reader.Txn.Wrote("") && !again.Access().Kind.Writes():
		return ReadSkew
	case again.Stmt > reader.Stmt && miss.Columns == nil && again.Access().Kind > sqlread.Insert && again.Statement().Effective(again.Table):
		if reader.Access().Aggregate {
			return StaleCheck
		}
		return ReadSkew
	}
	return 0
}

// aborted is what is left of a transaction that was rolled back: what it did
// outside.
func aborted(miss, back Edge) Kind {
	if back.Kind == "wr" || back.Kind == "rw" {
		return EffectOutside
	}
	return 0
}

// overwritten: the reader changed what the writer had changed after the read.
func overwritten(miss, back Edge) Kind {
	read, write := miss.From, back.To
	if write.Stmt < read.Stmt {
		return 0
	}
	if read.Stmt == write.Stmt {
		switch {
		case read.Table == write.Table:
			return 0 // an atomic statement looks at the row again after its wait
		case read.Access().Name != write.Access().Name || read.Access().Aggregate:
			return StaleSubquery
		}
		return ClaimTwice
	}
	if ignored(read) {
		return RowIgnored
	}
	for _, w := range write.Access().Writes {
		if w.Kind != sqlread.Absolute {
			continue
		}
		if miss.Columns == nil || slices.Contains(miss.Columns, w.Column) || slices.Contains(read.Access().Columns, w.Column) {
			return LostUpdate
		}
	}
	return StaleCheck
}

// ignored reports whether the transaction went on after a later statement on
// the table that was read had changed no row.
func ignored(read End) bool {
	for n := read.Stmt + 1; n < len(read.Txn.Stmts); n++ {
		s := &read.Txn.Stmts[n]
		for i := range s.Access.Tables {
			if t := &s.Access.Tables[i]; t.Kind.Writes() && t.Name == read.Access().Name && !s.Failed() && !s.Effective(i) {
				return read.Txn.State == lanes.Committed
			}
		}
	}
	return false
}

// skew: each read what the other one changed.
func skew(miss, back Edge) Kind {
	inserts := fresh(miss.To) && fresh(back.To)
	switch {
	case validated(back):
		return 0
	case inserts && miss.From.Access().Kind == sqlread.Delete:
		return 0 // it was to take rows away, and decided on none
	case inserts && miss.To.Access().Name == back.To.Access().Name && sameTable(miss, back):
		return Phantom
	case miss.From.Stmt == back.To.Stmt && miss.From.Access().Kind.Writes():
		return 0
	}
	return WriteSkew
}

// sameTable reports whether both reads are of the table that both insert into.
func sameTable(miss, back Edge) bool { return miss.From.Access().Name == back.From.Access().Name }

// validated reports whether the transaction looked again when it wrote: its
// update of the row asks for the columns that it had read, and matched. A
// statement that waits looks again at the rows that it found, never for new ones.
func validated(miss Edge) bool {
	read := miss.From
	for n := read.Stmt; n < len(read.Txn.Stmts); n++ {
		s := &read.Txn.Stmts[n]
		for i := range s.Access.Tables {
			t := &s.Access.Tables[i]
			if t.Kind != sqlread.Update && t.Kind != sqlread.Delete || t.Name != read.Access().Name || !s.Effective(i) {
				continue
			}
			if n == read.Stmt && i == read.Table && !fresh(miss.To) || asks(t, miss.Columns) {
				return true
			}
		}
	}
	return false
}

// asks reports whether the conditions of a write cover all of the columns.
func asks(t *sqlread.Table, columns []string) bool {
	if len(columns) == 0 {
		return false
	}
	for _, c := range columns {
		if !slices.ContainsFunc(t.Preds, func(p sqlread.Pred) bool { return p.Column == c }) {
			return false
		}
	}
	return true
}

// outOfOrder finds a relay that reads everything behind a cursor, and moves
// the cursor, while an insert that got its number earlier is not committed.
// That is no cycle: the order "relay first" is serializable, and wrong.
func outOfOrder(ab, ba []Edge) *Anomaly {
	for _, e := range append(slices.Clone(ab), ba...) {
		read, insert := e.From, e.To
		if e.Kind != "rw" || insert.Access().Kind != sqlread.Insert || insert.Txn.State != lanes.Committed || !ranged(read.Access(), insert.Access()) {
			continue
		}
		if insert.Statement().Finish() <= read.Statement().Begin.Time && read.Txn.Wrote("") {
			return &Anomaly{Kind: OutOfOrder, Reader: read.Txn, Writer: insert.Txn, Missed: e, Sure: e.Sure, Weak: e.Weak}
		}
	}
	return nil
}

// ranged reports whether the read asks for everything above a value of a
// column that the insert leaves to the server.
func ranged(read, insert *sqlread.Table) bool {
	return slices.ContainsFunc(read.Preds, func(p sqlread.Pred) bool {
		return (p.Op == ">" || p.Op == ">=") && (!slices.Contains(insert.Into, p.Column) || insert.Kind == sqlread.Insert && unnamed(insert, p.Column))
	})
}

// unnamed reports whether the statement gives no value that can be told for
// the column.
func unnamed(insert *sqlread.Table, column string) bool {
	n := slices.Index(insert.Into, column)
	for _, row := range insert.Rows {
		if n < len(row) && row[n].Kind != sqlread.Default && row[n].Kind != sqlread.Expr {
			return false
		}
	}
	return true
}
