package serial

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// Step is a statement that a lane is about to run.
type Step struct {
	Stmt *history.Stmt
	Args []history.Value
	// First says that it takes the snapshot of its transaction, Alone that it is
	// a transaction of its own.
	First, Alone bool
	// Inside are the statements that its transaction has run before.
	Inside []Step
}

// Commuter says which steps of two lanes give the same result in either order,
// so that one of the orders need not be run. When in doubt they do not commute:
// a wrong yes would hide a bug, a wrong no costs a schedule.
type Commuter struct {
	schema *lanes.Schema
	level  lanes.Level
	plans  map[*history.Stmt]*sqlread.Access
}

// NewCommuter returns the relation for the tables and the level of a history.
func NewCommuter(h *history.Header) *Commuter {
	return &Commuter{schema: lanes.NewSchema(h), level: lanes.LevelOf(h.Target.Isolation), plans: map[*history.Stmt]*sqlread.Access{}}
}

func (c *Commuter) access(s *history.Stmt) *sqlread.Access {
	a := c.plans[s]
	if a == nil {
		a = c.schema.Read(s.SQL)
		c.plans[s] = a
	}
	return a
}

// Steps reports whether the steps of two lanes commute, while no lane waits.
func (c *Commuter) Steps(a, b Step) bool {
	x, y := c.access(a.Stmt), c.access(b.Stmt)
	switch {
	case x.Control == sqlread.Commit && y.Control == sqlread.Commit:
		return c.level != lanes.Serializable
	case x.Control == sqlread.Commit:
		return c.commit(a, b)
	case y.Control == sqlread.Commit:
		return c.commit(b, a)
	case x.Control != sqlread.None || y.Control != sqlread.None:
		return false
	case a.Alone && c.snapshot(b) && c.writes(x), b.Alone && c.snapshot(a) && c.writes(y):
		return false
	}
	return c.statements(a, b)
}

// snapshot reports whether later statements depend on when this one ran.
func (c *Commuter) snapshot(s Step) bool { return s.First && c.level != lanes.ReadCommitted }

func (c *Commuter) writes(a *sqlread.Access) bool {
	return a.Opaque || slices.ContainsFunc(a.Tables, func(t sqlread.Table) bool { return t.Kind.Writes() })
}

// commit compares a COMMIT with a statement: it shows what its transaction
// wrote and gives up what it locked. Above READ COMMITTED a snapshot is before
// or after it; at SERIALIZABLE the order of commits decides who is rolled back.
func (c *Commuter) commit(commit, s Step) bool {
	if c.level == lanes.Serializable {
		return false
	}
	for _, in := range commit.Inside {
		if !c.statements(in, s) || c.snapshot(s) && c.writes(c.access(in.Stmt)) {
			return false
		}
	}
	return len(commit.Inside) > 0
}

// statements compares what two statements touch.
func (c *Commuter) statements(a, b Step) bool {
	x, y := c.access(a.Stmt), c.access(b.Stmt)
	if x.Opaque || y.Opaque || x.Advisory || y.Advisory || counts(a.Stmt.SQL) && counts(b.Stmt.SQL) {
		return false
	}
	for i := range x.Tables {
		for j := range y.Tables {
			if !c.apart(&x.Tables[i], &y.Tables[j], a, b) {
				return false
			}
		}
	}
	return true
}

// counts reports whether the statement draws from a sequence by name.
func counts(sql string) bool {
	sql = strings.ToLower(sql)
	return strings.Contains(sql, "nextval") || strings.Contains(sql, "insert")
}

// apart compares two accesses. Rows of one table are told apart where both are
// plain reads and updates with keys that differ; an insert may take a number
// from a sequence, meet a unique index, or lock the row it refers to.
func (c *Commuter) apart(x, y *sqlread.Table, a, b Step) bool {
	if c.schema.Table(x.Name) == nil || c.schema.Table(y.Name) == nil {
		return false // a view, a function, a table that came later
	}
	touch := x.Kind.Writes() || y.Kind.Writes() || x.Lock.Conflicts(y.Lock)
	if x.Name != y.Name {
		related := c.schema.RefersTo(x.Name, y.Name) || c.schema.RefersTo(y.Name, x.Name)
		return !related || !touch
	}
	switch {
	case !touch:
		return true
	case c.level == lanes.Serializable: // predicate locks may cover pages or the table
		return false
	case x.Kind == sqlread.Insert || y.Kind == sqlread.Insert || x.Kind == sqlread.Delete || y.Kind == sqlread.Delete:
		return false
	case c.unique(x) || c.unique(y):
		return false
	}
	return sqlread.Rows(x, y, argsOf(a), argsOf(b)) == sqlread.Different
}

// unique reports whether the access writes a column of a unique index or key.
func (c *Commuter) unique(t *sqlread.Table) bool {
	known := c.schema.Table(t.Name)
	return slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool {
		if w.Column == "*" || slices.Contains(known.Key, w.Column) {
			return true
		}
		return slices.ContainsFunc(known.Unique, func(def string) bool { return strings.Contains(def, w.Column) }) ||
			slices.ContainsFunc(known.Constraints, func(def string) bool { return strings.HasPrefix(def, "EXCLUDE") && strings.Contains(def, w.Column) })
	})
}

func argsOf(s Step) sqlread.Args {
	return func(n int) (string, bool) {
		if n < 1 || n > len(s.Args) || s.Args[n-1].Null {
			return "", false
		}
		return s.Args[n-1].Text, true
	}
}
