// Package failed collects the calls that ended with an error their caller saw,
// in groups of one SQLSTATE and one actor, each with an example and the
// transaction that stood in its way. Which groups are a fault is for the
// checkers to say.
package failed

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/graph"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Group is all failed calls of one actor with one SQLSTATE.
type Group struct {
	SQLState    string // "" when the error was none of the server's
	Actor       string
	Error       string // of the first one
	Count       int
	First, Last time.Duration
	Tries       int // most tries of one call

	// Txn is the last transaction of an example, nil when none was recorded;
	// Other is the one that stood in its way, nil when none was found.
	Txn, Other *lanes.Txn
	Edge       graph.Edge
	exact      bool
	until      time.Duration // end of the example: who began later is not the other one
}

// Collect returns the groups for which want says so, most frequent first.
func Collect(header *history.Header, ops iter.Seq2[*history.Op, error], want func(sqlstate string) bool) ([]*Group, *lanes.Schema, error) {
	c := collector{tracker: lanes.NewTracker(header), groups: map[[2]string]*Group{}, want: want}
	for o, err := range ops {
		if err != nil {
			return nil, nil, fmt.Errorf("reading the history: %w", err)
		}
		if call := c.tracker.Add(o); call != nil {
			c.call(call)
		}
	}
	for _, call := range c.tracker.Unfinished() {
		c.call(call)
	}
	slices.SortFunc(c.list, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.SQLState, b.SQLState), cmp.Compare(a.Actor, b.Actor))
	})
	return c.list, c.tracker.Schema, nil
}

type collector struct {
	tracker *lanes.Tracker
	groups  map[[2]string]*Group
	list    []*Group
	want    func(string) bool
}

func (c *collector) call(call *lanes.Call) {
	for _, g := range c.list {
		if g.Txn != nil && !g.exact && call.Start() < g.until {
			g.meet(c.tracker.Schema, call)
		}
	}
	if call.End == nil || call.End.Outcome != history.Failed || !c.want(call.End.SQLState) {
		return
	}
	key := [2]string{call.End.SQLState, call.Actor}
	g := c.groups[key]
	if g == nil {
		g = &Group{SQLState: key[0], Actor: key[1], Error: call.End.Error, First: call.End.Time}
		c.groups[key] = g
		c.list = append(c.list, g)
	}
	g.Count++
	g.Last = call.End.Time
	g.Tries = max(g.Tries, call.End.Tries)
	if g.Other == nil && len(call.Txns) > 0 && g.Count <= maxExamples {
		g.example(c.tracker, call)
	}
}

// maxExamples is the number of calls whose other party is looked for.
const maxExamples = 100

// example makes the call the one that is told.
func (g *Group) example(t *lanes.Tracker, call *lanes.Call) {
	g.Txn, g.until = last(call), call.Finish()
	for _, o := range t.Recent() {
		if o != call && !g.exact {
			g.meet(t.Schema, o)
		}
	}
}

// last returns the last transaction of the call that was not outside of it.
func last(call *lanes.Call) *lanes.Txn {
	for _, t := range slices.Backward(call.Txns) {
		if !t.Stmts[0].Begin.Stmt.Outside {
			return t
		}
	}
	return call.Txns[len(call.Txns)-1]
}

// meet looks whether a transaction of the call stood in the example's way.
func (g *Group) meet(schema *lanes.Schema, call *lanes.Call) {
	for _, o := range call.Txns {
		if o.Process == g.Txn.Process || o.Round != g.Txn.Round || !lanes.Overlap(o.Start(), o.End(), g.Txn.Start(), g.Txn.End()) {
			continue
		}
		e, exact, ok := graph.Met(schema, g.Txn, o)
		if ok && (g.Other == nil || exact && !g.exact) {
			g.Other, g.Edge, g.exact = o, e, exact
		}
	}
}

// Tell puts the example into a finding as lanes.
func (g *Group) Tell(f *report.Finding, schema *lanes.Schema) {
	if g.Txn == nil {
		return
	}
	txns := []*lanes.Txn{g.Txn}
	var links []lanes.Link
	if g.Other != nil {
		txns = append(txns, g.Other)
		links = append(links, lanes.Link{Kind: g.Edge.Kind, From: lanes.Spot{Txn: g.Edge.From.Txn, Stmt: g.Edge.From.Stmt}, To: lanes.Spot{Txn: g.Edge.To.Txn, Stmt: g.Edge.To.Stmt}})
	}
	s := lanes.Tell(schema, txns, links)
	f.Lanes, f.Steps, f.Repro.Psql = s.Lanes, s.Steps, s.Psql()
}

// Retried reports whether the actor says that it starts over on the SQLSTATE: then
// the calls are those that gave up.
func (g *Group) Retried(h *history.Header) bool {
	return slices.ContainsFunc(h.Actors, func(a history.Actor) bool { return a.Name == g.Actor && slices.Contains(a.Retry, g.SQLState) })
}

// Who names the actor of the group.
func (g *Group) Who() string { return cmp.Or(g.Actor, "a caller") }

// Calls says how many.
func (g *Group) Calls() string {
	if g.Count == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", g.Count)
}
