package deadlock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// group is all circles of the same statements of the same actors.
type group struct {
	circle      *circle // the example
	count       int
	first, last time.Duration
	dropped     int // victims whose call ended with the error
	again       int // victims that started over and got an answer
	longest     int // tries
	told        bool
}

// add counts a circle. The example is the first of those that were dropped.
func (g *group) add(c *circle) {
	g.count++
	g.last = c.at
	v := c.victim()
	if v == nil {
		return
	}
	end := v.txn.Call.End
	switch {
	case end == nil:
	case end.Outcome == history.Failed && end.SQLState == deadlockDetected:
		g.dropped++
		if !g.told || c.better(g.circle) {
			g.circle, g.told = c, true
		}
	case end.Outcome == history.Accepted || end.Outcome == history.Refused:
		g.again++
	}
	if end != nil {
		g.longest = max(g.longest, end.Tries)
	}
}

// faulty reports whether somebody has lost something; of a live server it is
// not known who starts over.
func (g *group) faulty(live bool) bool { return live || g.dropped > 0 }

func (g *group) finding(h *history.Header, schema *lanes.Schema, live bool) report.Finding {
	c := g.circle
	f := report.Finding{
		Rule: name, Severity: report.Medium, Count: g.count, First: g.first, Last: g.last,
		Anomaly: c.anomaly(),
		Message: fmt.Sprintf("%s waited for each other on %s%s: %s", g.who(), and(c.targets(schema)), g.times(), g.outcome(live)),
		Repro:   report.Repro{Seed: h.Seed}, Help: "docs/analyzers/deadlock.md",
	}
	var txns []*lanes.Txn
	for _, p := range c.parts {
		txns = append(txns, p.txn)
	}
	s := lanes.Tell(schema, txns, nil, lanes.Everything)
	f.Lanes, f.Steps, f.Repro.Psql = s.Lanes, s.Steps, s.Psql()
	if live {
		hush(f.Steps)
	}
	f.Ring = c.ring(schema, txns, s.Steps)
	f.Why = c.why(schema, names(txns))
	f.Fixes = c.fixes(schema)
	return f
}

// hush takes out what nobody has seen: of a server that is watched the
// statements are known, and not their answers.
func hush(steps []report.Step) {
	for i := range steps {
		steps[i].Read, steps[i].Wrote = "", ""
	}
}

func (c *circle) anomaly() string {
	if len(c.parts) == 1 {
		return "deadlock (40P01)"
	}
	return fmt.Sprintf("deadlock (40P01) of %d transactions", len(c.parts))
}

func (g *group) times() string {
	if g.count == 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", g.count)
}

// who names the actors.
func (g *group) who() string {
	if len(g.circle.parts) == 1 {
		return cmp.Or(g.circle.parts[0].txn.Call.Actor, "a session") + " and others"
	}
	var list []string
	for _, p := range g.circle.parts {
		if a := p.txn.Call.Actor; a != "" && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	switch len(list) {
	case 0:
		return count(len(g.circle.parts), "session")
	case 1:
		return fmt.Sprintf("%s of %s", count(len(g.circle.parts), "call"), list[0])
	}
	return and(list)
}

func (g *group) outcome(live bool) string {
	switch {
	case live:
		return "the server rolls one of them back with 40P01, and only a retry saves its work"
	case g.again > 0:
		return fmt.Sprintf("%s reached its caller with 40P01 and dropped its work (%d others started over)", count(g.dropped, "victim"), g.again)
	case g.longest > 1:
		return fmt.Sprintf("%s gave up after %d tries, and the work was dropped", count(g.dropped, "victim"), g.longest)
	}
	if g.count == 1 {
		return "one of them was rolled back with 40P01, nobody started it over, and its work was dropped"
	}
	return fmt.Sprintf("one of them was rolled back with 40P01 each time, and %d times nobody started it over and its work was dropped", g.dropped)
}

// targets are what the parts wait for, each once.
func (c *circle) targets(schema *lanes.Schema) []string {
	var list []string
	for _, p := range c.parts {
		if t := target(schema, p.statement()); !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	slices.Sort(list)
	return list
}

// names are those that the lanes of the story have, by transaction.
func names(txns []*lanes.Txn) map[*lanes.Txn]string {
	order := slices.Clone(txns)
	slices.SortStableFunc(order, func(a, b *lanes.Txn) int { return int(a.First() - b.First()) })
	all := map[*lanes.Txn]string{}
	for n, t := range order {
		all[t] = fmt.Sprintf("T%d", n+1)
	}
	return all
}

// why tells the circle, lock by lock, and the order without one.
func (c *circle) why(schema *lanes.Schema, names map[*lanes.Txn]string) string {
	var parts []string
	for i, p := range c.parts {
		next := c.parts[(i+1)%len(c.parts)]
		text := fmt.Sprintf("%s waits for %s", names[p.txn], target(schema, p.statement()))
		n := p.holding(schema, next)
		switch {
		case next.txn == p.txn:
		case n >= 0:
			text += ", which " + names[next.txn] + " holds since its " + verb(&next.txn.Stmts[n])
		case p.behind(schema, next):
			text += ", behind " + names[next.txn] + ", which waits for it too"
		default:
			text += ", which " + names[next.txn] + " holds"
		}
		parts = append(parts, text)
	}
	why := strings.Join(parts, "; ") + "."
	switch {
	case len(c.parts) == 1:
		return why + " The other sides were not seen: the circle fell between two samples of the lock table, and the statements do not tell it."
	case !c.seen:
		why += " The circle fell between two samples of the lock table, and is told from the statements and their keys."
	}
	return why + c.order(schema)
}

// ring is the circle with the statement that each lane waits in: in the story, its
// last one that waits.
func (c *circle) ring(schema *lanes.Schema, txns []*lanes.Txn, steps []report.Step) []report.Link {
	if len(c.parts) < 2 {
		return nil
	}
	var all []report.Link
	for i, p := range c.parts {
		next := c.parts[(i+1)%len(c.parts)]
		l := report.Link{Lane: slices.Index(txns, p.txn), For: target(schema, p.statement()), Step: -1}
		if n := p.holding(schema, next); n >= 0 && next.txn != p.txn {
			l.Held = verb(&next.txn.Stmts[n])
		}
		for k, s := range steps {
			if s.Lane == l.Lane && s.Wait != "" {
				l.Step = k
			}
		}
		all = append(all, l)
	}
	return all
}

// order tells which order of locks leaves no circle.
func (c *circle) order(schema *lanes.Schema) string {
	list := c.targets(schema)
	switch {
	case slices.ContainsFunc(list, func(t string) bool { return strings.HasPrefix(t, unnamed) || strings.HasPrefix(t, wholly) }):
		if tables := c.tables(); len(tables) == len(c.parts) {
			return fmt.Sprintf(" Had all of them come to %s in this order, there would have been no circle.", and(tables))
		}
		return ""
	case len(list) < 2:
		return " It is one lock: each holds a weaker form of it and wants a stronger one, so no order helps, only the stronger form at once or a weaker one at last."
	}
	return fmt.Sprintf(" Had all of them locked %s in this order, there would have been no circle.", and(list))
}

// verb is the first words of a statement, enough to find it in the story.
func verb(s *lanes.Stmt) string {
	words := strings.Fields(s.Begin.Stmt.SQL)
	n := map[string]int{"select": 1, "with": 1, "update": 2}[strings.ToLower(words[0])]
	if n == 0 {
		n = 3
	}
	return strings.Join(words[:min(n, len(words))], " ")
}

// fixes are the order of locks or the stronger lock, then the retry.
func (c *circle) fixes(schema *lanes.Schema) []report.Fix {
	var list []report.Fix
	if f, ok := c.advisory(); ok {
		list = append(list, f)
	}
	for i, p := range c.parts {
		if next := c.parts[(i+1)%len(c.parts)]; len(list) == 0 && next.txn != p.txn {
			list = mend.Deadlock(schema, p.txn, next.txn)
		}
	}
	if tables := c.tables(); len(list) == 0 && len(c.targets(schema)) > 1 {
		list = mend.InOrder(schema, tables)
	}
	return append(list, mend.Retry(deadlockDetected), report.Fix{
		Kind: report.Retry, Title: "Bound the wait, and start over", SQL: "SET LOCAL lock_timeout = '200ms';",
		Note: "below deadlock_timeout: whoever waits too long gets 55P03 before the server has to look for a deadlock; start over on 55P03 as on 40P01",
	})
}

// advisory sorts the keys of advisory locks.
func (c *circle) advisory() (report.Fix, bool) {
	if !slices.ContainsFunc(c.parts, func(p part) bool { return p.statement().Access.Advisory }) {
		return report.Fix{}, false
	}
	return report.Fix{
		Kind: report.Order, Title: "Take advisory locks in the order of their keys",
		SQL:  "SELECT pg_advisory_xact_lock(key) FROM (SELECT unnest(:keys::bigint[]) AS key ORDER BY 1) sorted",
		Note: "or sort the keys in the application before the loop that locks them: a map gives them in another order each time",
	}, true
}

func (l *longWait) finding(schema *lanes.Schema) report.Finding {
	txns := []*lanes.Txn{l.part.txn}
	if l.holder != nil {
		txns = append(txns, l.holder)
	}
	s := lanes.Tell(schema, txns, nil, lanes.Everything)
	hush(s.Steps)
	return report.Finding{
		Rule: name, Severity: report.Low, Count: l.count, First: l.at, Last: l.at + l.took,
		Anomaly: "long wait for a lock",
		Message: fmt.Sprintf("a session waited %s for a lock on %s that %s held", l.took.Round(time.Millisecond), target(schema, l.part.statement()), l.blocker),
		Lanes:   s.Lanes, Steps: s.Steps, Help: "docs/analyzers/deadlock.md",
		Why: "Whoever holds a lock keeps everybody waiting until its transaction ends, and what it does meanwhile, such as a call of another service, counts.",
		Fixes: []report.Fix{{
			Kind: report.Pessimistic, Title: "Bound the wait, and keep what takes time out of the transaction",
			SQL: "SET lock_timeout = '2s';\nSET idle_in_transaction_session_timeout = '10s';",
		}},
	}
}

// missed are deadlocks that the server has counted and no sample has seen.
func (j *judge) missed(n int) report.Finding {
	f := report.Finding{
		Rule: name, Severity: report.Medium, Count: n, Anomaly: "deadlock between two samples",
		Message: fmt.Sprintf("the server counted %s that fell between two looks at who waits", count(n, "deadlock")),
		Help:    "docs/analyzers/deadlock.md",
		Why:     "Each was ended by rolling one transaction back with 40P01. The statements that waited are in the server's log, which this session may not read.",
		Fixes:   []report.Fix{mend.Retry(deadlockDetected)},
	}
	if len(j.logged) > 0 {
		f.Why = "What the server's log says of the statements that waited; those that had taken the locks are not in it."
		f.Columns = []string{"log"}
		for _, text := range j.logged {
			f.Rows = append(f.Rows, []string{text})
		}
	}
	return f
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// and joins words as people do.
func and(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
