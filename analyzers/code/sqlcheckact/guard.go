package sqlcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// guarded reports whether something makes the two statements one.
func (c *candidate) guarded() bool {
	return c.lockedInGo() || c.serial() || c.rowLocked() || c.ownRow() || c.atomic()
}

// guardedByCallers reports whether the callers put a guard around: the function
// got its transaction, or runs under a lock. Where not all callers are at hand
// and the transaction is a parameter, nothing can be said.
func (c *candidate) guardedByCallers() bool {
	guarded, open := 0, 0
	acts := c.act.Sum.Seen(c.act.I)
	for _, x := range c.act.Sum.Seen(c.check.I) {
		for _, y := range acts {
			if x.Summary != y.Summary || !x.After(x.Index, y.Index) || x.Folded {
				continue
			}
			if c.as(x.Summary, x.Index, y.Index).guarded() {
				guarded++
			} else {
				open++
			}
		}
	}
	if guarded+open > 0 {
		return open == 0
	}
	return c.act.Handle == libs.Tx && c.act.On.Root == flow.Param && !c.act.Sum.Closed()
}

// as is the candidate as a caller sees it.
func (c *candidate) as(s *flow.Summary, check, act int) *candidate {
	n := &candidate{all: stmt.All(s), read: c.read, write: c.write, why: c.why}
	for _, o := range n.all {
		if o.I == check {
			n.check = o
		}
		if o.I == act {
			n.act = o
		}
	}
	return n
}

// locker are names of calls that take a lock of a kind that no table knows.
var locker = regexp.MustCompile(`(^|\.)([Tt]ry|[Ww]ith|[Aa]cquire|[Gg]et|[Oo]btain)?_?[A-Za-z]*Lock(Context)?$|(^|\.)([Aa]cquire|[Oo]btain)`)

// lockedInGo: one lock is held over both, or a lock of another kind was taken
// before.
func (c *candidate) lockedInGo() bool {
	s := c.act.Sum
	if c.heldTogether() {
		return true
	}
	for i := range s.Events {
		e := &s.Events[i]
		if !s.After(i, c.check.I) || e.Deferred || s.After(c.check.I, i) && len(e.Loop) == 0 {
			continue
		}
		switch {
		case e.Op == libs.Flight, e.Op == libs.Once:
			return true
		case e.Op == libs.KVClaim, e.Op == libs.KVLead, e.Op == libs.KVWatch, e.Op == libs.FileLock:
			return true
		case e.Op == libs.Calls && locker.MatchString(e.Call) && !strings.Contains(e.Call, "Unlock"):
			return true
		}
	}
	return false
}

// heldTogether: one lock is held over both.
func (c *candidate) heldTogether() bool {
	return slices.ContainsFunc(c.check.Held, func(l int) bool { return slices.Contains(c.act.Held, l) })
}

// serial: the isolation level of both refuses one of two such transactions.
func (c *candidate) serial() bool {
	if !stmt.SameHandle(c.check.Event, c.act.Event) {
		return false
	}
	switch c.act.Isolation(c.all) {
	case "serializable", "?":
		return true
	case "repeatable read":
		return c.write.Kind == sqlread.Update || c.write.Kind == sqlread.Delete
	}
	return false
}

// rowLocked: a statement of the same transaction holds the row, or one that
// stands for it, since before the read.
func (c *candidate) rowLocked() bool {
	for _, l := range c.all {
		if l.I != c.check.I && !c.act.Sum.After(l.I, c.check.I) || l.I == c.act.I {
			continue
		}
		if c.holds(l) {
			return true
		}
	}
	return false
}

// holds reports whether a statement takes a lock that lasts until the write.
func (c *candidate) holds(l stmt.Stmt) bool {
	if !stmt.SameHandle(l.Event, c.act.Event) || l.Handle == libs.Pool && l.On.Root != flow.Result {
		return false
	}
	if l.Acc.Advisory && !strings.Contains(strings.ToLower(l.Text), "unlock") {
		return true
	}
	for i := range l.Acc.Tables {
		t := &l.Acc.Tables[i]
		if t.Lock < sqlread.NoKeyUpdate || t.Kind == sqlread.Insert && t.OnConflict != "update" {
			continue
		}
		if l.I == c.check.I && c.why == absence {
			continue // there is no row to lock
		}
		return true
	}
	return false
}

// ownRow: the row was made by this transaction, or under a key that only this
// call knows.
func (c *candidate) ownRow() bool {
	for _, k := range stmt.Keys(c.read) {
		for _, src := range c.check.Arg(k.Values[0]).Sources() {
			if src.Event < 0 {
				continue
			}
			i := slices.IndexFunc(c.all, func(o stmt.Stmt) bool { return o.I == src.Event })
			if i >= 0 && c.act.Sum.After(src.Event, c.check.I) && src.Event != c.act.I && inserts(c.all[i], c.read) {
				return true
			}
		}
	}
	return false
}

func inserts(s stmt.Stmt, t *sqlread.Table) bool {
	return slices.ContainsFunc(s.Acc.Tables, func(o sqlread.Table) bool { return o.Kind == sqlread.Insert && sqlread.Same(&o, t) })
}

// atomic: the write decides by itself.
func (c *candidate) atomic() bool {
	switch c.write.Kind {
	case sqlread.Insert:
		return c.write.OnConflict != "" && c.why != computed && !c.overwrites() || c.duplicateHandled() || c.selfChecked()
	case sqlread.Delete:
		if c.why == count {
			return c.selfChecked()
		}
		return c.counted() || len(c.act.Acc.Outputs) > 0
	}
	if c.why == count && c.enters() {
		return slices.ContainsFunc(c.write.Preds, func(p sqlread.Pred) bool { return p.Op == "expr" })
	}
	return slices.ContainsFunc(c.write.Preds, c.repeats)
}

// repeats: a condition of the write asks again what the read was asked for, or
// compares the old value or version.
func (c *candidate) repeats(p sqlread.Pred) bool {
	if p.Op == "expr" && p.Column == "" || strings.HasPrefix(p.Column, "ccheck_") {
		return true // a condition of which nobody here knows what it asks
	}
	if c.writes(p.Column) && !c.keeps(p) || version.MatchString(p.Column) || c.stamped(p) {
		return true
	}
	if c.isKey(p.Column) || c.why == count {
		return false
	}
	return slices.ContainsFunc(c.conds(), func(d flow.Cond) bool {
		return d.Test == flow.Decides && flow.Column(c.column(d.Path)) == flow.Column(p.Column)
	})
}

// keeps: the write sets the key by which the row was sought to what its condition has
// compared it with, as an ORM does that writes the key with the rest of the row.
func (c *candidate) keeps(p sqlread.Pred) bool {
	return c.isKey(p.Column) && p.Op == "=" && len(p.Values) == 1 && slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool {
		return w.Kind == sqlread.Absolute && flow.Column(w.Column) == flow.Column(p.Column) && c.same(c.act.Arg(p.Values[0]), c.act.Arg(w.Value)) == equal
	})
}

// stamped: the statement that chose the row set a column to what no other has, as a
// number of attempts that grows or an owner, and the write asks for that.
func (c *candidate) stamped(p sqlread.Pred) bool {
	if p.Op != "=" || len(p.Values) == 0 || p.Values[0].Kind != sqlread.Param {
		return false
	}
	return slices.ContainsFunc(c.check.Acc.Tables, func(t sqlread.Table) bool {
		return t.Kind == sqlread.Update && sqlread.Same(&t, c.write) && slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool {
			return flow.Column(w.Column) == flow.Column(p.Column) && (w.Kind == sqlread.Relative || w.Value.Kind != sqlread.Literal)
		})
	})
}

// version are columns that change with every write.
var version = regexp.MustCompile(`(?i)^(row_?)?version$|^revision$|^rev$|^etag$|^lock_version$|^xmin$|^updated_?at$|^generation$`)

func (c *candidate) isKey(column string) bool {
	return slices.ContainsFunc(stmt.Keys(c.read), func(p sqlread.Pred) bool { return flow.Column(p.Column) == flow.Column(column) })
}

// duplicate are the names of questions about a unique violation, SQLSTATE 23505.
var duplicate = regexp.MustCompile(`(?i)23505|unique|dup|conflict|already|exist|constraint|violat`)

// duplicateHandled: somebody asks whether the insert failed on a unique index.
func (c *candidate) duplicateHandled() bool {
	return stmt.Asked(c.act.Sum, c.act.I, func(a flow.Ask) bool {
		return duplicate.MatchString(a.Text) || strings.Contains(a.Text, "PgError") || strings.Contains(a.Text, "pq.Error")
	})
}

// selfChecked: INSERT … SELECT … WHERE NOT EXISTS.
func (c *candidate) selfChecked() bool {
	return slices.ContainsFunc(c.act.Acc.Tables, func(t sqlread.Table) bool { return t.Sub && sqlread.Same(&t, c.write) })
}

// overwrites: a row that is there already is refused, and the insert that follows
// when there is none replaces one that came in between. Who made that was told
// that it is theirs.
func (c *candidate) overwrites() bool {
	if c.why != absence || c.write.OnConflict != "update" || onlySome.MatchString(c.act.SQL) || len(c.act.Acc.Outputs) > 0 {
		return false
	}
	replaced := slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool {
		return w.Kind == sqlread.Absolute && !touch.MatchString(w.Column) && w.Value.Kind != sqlread.Literal
	})
	return replaced && slices.ContainsFunc(c.conds(), func(d flow.Cond) bool { return d.Refused })
}

// onlySome are upserts that leave some rows as they are.
var onlySome = regexp.MustCompile(`(?is)\bdo\s+update\b.*\bwhere\b`)

// counted: somebody looks at the number of rows.
func (c *candidate) counted() bool {
	return stmt.Asked(c.act.Sum, c.act.I, func(a flow.Ask) bool { return a.Text == "n" })
}
