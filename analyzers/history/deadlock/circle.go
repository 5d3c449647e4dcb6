package deadlock

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// circle is one deadlock: each part waits for the next one, the last one for
// the first.
type circle struct {
	parts []part
	at    time.Duration
	seen  bool // in the lock table; otherwise the parts are those that met
}

// part is a transaction in a circle and its statement that waits.
type part struct {
	txn  *lanes.Txn
	stmt int
}

// statement is the one that waits.
func (p part) statement() *lanes.Stmt { return &p.txn.Stmts[p.stmt] }

// found keeps a circle of lanes, unless it is one that is known.
func (j *judge) found(path []int, at time.Duration) {
	c := &circle{at: at, seen: true}
	calls := j.tracker.Unfinished()
	for _, lane := range path {
		p, ok := waiting(calls, lane)
		if !ok {
			return // the sample is older than the answer that ended the wait
		}
		c.parts = append(c.parts, p)
	}
	if slices.ContainsFunc(c.parts, func(p part) bool { return j.known[p.txn] }) {
		return
	}
	j.keep(c)
}

func (j *judge) keep(c *circle) {
	for _, p := range c.parts {
		j.known[p.txn] = true
	}
	j.open = append(j.open, c)
}

// waiting is the transaction that a lane has open, and its statement that has
// no answer.
func waiting(calls []*lanes.Call, lane int) (part, bool) {
	for _, call := range calls {
		if call.Process != lane {
			continue
		}
		for _, t := range slices.Backward(call.Txns) {
			if n := len(t.Stmts) - 1; t.State == lanes.Open && n >= 0 && t.Stmts[n].End == nil {
				return part{t, n}, true
			}
		}
	}
	return part{}, false
}

// failure is the statement that the server answered with 40P01, or -1.
func failure(t *lanes.Txn) int {
	return slices.IndexFunc(t.Stmts, func(s lanes.Stmt) bool { return s.Failed() && s.End.SQLState == deadlockDetected })
}

// unseen makes the circle of a victim that no sample has seen: from the
// statements that were on their way when the server ended it, and the locks that
// the transactions around it had taken.
func (j *judge) unseen(o *history.Op) {
	calls := j.tracker.Unfinished()
	victim, ok := ending(calls, o)
	if !ok || j.known[victim.txn] {
		return
	}
	parts := []part{victim}
	for _, call := range calls {
		if p, ok := waiting(calls, call.Process); ok && call.Process != o.Process {
			parts = append(parts, p)
		}
	}
	c := &circle{at: o.Time, parts: j.around(parts)}
	j.keep(c)
}

// ending is the statement that the event answers.
func ending(calls []*lanes.Call, o *history.Op) (part, bool) {
	for _, call := range calls {
		for _, t := range call.Txns {
			if n := failure(t); n >= 0 && t.Stmts[n].End == o {
				return part{t, n}, true
			}
		}
	}
	return part{}, false
}

// around is the shortest way from the first part over those whose locks it needs back to
// itself; the first part alone when there is none.
func (j *judge) around(parts []part) []part {
	needs := func(at, next int) bool {
		return at != next && (parts[at].holding(j.tracker.Schema, parts[next]) >= 0 || parts[at].behind(j.tracker.Schema, parts[next]))
	}
	ways := [][]int{{0}}
	seen := map[int]bool{}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		at := way[len(way)-1]
		if at != 0 && needs(at, 0) {
			return pick(parts, way)
		}
		for next := 1; next < len(parts); next++ {
			if !seen[next] && needs(at, next) {
				seen[next] = true
				ways = append(ways, append(slices.Clone(way), next))
			}
		}
	}
	return parts[:1]
}

func pick(parts []part, way []int) []part {
	list := make([]part, len(way))
	for i, n := range way {
		list[i] = parts[n]
	}
	return list
}

// key tells circles of the same statements from others, whatever their keys and
// their number.
func (c *circle) key() string {
	var list []string
	for _, p := range c.parts {
		list = append(list, p.statement().Begin.Stmt.SQL)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\x01")
}

// better reports whether the circle is the clearer example: one that was seen
// whole, and of fewer transactions.
func (c *circle) better(than *circle) bool {
	if len(c.parts) == 1 || len(than.parts) == 1 {
		return len(than.parts) == 1 && len(c.parts) > 1
	}
	if c.seen != than.seen {
		return c.seen
	}
	return len(c.parts) < len(than.parts)
}

// victim is the part that the server rolled back, nil when it was none of them.
func (c *circle) victim() *part {
	for i := range c.parts {
		if failure(c.parts[i].txn) >= 0 {
			return &c.parts[i]
		}
	}
	return nil
}

// holding is the statement of the holder by which it took the lock that p waits
// for: -1 when it cannot be told.
func (p part) holding(schema *lanes.Schema, holder part) int {
	taken := holder.stmt
	if p.statement().WholeTable() && !holder.statement().WholeTable() {
		taken++ // who waits for a row has the lock of its table already
	}
	for n := range holder.txn.Stmts[:taken] {
		if clash(schema, p.statement(), &holder.txn.Stmts[n]) {
			return n
		}
	}
	return -1
}

// behind reports whether p waits for a lock that the other one has waited for
// longer: locks are given in the order in which they were asked for.
func (p part) behind(schema *lanes.Schema, other part) bool {
	return other.statement().Begin.Index < p.statement().Begin.Index && clash(schema, p.statement(), other.statement())
}

// clash reports whether one statement has to wait for a lock of the other.
func clash(schema *lanes.Schema, waits, holds *lanes.Stmt) bool {
	if waits.Access.Advisory && holds.Access.Advisory {
		return slices.EqualFunc(waits.Begin.Args, holds.Begin.Args, func(a, b history.Value) bool { return a == b })
	}
	for i := range waits.Access.Tables {
		for k := range holds.Access.Tables {
			if rowClash(schema, waits, i, holds, k) {
				return true
			}
		}
	}
	return false
}

func rowClash(schema *lanes.Schema, waits *lanes.Stmt, i int, holds *lanes.Stmt, k int) bool {
	a, b := &waits.Access.Tables[i], &holds.Access.Tables[k]
	if b.Kind == sqlread.Insert && schema.RefersTo(b.Name, a.Name) && strength(schema, a).Conflicts(sqlread.KeyShare) {
		return true // the foreign key of the new row locks the row that it refers to
	}
	if a.Kind == sqlread.Insert && schema.RefersTo(a.Name, b.Name) && strength(schema, b).Conflicts(sqlread.KeyShare) {
		return true
	}
	meet, _ := schema.Meet(waits, i, holds, k)
	return meet && (a.Lock.Conflicts(b.Lock) || a.Kind == sqlread.Insert && b.Kind == sqlread.Insert)
}

// strength is the lock that an access takes where it changes all that it sets.
func strength(schema *lanes.Schema, t *sqlread.Table) sqlread.Strength {
	if t.Kind == sqlread.Update && slices.ContainsFunc(t.Writes, func(w sqlread.Write) bool { return schema.Keyed(t.Name, w.Column) }) {
		return sqlread.ForUpdate
	}
	return t.Lock
}

// unnamed begins the name of a row that the statement does not tell, wholly that
// of a table which is locked as one.
const (
	unnamed = "a row of "
	wholly  = "table "
)

// byValues names the rows of an access by the conditions that it has.
func byValues(s *lanes.Stmt, i int) string {
	var parts []string
	for _, p := range s.Access.Tables[i].Preds {
		if texts, ok := s.Values(i, p.Column, p.Func); ok && p.Op == "=" && len(texts) == 1 {
			parts = append(parts, p.Column+"="+texts[0])
		}
	}
	return strings.Join(parts, ", ")
}

// target names what a statement waits for: "account id=1", "table account",
// "advisory lock 7".
func target(schema *lanes.Schema, s *lanes.Stmt) string {
	if s.Access.Advisory {
		var keys []string
		for _, a := range s.Begin.Args {
			keys = append(keys, a.String())
		}
		return strings.TrimSpace("advisory lock " + strings.Join(keys, ", "))
	}
	for i := range s.Access.Tables {
		t := &s.Access.Tables[i]
		if t.Lock == sqlread.NoLock && !t.Kind.Writes() {
			continue
		}
		if s.WholeTable() {
			return wholly + t.Name
		}
		if row, ok := schema.Row(s, i); ok {
			return t.Name + " " + row
		}
		if row := byValues(s, i); row != "" {
			return t.Name + " " + row
		}
		return unnamed + t.Name
	}
	return "a lock"
}

// tables are those that the parts wait for rows of, each once; nil when a part
// waits for something else.
func (c *circle) tables() []string {
	var list []string
	for _, p := range c.parts {
		s := p.statement()
		i := slices.IndexFunc(s.Access.Tables, func(t sqlread.Table) bool { return t.Lock != sqlread.NoLock || t.Kind.Writes() })
		if s.Access.Advisory || i < 0 {
			return nil
		}
		if name := s.Access.Tables[i].Name; !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// longWait is a statement of a watched server that waited for long.
type longWait struct {
	part    part
	holder  *lanes.Txn
	blocker string
	took    time.Duration
	at      time.Duration
	count   int
}

// tooLong keeps the longest wait of each statement.
func (j *judge) tooLong(o *history.Op, w wait) {
	var p part
	for _, call := range slices.Concat(j.tracker.Unfinished(), j.tracker.Recent()) {
		for _, t := range call.Txns {
			if n := len(t.Stmts) - 1; call.Process == o.Process && t.Stmts[n].End == o {
				p = part{t, n}
			}
		}
	}
	if p.txn == nil || j.known[p.txn] {
		return
	}
	l := &longWait{part: p, took: o.Time - w.since, at: w.since, count: 1, blocker: fmt.Sprintf("session %d", w.blockers[0])}
	for _, call := range j.tracker.Unfinished() {
		if call.Process == w.blockers[0] && len(call.Txns) > 0 {
			l.holder = call.Txns[len(call.Txns)-1]
		}
	}
	for _, known := range j.long {
		if known.part.statement().Begin.Stmt.SQL == p.statement().Begin.Stmt.SQL {
			known.count++
			return
		}
	}
	j.long = append(j.long, l)
}
