// Package graph says how two transactions of a record depend on each other and
// which anomaly their dependencies make. The dependencies are those of Adya's
// thesis (MIT, 1999, chapter 3): wr reads from, ww overwrites, rw was read
// before it was overwritten.
//
// The record holds what clients saw, not what the server did: every statement
// has a span of time in which it happened. A dependency is Sure when the spans
// or the values leave no other order; the rest is likely and says so. Nothing
// here is a proof of serializability, and package graph never says that a
// record has no anomaly.
package graph

import (
	"slices"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// End is one side of an edge: access Table of statement Stmt of a transaction.
type End struct {
	Txn   *lanes.Txn
	Stmt  int
	Table int
}

// Statement is the statement of this end.
func (e End) Statement() *lanes.Stmt { return &e.Txn.Stmts[e.Stmt] }

// Access is the access of this end.
func (e End) Access() *sqlread.Table { return &e.Statement().Access.Tables[e.Table] }

// Edge is one dependency: To depends on From.
type Edge struct {
	Kind     string // "wr", "ww" or "rw"
	From, To End
	Columns  []string // shared columns, nil when rows come or go
	Row      bool     // both name the row by its key
	Sure     bool
	// Weak means that the record fits the opposite as well: a commit was on its
	// way while the read ran.
	Weak bool
}

// Pair computes the dependencies between two transactions, those from a to b
// and those from b to a.
func Pair(schema *lanes.Schema, a, b *lanes.Txn) (ab, ba []Edge) {
	p := pair{schema: schema, ended: [2]bound{{a, commitBound(schema, a, b)}, {b, commitBound(schema, b, a)}}}
	for i := range a.Stmts {
		for j := range b.Stmts {
			for x := range a.Stmts[i].Access.Tables {
				for y := range b.Stmts[j].Access.Tables {
					p.accesses(End{a, i, x}, End{b, j, y})
				}
			}
		}
	}
	for _, e := range p.edges {
		if e.From.Txn == a {
			ab = append(ab, e)
		} else {
			ba = append(ba, e)
		}
	}
	return ab, ba
}

type pair struct {
	schema *lanes.Schema
	ended  [2]bound
	edges  []Edge
}

// bound is a time before which a transaction had ended on the server, whenever
// its client heard of it.
type bound struct {
	txn *lanes.Txn
	at  time.Duration
}

// commitBound returns when t had ended at the latest: when its client heard of
// it, or when the other transaction got a lock that t had held.
func commitBound(schema *lanes.Schema, t, other *lanes.Txn) time.Duration {
	_, at := t.Commit()
	for i := range t.Stmts {
		for x := range t.Stmts[i].Access.Tables {
			held := End{t, i, x}
			if held.Access().Lock == sqlread.NoLock || held.Access().Kind == sqlread.Insert || held.Statement().End == nil || !held.Statement().Effective(x) {
				continue
			}
			for j := range other.Stmts {
				if s := &other.Stmts[j]; s.Finish() < at && s.Finish() > held.Statement().Finish() && granted(schema, held, other, j) {
					at = s.Finish()
				}
			}
		}
	}
	return at
}

// granted reports whether the statement got a lock that conflicts with the one
// that is held.
func granted(schema *lanes.Schema, held End, other *lanes.Txn, j int) bool {
	s := &other.Stmts[j]
	if s.End == nil || s.Failed() {
		return false
	}
	for y := range s.Access.Tables {
		a := &s.Access.Tables[y]
		if a.Kind == sqlread.Insert || a.SkipLocked || !a.Lock.Conflicts(held.Access().Lock) {
			continue
		}
		if _, row := schema.Meet(held.Statement(), held.Table, s, y); row {
			return true
		}
	}
	return false
}

func (p *pair) endedBy(t *lanes.Txn) time.Duration {
	if p.ended[0].txn == t {
		return p.ended[0].at
	}
	return p.ended[1].at
}

// accesses adds the dependencies between two accesses.
func (p *pair) accesses(x, y End) {
	if x.Access().Name != y.Access().Name || !x.Access().Kind.Writes() && !y.Access().Kind.Writes() {
		return
	}
	meet, row := p.schema.Meet(x.Statement(), x.Table, y.Statement(), y.Table)
	if !meet {
		return
	}
	if locks(x) && locks(y) && !fresh(x) && !fresh(y) {
		p.locked(x, y, row)
		return
	}
	p.read(x, y, row)
	p.read(y, x, row)
}

// fresh reports whether the access adds rows and changes none: an INSERT … ON
// CONFLICT DO UPDATE locks the row that it meets.
func fresh(e End) bool {
	return e.Access().Kind == sqlread.Insert && e.Access().OnConflict != "update"
}

// locks reports whether the access waits for other writers of its rows.
func locks(e End) bool { return e.Access().Lock >= sqlread.NoKeyUpdate }

// writes reports whether the access changed rows, for good or until its
// transaction was rolled back.
func writes(e End) bool {
	return e.Access().Kind.Writes() && e.Statement().Effective(e.Table)
}

// locked orders two accesses that lock the same rows: the second one waits
// until the first one's transaction has ended, and then sees the row as it is.
func (p *pair) locked(x, y End, row bool) {
	if y.Statement().Finish() < x.Statement().Finish() || y.Statement().End != nil && x.Statement().End == nil {
		x, y = y, x
	}
	columns, meet := sqlread.Shared(x.Access(), y.Access())
	if !meet {
		return
	}
	sure := row && x.Statement().Finish() < y.Statement().Finish()
	first, second := writes(x) && x.Txn.State == lanes.Committed, writes(y) && y.Txn.State != lanes.Aborted
	if first && second && overwrites(x, y) {
		p.add(Edge{Kind: "ww", From: x, To: y, Columns: columns, Row: row, Sure: sure})
	}
	if first && sees(y, columns) {
		p.add(Edge{Kind: "wr", From: x, To: y, Columns: columns, Row: row, Sure: sure})
	}
	if second && sees(x, columns) {
		p.add(Edge{Kind: "rw", From: x, To: y, Columns: columns, Row: row, Sure: sure})
	}
}

// overwrites reports whether both accesses change the same column.
func overwrites(x, y End) bool {
	if x.Access().Kind == sqlread.Delete || y.Access().Kind == sqlread.Delete {
		return true
	}
	for _, w := range x.Access().Writes {
		if slices.ContainsFunc(y.Access().Writes, func(v sqlread.Write) bool { return v.Column == w.Column || v.Column == "*" }) {
			return true
		}
	}
	return false
}

// sees reports whether the access reads one of the columns; rows that come or
// go are seen by every access.
func sees(e End, columns []string) bool {
	seen := e.Access().Columns
	if columns == nil || slices.Contains(seen, "*") {
		return true
	}
	return slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(seen, c) })
}

// read adds what r read of w's write: wr when it was there, rw when not yet.
func (p *pair) read(r, w End, row bool) {
	if !writes(w) || r.Access().Kind == sqlread.Lock && r.Access().Tail == 0 {
		return // LOCK TABLE reads nothing
	}
	columns, meet := sqlread.Shared(r.Access(), w.Access())
	if !meet || !sees(r, columns) {
		return
	}
	if fresh(r) {
		p.stopped(r, w)
		return
	}
	if w.Txn.State == lanes.Aborted && !effect(w.Txn) {
		return
	}
	switch v := p.visible(r, w, row); v {
	case seen:
		p.add(Edge{Kind: "wr", From: w, To: r, Columns: columns, Row: row, Sure: true})
	case missed, likely, possible:
		p.add(Edge{Kind: "rw", From: r, To: w, Columns: columns, Row: row, Sure: v == missed, Weak: v == possible})
	}
}

// stopped adds a wr when insert r met the row of insert w in a unique index:
// it did nothing, or failed.
func (p *pair) stopped(r, w End) {
	s := r.Statement()
	conflict := s.Failed() && (s.End.SQLState == "23505" || s.End.SQLState == "23P01" || s.End.SQLState == "40001")
	nothing := r.Access().OnConflict == "nothing" && !s.Effective(r.Table)
	if (conflict || nothing) && w.Access().Kind == sqlread.Insert && w.Txn.State == lanes.Committed &&
		w.Statement().Begin.Time < s.Finish() {
		p.add(Edge{Kind: "wr", From: w, To: r, Sure: true})
	}
}

// visibility says whether a read saw a write.
type visibility uint8

// missed and seen leave no other order. likely: the commit was sent while the
// statement was already on its way; possible: the commit was sent before it,
// and answered after it had begun.
const (
	seen visibility = iota + 1
	missed
	likely
	possible
)

// visible tells it by the spans of snapshot and commit, and by the value where
// they overlap.
func (p *pair) visible(r, w End, row bool) visibility {
	from, to := r.Txn.Snapshot(r.Stmt)
	if t := r.Access(); t.Kind == sqlread.Delete && t.Sub && r.Txn.Level == lanes.ReadCommitted && r.Statement().Access.Tables[0].Kind == sqlread.Delete {
		from = to // a cascade looks when the DELETE has its row, after any wait
	}
	sent, _ := w.Txn.Commit()
	switch {
	case w.Txn.State == lanes.Committed && p.endedBy(w.Txn) <= from:
		return seen
	case sent >= to:
		return missed
	case sent > from && from < to && waited(r.Txn, r.Txn.SnapshotOf(r.Stmt), w.Txn):
		return missed // the snapshot is taken before a lock is waited for
	case sent > from || row && differs(r, w):
		return likely
	}
	return possible
}

// differs reports whether the value that was read is another one than was
// written. Equal values prove nothing, since the row may have had that value
// before; and a difference is no proof either, since a third transaction may
// have written again.
func differs(r, w End) bool {
	for _, wr := range w.Access().Writes {
		written, ok := wr.Value.Resolve(w.Statement().Arg)
		read, ok2 := r.Statement().Returned(r.Table, wr.Column, "")
		if wr.Kind == sqlread.Absolute && ok && ok2 && len(written) == 1 && len(read) == 1 && !equal(read[0], written[0]) {
			return true
		}
	}
	return false
}

// equal compares texts, or numbers when both are: 70 is 70.00.
func equal(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return a == b || err == nil && err2 == nil && x == y
}

func (p *pair) add(e Edge) { p.edges = append(p.edges, e) }

// Aborts reports whether the answer is one after which PostgreSQL wants the
// whole transaction to be run again (manual, 13.5).
func Aborts(o *history.Op) bool {
	return o != nil && (o.SQLState == "40001" || o.SQLState == "40P01")
}
