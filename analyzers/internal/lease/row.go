package lease

import (
	"regexp"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// A statement that takes a row over when the time of its holder is up names the
// holder, or a time that only locks have.
var (
	holderSet  = regexp.MustCompile(`(?is)\bset\b.*\b\w*(owner|holder|locked_by|leased_by|claimed_by|lease_id|worker(_id)?)\s*=`)
	timeUp     = regexp.MustCompile(`(?i)\b\w*(expir\w*|until|_end|deadline|heartbeat\w*|locked_at|leased_at|claimed_at|visib\w*)(_at)?\s*<=?\s*(now|current_timestamp|clock_timestamp|\$|\?|:|@)`)
	leaseTime  = regexp.MustCompile(`(?i)^(lock|lease|claim|visib|invisib)\w*_(until|at|time|deadline|expir\w*)$|^lease_end$`)
	holderName = regexp.MustCompile(`(?i)^\w*(owner|holder|locked_by|leased_by|claimed_by|lease_id|worker(_id)?)$`)
	timeName   = regexp.MustCompile(`(?i)expir|until|deadline|heartbeat|locked_at|leased_at|claimed_at|lease_end|visib`)
)

// Row tells whether an event takes a row as a lock with a lease: the statement
// writes who holds it, or until when, where the time of the last holder is up.
func Row(e *flow.Event) bool {
	if e.Op != libs.Exec && e.Op != libs.Query || e.SQL == "" || !timeUp.MatchString(e.SQL) {
		return false
	}
	if holderSet.MatchString(e.SQL) {
		return true
	}
	t := Written(e)
	return t != nil && slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool {
		return leaseTime.MatchString(w.Column) || lockName.MatchString(t.Name) && timeName.MatchString(w.Column) && single(t)
	})
}

// single tells whether a statement is about one row: one that sweeps takes no lock.
func single(t *sqlread.Table) bool {
	return t.Kind == sqlread.Insert || slices.ContainsFunc(t.Preds, func(p sqlread.Pred) bool { return p.Op == "=" })
}

// Written is the table that a statement changes, nil for none.
func Written(e *flow.Event) *sqlread.Table {
	if e.SQL == "" {
		return nil
	}
	acc := sqlread.Read(e.SQL)
	for i := range acc.Tables {
		if t := &acc.Tables[i]; t.Kind.Writes() && !t.Sub {
			return t
		}
	}
	return nil
}

// Table are the columns of a table of locks that say until when, or since when.
type Table map[string]bool

// tables are those of a package.
func (c *Claims) tables(own []*flow.Summary) map[string]Table {
	all := map[string]Table{}
	for _, s := range own {
		for i := range s.Events {
			e := &s.Events[i]
			if !c.Stated(s, i) || e.SQL == "" || !c.TakesOver(e) && !swept(e) {
				continue
			}
			if t := Written(e); t != nil {
				all[t.Name] = all[t.Name].with(t)
			}
		}
	}
	return all
}

// swept tells whether a statement removes what has run out from a table of locks:
// an INSERT takes the row then.
func swept(e *flow.Event) bool {
	t := Written(e)
	return t != nil && t.Kind == sqlread.Delete && lockName.MatchString(t.Name) && timeUp.MatchString(e.SQL)
}

func (t Table) with(w *sqlread.Table) Table {
	if t == nil {
		t = Table{}
	}
	for _, c := range w.Writes {
		t[c.Column] = t[c.Column] || timeName.MatchString(c.Column)
	}
	for _, c := range w.Preds {
		t[c.Column] = t[c.Column] || timeName.MatchString(c.Column)
	}
	return t
}

// Locks tells whether the rows of a table are taken as locks.
func (c *Claims) Locks(table string) (Table, bool) {
	t, ok := c.rows[table]
	return t, ok
}

// Holder tells whether a column says who holds a row.
func Holder(column string) bool { return holderName.MatchString(column) }

// Named tells whether a table or function is called as locks are.
func Named(name string) bool { return lockName.MatchString(name) }
