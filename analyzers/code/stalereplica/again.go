package stalereplica

import (
	"regexp"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// askedAgain reports whether a row that the write has made, and that the replica
// does not have yet, is asked of another handle then. One that was changed is there
// as it was before, and so is an older one where several are put in order.
func askedAgain(all []stmt.Stmt, w, r stmt.Stmt) bool {
	makes := func(t sqlread.Table) bool { return t.Kind == sqlread.Insert && t.OnConflict != "update" }
	if !slices.ContainsFunc(w.Acc.Tables, makes) || ordered.MatchString(r.SQL) {
		return false
	}
	return slices.ContainsFunc(all, func(o stmt.Stmt) bool {
		return !replica(o.Sum, o.Event) && slices.ContainsFunc(o.Conds, missing(r.I)) && looksFor(o, r)
	})
}

// ordered are reads that choose among several rows.
var ordered = regexp.MustCompile(`(?i)\border\s+by\b`)

// missing is the question whether the read of an event found no row.
func missing(read int) func(flow.Cond) bool {
	return func(c flow.Cond) bool {
		return c.Event == read && (c.Test == flow.Absent || c.Test == flow.Err) && c.Yes
	}
}

// looksFor reports whether a statement reads a table of another read.
func looksFor(o, r stmt.Stmt) bool {
	return slices.ContainsFunc(o.Acc.Tables, func(t sqlread.Table) bool {
		return !t.Kind.Writes() && slices.ContainsFunc(r.Acc.Tables, func(u sqlread.Table) bool { return sqlread.Same(&t, &u) })
	})
}
