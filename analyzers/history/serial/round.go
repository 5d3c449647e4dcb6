package serial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// The phases of the note that ends a round, as the probe writes them.
const (
	serialOrder = "serial"
	repeated    = "repeated"
	explored    = "schedule"
	ended       = "ended"
	processWait = "process" // of a lane for another one, inside of the application
)

// round is one schedule: what the lanes did and what was left.
type round struct {
	number   int // of resets before its first event
	phase    string
	schedule string
	begin    time.Duration
	checked  time.Duration // of the last look at the claims
	end      time.Duration
	calls    map[int]*lanes.Call
	loose    []*lanes.Call // transactions of which nobody knows whose they are
	state    []delta
	broken   []*history.Op // checks that returned rows
	failed   []*history.Op // checks that could not be made
	queued   bool          // a lane waited for something in the application's process
}

// delta are rows of a table that came or went.
type delta struct {
	table   string
	added   bool
	columns []string
	rows    [][]history.Value
}

// answer is a row that a call was given.
type answer struct {
	stmt    int // of history.Stmt
	columns []string
	rows    [][]history.Value
}

// read goes through the rounds of the history in their order. The calls of a
// round may be kept; visit is called when it has ended.
func read(pass *check.Pass, visit func(*round, *lanes.Schema)) (end string, err error) {
	t := lanes.NewTracker(pass.Header)
	r := &round{calls: map[int]*lanes.Call{}}
	number := 0
	for o, err := range pass.Ops() {
		if err != nil {
			return end, fmt.Errorf("reading the history: %w", err)
		}
		if c := t.Add(o); c != nil && c.ID == 0 {
			r.loose = append(r.loose, c)
		} else if c != nil {
			r.calls[c.Process] = c
		}
		switch {
		case o.Scope == history.ScopeWait && o.Text == processWait:
			r.queued = true
		case o.Scope == history.ScopeNote && o.Text == lanes.Reset:
			number++
			r = &round{number: number, begin: o.Time, calls: map[int]*lanes.Call{}}
		case o.Scope == history.ScopeState:
			r.state = append(r.state, delta{o.Text, o.Phase == "added", o.Columns, o.Rows})
		case o.Scope == history.ScopeCheck && claimed(pass.Header, o.Text):
			r.check(o)
		case o.Scope == history.ScopeNote && o.Phase == ended:
			end = o.Text
		case o.Scope == history.ScopeNote && (o.Phase == staged || o.Phase == decided):
			visit(&round{phase: o.Phase, schedule: o.Text}, t.Schema)
		case o.Scope == history.ScopeNote && o.Phase != "":
			r.phase, r.schedule, r.end = o.Phase, o.Text, o.Time
			visit(r, t.Schema)
		}
	}
	return end, nil
}

func claimed(h *history.Header, claim string) bool {
	return slices.ContainsFunc(h.Claims, func(c history.Claim) bool { return c.Name == claim })
}

func (r *round) check(o *history.Op) {
	r.checked = o.Time
	switch {
	case o.Kind == history.Fail:
		r.failed = append(r.failed, o)
	case len(o.Rows) > 0:
		r.broken = append(r.broken, o)
	}
}

// breaks returns the check of the claim that returned rows, or nil.
func (r *round) breaks(claim string) *history.Op {
	i := slices.IndexFunc(r.broken, func(o *history.Op) bool { return o.Text == claim })
	if i < 0 {
		return nil
	}
	return r.broken[i]
}

// outcomeOf is how the call ended, as its caller saw it.
func outcomeOf(c *lanes.Call) history.Outcome {
	if c.End == nil {
		return history.Unknown
	}
	return c.End.Outcome
}

// answers are what the call was told: the rows that its writing statements
// returned or, when it wrote nothing, all that it read. What a writing call
// has read shows in what it wrote. A request to an application was told what
// the application has answered.
func (c *chance) answers(call *lanes.Call) []answer {
	if o := outcomeOf(call); o != history.Accepted {
		return nil
	}
	if c.http[call.Actor] {
		return []answer{httpAnswer(call)}
	}
	return rowsOf(call)
}

// httpAnswer is what the application answered, as one row.
func httpAnswer(c *lanes.Call) answer {
	a := answer{stmt: noStmt, rows: [][]history.Value{nil}}
	for _, v := range c.End.Vars {
		a.columns = append(a.columns, c.Actor+"."+v.Name)
		a.rows[0] = append(a.rows[0], v.Value)
	}
	return a
}

// noStmt stands in the place of a statement's number for the answer to a request.
const noStmt = -1

func rowsOf(c *lanes.Call) []answer {
	wrote := slices.ContainsFunc(c.Txns, func(t *lanes.Txn) bool { return t.State == lanes.Committed && t.Wrote("") })
	var list []answer
	for _, t := range c.Txns {
		if t.State != lanes.Committed {
			continue
		}
		for i := range t.Stmts {
			s := &t.Stmts[i]
			if s.End == nil || s.Access.Control != sqlread.None || len(s.End.Columns) == 0 || wrote && !writes(s) {
				continue
			}
			list = append(list, answer{s.Begin.Stmt.ID, s.End.Columns, s.End.Rows})
		}
	}
	return list
}

func writes(s *lanes.Stmt) bool {
	return slices.ContainsFunc(s.Access.Tables, func(t sqlread.Table) bool { return t.Kind.Writes() })
}

// txns are the transactions of the round in the order of their beginning,
// without those that ran on another connection inside of one of them.
func (r *round) txns() []*lanes.Txn {
	var all, inside []*lanes.Txn
	for _, c := range r.calls {
		all = append(all, c.Txns...)
	}
	for _, c := range r.loose {
		all = append(all, c.Txns...)
	}
	for _, t := range all {
		inside = append(inside, t.Outside...)
	}
	all = slices.DeleteFunc(all, func(t *lanes.Txn) bool { return slices.Contains(inside, t) })
	slices.SortFunc(all, func(a, b *lanes.Txn) int { return int(a.First() - b.First()) })
	return all
}

// describe tells what was left in a few words.
func (r *round) describe() string {
	const most = 4
	var parts []string
	n := 0
	for _, d := range r.state {
		for _, row := range d.rows {
			if !d.added {
				continue
			}
			if n++; n <= most {
				parts = append(parts, d.table+" ("+words(d.columns, row)+")")
			}
		}
	}
	for _, d := range r.state {
		if !d.added && !slices.ContainsFunc(r.state, func(x delta) bool { return x.added && x.table == d.table }) {
			parts = append(parts, fmt.Sprintf("%s without %s", d.table, count(len(d.rows), "row")))
		}
	}
	if n > most {
		parts = append(parts, fmt.Sprintf("and %s", count(n-most, "more row")))
	}
	if len(parts) == 0 {
		return "the tables as they were"
	}
	return strings.Join(parts, ", ")
}

func words(columns []string, row []history.Value) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = columns[i] + " " + v.String()
	}
	return strings.Join(parts, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
