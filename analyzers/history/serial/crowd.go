package serial

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// What the probe writes of rounds of many requests at once: a stage has rows and
// serial orders of its own, and a round of which a note says that it is decided
// has had all orders run that could explain it.
const (
	load    = "stress"
	oracle  = "oracle" // parameter of a history with serial orders
	staged  = "stage"
	decided = "decided"
)

// crowded reports whether the history is one of rounds that are compared with
// serial orders.
func crowded(h *history.Header) bool { return h.Probe == load && h.Param(oracle) == name }

// crowd judges rounds of many requests at once. Requests that are the same for
// every client are not told apart, and a value that is chance is not compared at
// all: at once it may be the same in two rows, or come in any order. Orders are
// in the history after the round that they explain, so it is read twice.
type crowd struct {
	*judge
	alike    map[string]bool // actors whose calls are the same in every lane
	stages   []*stage
	ready    map[string]bool // numbers of rounds that are decided
	undone   int             // rounds that are not
	silent   int             // calls that were not answered
	sent     int             // calls of rounds
	unsteady string
}

// stage are the serial orders from one state of the rows.
type stage struct {
	from   string
	orders []*order
}

func runCrowd(pass *check.Pass) error {
	c := &crowd{judge: newJudge(pass), alike: map[string]bool{}, ready: map[string]bool{}}
	for name := range strings.FieldsSeq(pass.Header.Param("alike")) {
		c.alike[name] = true
	}
	end, err := read(pass, c.learn)
	if err != nil {
		return err
	}
	c.settle()
	at := -1
	if _, err := read(pass, func(r *round, _ *lanes.Schema) { at = c.visit(r, at) }); err != nil {
		return err
	}
	if c.unsteady != "" {
		c.faults = nil
	}
	if err := c.explain(); err != nil {
		return err
	}
	for _, f := range c.faults {
		pass.Report(c.finding(f))
	}
	if why := c.missing(end); why != "" {
		pass.Unknown(why)
	}
	return nil
}

// missing says what keeps the run from being called clean.
func (c *crowd) missing(end string) string {
	switch {
	case c.unsteady != "":
		return c.unsteady
	case end == "":
		return fmt.Sprintf("the run was broken off after %s", count(c.all, "round"))
	case c.all == 0:
		return "no round of requests at once was run"
	case c.pass.Header.Param("apart") == "true":
		return "no statement was seen, since the application has a database of its own: that no round was wrong proves nothing"
	case c.silent > 0:
		return fmt.Sprintf("%d of %s at once were not answered: does the application take as many connections as there are clients?", c.silent, count(c.sent, "request"))
	case c.undone > 0:
		return fmt.Sprintf("%d of %s were not compared with every serial order, since there are too many: use fewer clients, or one request alone", c.undone, count(c.all, "round"))
	}
	return ""
}

// learn is the first pass: the orders, and what is chance.
func (c *crowd) learn(r *round, _ *lanes.Schema) {
	switch r.phase {
	case staged:
		c.stages = append(c.stages, &stage{from: r.schedule})
	case decided:
		c.ready[r.schedule] = true
	case serialOrder:
		r.loose = nil
		s := c.stages[len(c.stages)-1]
		s.orders = append(s.orders, &order{round: r})
	case repeated:
		c.repeat(r)
	}
}

// repeat compares a run of a serial order with the first one. Calls that end
// otherwise depend on more than the rows, and then no order explains anything.
func (c *crowd) repeat(r *round) {
	for _, o := range c.stages[len(c.stages)-1].orders {
		if o.schedule != r.schedule || len(o.calls) != len(r.calls) {
			continue
		}
		c.chance.learn(o.round, r)
		c.chance.learn(r, o.round)
		for lane, call := range r.calls {
			if first, now := outcomeOf(o.calls[lane]), outcomeOf(call); first != now && c.unsteady == "" {
				c.unsteady = fmt.Sprintf("%s is answered differently from the same rows: %s once, and %s later; it depends on something outside of the database (a limit of requests, a cache, the time)", call.Actor, first, now)
			}
		}
	}
}

// settle computes the outcomes of the orders.
func (c *crowd) settle() {
	for _, s := range c.stages {
		for _, o := range s.orders {
			o.outcome = outcome{state: c.state(o.round)}
		}
	}
}

// visit is the second pass; at is the stage that the round belongs to.
func (c *crowd) visit(r *round, at int) int {
	switch {
	case r.phase == staged:
		return at + 1
	case r.phase != explored:
		return at
	}
	c.all++
	for _, call := range r.calls {
		c.sent++
		if outcomeOf(call) == history.Unknown {
			c.silent++
		}
	}
	if !c.ready[fmt.Sprint(r.number)] {
		c.undone++
		return at
	}
	s := c.stages[at]
	state := c.state(r)
	fits := func(o *order) bool { return o.outcome.state == state && c.answered(r, o.round) }
	if len(r.broken) > 0 || slices.ContainsFunc(s.orders, fits) || state == "" && c.answered(r, &round{}) {
		return at
	}
	key := s.from + r.schedule
	f := c.fault(func(f *fault) bool { return f.state == key }, r)
	f.state, f.stage = key, s
	return at
}

// state writes what came and went, without what is chance.
func (c *crowd) state(r *round) string {
	var lines []string
	for _, d := range r.state {
		for _, row := range d.rows {
			lines = append(lines, fmt.Sprintf("%t %s %s", d.added, d.table, c.masked(d, row)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// answered reports whether what the calls of the round were answered is what
// those of the order were: the accepted ones of each kind, of which the order may
// have more when calls of the round failed or were not answered.
func (c *crowd) answered(r, order *round) bool {
	mine, theirs, may := c.answers(r), c.answers(order), map[string]int{}
	for _, call := range r.calls {
		if o := outcomeOf(call); o == history.Failed || o == history.Unknown {
			may[c.kind(call)]++
		}
	}
	for kind, list := range mine {
		rest := slices.Clone(theirs[kind])
		for _, a := range list {
			i := slices.Index(rest, a)
			if i < 0 {
				return false
			}
			rest = slices.Delete(rest, i, i+1)
		}
		theirs[kind] = rest
	}
	for kind, rest := range theirs {
		if len(rest) > may[kind] {
			return false
		}
	}
	return true
}

// answers are those of the accepted calls, by kind.
func (c *crowd) answers(r *round) map[string][]string {
	all := map[string][]string{}
	for _, call := range r.calls {
		for _, a := range c.chance.answers(call) {
			for _, row := range a.rows {
				text := join(row, func(i int, v history.Value) string {
					if c.chance.columns[column{stmt: a.stmt, name: a.columns[i]}] {
						return "~"
					}
					return a.columns[i] + "=" + text(v)
				})
				all[c.kind(call)] = append(all[c.kind(call)], text)
			}
		}
	}
	return all
}

// kind is what calls have in common that are the same call.
func (c *crowd) kind(call *lanes.Call) string {
	if c.alike[call.Actor] {
		return call.Actor
	}
	return fmt.Sprint(call.Actor, "#", call.Process)
}

// finding tells a fault.
func (c *crowd) finding(f *fault) report.Finding {
	out := report.Finding{
		Rule: name, Severity: report.High, Claim: c.property(), Count: f.count, First: f.first.begin, Last: f.last,
		Repro: report.Repro{Seed: c.pass.Header.Seed}, Help: "docs/analyzers/serial.md",
	}
	c.story(f, &out)
	out.Message = fmt.Sprintf("%d of %s end in what no serial order gives: %s", f.count, count(c.all, "round"), c.surplus(f))
	if f.quest.Anomaly != nil {
		out.Message += "; " + c.sentence(f)
	}
	out.Why = strings.TrimSpace(out.Why + " " + c.beside(f))
	return out
}

// property is the claim that the history makes.
func (c *crowd) property() string {
	for _, claim := range c.pass.Header.Claims {
		if claim.Kind == history.Property {
			return claim.Name
		}
	}
	return ""
}

// surplus says how the requests of the round ended, and how they do one after
// the other.
func (c *crowd) surplus(f *fault) string {
	at, most := c.tally(f.first), c.most(f)
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if at[name].accepted > most[name] {
			return fmt.Sprintf("of %d requests of %s at once %d were accepted, and of as many one after the other at most %d", at[name].all, name, at[name].accepted, most[name])
		}
	}
	if left, other := c.difference(f); left != "" {
		return fmt.Sprintf("%s at once leave %s, and one after the other %s", f.first.schedule, left, other)
	}
	return fmt.Sprintf("%s at once, from %s, are answered what they are in no order", f.first.schedule, f.stage.from)
}

// difference is a row that the round left and the clients one after the other do
// not, and what they leave in the same table.
func (c *crowd) difference(f *fault) (left, other string) {
	if len(f.stage.orders) == 0 {
		return "", ""
	}
	nearest := c.nearest(f)
	for _, d := range f.first.state {
		theirs := rowsIn(nearest, d.table)
		for _, row := range d.rows {
			i := slices.IndexFunc(theirs, func(r []history.Value) bool { return c.masked(d, r) == c.masked(d, row) })
			switch {
			case !d.added:
			case i >= 0:
				theirs = slices.Delete(theirs, i, i+1)
			case len(theirs) > 0:
				return d.table + " (" + words(d.columns, row) + ")", d.table + " (" + words(d.columns, theirs[0]) + ")"
			default:
				return d.table + " (" + words(d.columns, row) + ")", "they do not"
			}
		}
	}
	return "", ""
}

// nearest is an order in which as many calls of each actor were accepted as in
// the round, else that of all clients.
func (c *crowd) nearest(f *fault) *round {
	at := c.tally(f.first)
	for _, o := range f.stage.orders {
		in := c.tally(o.round)
		if !slices.ContainsFunc(slices.Collect(maps.Keys(at)), func(name string) bool { return in[name].accepted != at[name].accepted }) {
			return o.round
		}
	}
	return f.stage.orders[0].round
}

// rowsIn are the rows of a table that are new after the round.
func rowsIn(r *round, table string) [][]history.Value {
	for _, d := range r.state {
		if d.added && d.table == table {
			return slices.Clone(d.rows)
		}
	}
	return nil
}

// masked is a row without what is chance.
func (c *crowd) masked(d delta, row []history.Value) string {
	return join(row, func(i int, v history.Value) string {
		if d.added && c.chance.columns[column{table: d.table, name: d.columns[i]}] {
			return "~"
		}
		return text(v)
	})
}

// tally counts how the requests of an actor ended.
type tally struct{ all, accepted int }

func (c *crowd) tally(r *round) map[string]tally {
	all := map[string]tally{}
	for _, call := range r.calls {
		t := all[call.Actor]
		t.all++
		if outcomeOf(call) == history.Accepted {
			t.accepted++
		}
		all[call.Actor] = t
	}
	return all
}

// most is the largest number of accepted requests of each actor in an order.
func (c *crowd) most(f *fault) map[string]int {
	most := map[string]int{}
	for _, o := range f.stage.orders {
		for name, t := range c.tally(o.round) {
			most[name] = max(most[name], t.accepted)
		}
	}
	return most
}

// beside sets what the round left beside what the clients leave one after the
// other.
func (c *crowd) beside(f *fault) string {
	if len(f.first.state) == 0 && (len(f.stage.orders) == 0 || len(c.nearest(f).state) == 0) {
		return ""
	}
	text := fmt.Sprintf("The round (%s, from %s) leaves %s.", f.first.schedule, f.stage.from, f.first.describe())
	if len(f.stage.orders) > 0 {
		text += fmt.Sprintf(" One after the other: %s.", c.nearest(f).describe())
	}
	return text
}

// story shows the lanes of the first round. Without an anomaly to choose them by
// it is who looked first and the first two that wrote.
func (c *crowd) story(f *fault, out *report.Finding) {
	if a := f.quest.Anomaly; a != nil {
		c.anomaly(f, a, out)
		return
	}
	var looked, wrote []*lanes.Txn
	for _, t := range f.first.txns() {
		switch {
		case t.State != lanes.Committed:
		case t.Wrote(""):
			wrote = append(wrote, t)
		case touches(t):
			looked = append(looked, t)
		}
	}
	if txns := append(wrote[:min(len(wrote), 2)], looked[:min(len(looked), 1)]...); len(txns) > 0 {
		s := lanes.Tell(c.chance.schema, txns, nil)
		out.Lanes, out.Steps, out.Repro.Psql = s.Lanes, s.Steps, s.Psql()
	}
	out.Anomaly = "not serializable: no serial order gives this result"
}

// touches reports whether the transaction has a statement on a table.
func touches(t *lanes.Txn) bool {
	return slices.ContainsFunc(t.Stmts, func(s lanes.Stmt) bool { return len(s.Access.Tables) > 0 })
}
