package serial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/culprit"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports schedules that no serial order explains.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name  = "serial"
	probe = "explore"
)

func run(pass *check.Pass) error {
	switch {
	case crowded(pass.Header):
		return runCrowd(pass)
	case pass.Header.Probe != probe:
		return nil
	}
	j := newJudge(pass)
	end, err := read(pass, j.visit)
	if err != nil {
		return err
	}
	if err := j.explain(); err != nil {
		return err
	}
	for _, f := range j.faults {
		pass.Report(j.finding(f))
	}
	if j.met {
		j.evidence.Overlaps = j.crossed
	}
	j.evidence.Enough, j.evidence.Missing = j.enough(end)
	pass.Evidence(j.evidence)
	if !j.evidence.Enough {
		pass.Unknown(j.evidence.Missing)
	}
	return nil
}

func newJudge(pass *check.Pass) *judge {
	return &judge{pass: pass, chance: chance{schema: lanes.NewSchema(pass.Header), http: requests(pass.Header), columns: map[column]bool{}}}
}

// requests are the actors that are requests to an application.
func requests(h *history.Header) map[string]bool {
	names := map[string]bool{}
	for _, a := range h.Actors {
		names[a.Name] = a.HTTP != ""
	}
	return names
}

// judge goes through the rounds.
type judge struct {
	pass    *check.Pass
	chance  chance
	orders  []*order
	all     int // schedules
	faults  []*fault
	met     bool   // lanes touched the same rows
	crossed int64  // schedules in which lanes overlapped, on whatever rows
	queued  bool   // lanes waited for something in the application's process
	whole   string // a statement whose snapshot and commit no other lane could come between
	lent    string // a statement that locks for a session which others may get

	evidence report.Evidence
}

// order is a serial order with its outcome.
type order struct {
	*round
	outcome outcome
	whole   bool // all lanes took part
}

// fault is one thing that is wrong: a broken claim, or an outcome that no
// serial order has.
type fault struct {
	claim   *history.Claim
	state   string // without a claim: what was left, and how the calls ended
	count   int
	first   *round
	last    time.Duration
	check   *history.Op
	serial  *order // a serial order that breaks the claim as well
	stage   *stage // of a round of many requests at once
	quest   culprit.Quest
	nothing bool // the outcome equals that of a serial order
}

func (j *judge) visit(r *round, schema *lanes.Schema) {
	j.counts(r)
	switch r.phase {
	case serialOrder:
		j.orders = append(j.orders, &order{round: r})
	case repeated:
		for _, o := range j.orders {
			if o.schedule == r.schedule && len(o.calls) == len(r.calls) {
				j.chance.learn(o.round, r)
				j.chance.learn(r, o.round)
			}
		}
	case explored:
		if j.all == 0 {
			j.settle()
		}
		j.all++
		j.queued = j.queued || r.queued
		j.judge(r)
		if j.whole == "" {
			j.whole = undivided(r)
		}
		if j.lent == "" {
			j.lent = lent(j.chance.http, r)
		}
		if !j.met {
			j.met = meet(schema, r) || waits(r)
		}
	}
}

// settle computes the outcomes of the serial orders, now that chance is known.
func (j *judge) settle() {
	most := 0
	for _, o := range j.orders {
		o.outcome = j.chance.of(o.round)
		most = max(most, len(o.calls))
	}
	for _, o := range j.orders {
		o.whole = len(o.calls) == most
	}
}

func (j *judge) judge(r *round) {
	out := j.chance.of(r)
	equal := slices.ContainsFunc(j.orders, func(o *order) bool { return out.equals(o.outcome) })
	for i := range j.pass.Header.Claims {
		c := &j.pass.Header.Claims[i]
		if op := r.breaks(c.Name); op != nil {
			f := j.fault(func(f *fault) bool { return f.claim == c }, r)
			if f.claim == nil {
				f.claim, f.check, f.nothing, f.serial = c, op, equal, j.breaking(c.Name)
			}
		}
	}
	if !equal && len(r.broken) == 0 {
		key := out.key()
		j.fault(func(f *fault) bool { return f.claim == nil && f.state == key }, r).state = key
	}
}

// key tells outcomes apart.
func (o outcome) key() string {
	var ends []string
	for lane, end := range o.ended {
		ends = append(ends, fmt.Sprint(lane, end, o.lanes[lane]))
	}
	slices.Sort(ends)
	return o.state + strings.Join(ends, "\n")
}

// fault returns the fault of that kind, new when there was none, with the
// round counted.
func (j *judge) fault(same func(*fault) bool, r *round) *fault {
	i := slices.IndexFunc(j.faults, same)
	if i < 0 {
		i = len(j.faults)
		j.faults = append(j.faults, &fault{first: r})
	}
	j.faults[i].count++
	j.faults[i].last = r.end
	return j.faults[i]
}

// breaking is a serial order of all lanes that breaks the claim, or nil.
func (j *judge) breaking(claim string) *order {
	for _, o := range j.orders {
		if o.whole && o.breaks(claim) != nil {
			return o
		}
	}
	return nil
}

// explain looks for the transactions behind each fault, and makes one fault of
// those that have the same explanation.
func (j *judge) explain() error {
	var quests []*culprit.Quest
	for _, f := range j.faults {
		f.quest = culprit.Quest{Target: j.target(f), After: f.first.begin, Until: f.until(), Round: f.first.number, Calls: true}
		quests = append(quests, &f.quest)
	}
	if len(quests) == 0 {
		return nil
	}
	if _, err := culprit.Search(j.pass.Header, j.pass.Ops(), quests); err != nil {
		return err
	}
	var kept []*fault
	for _, f := range j.faults {
		i := slices.IndexFunc(kept, func(k *fault) bool { return k.claim == nil && f.claim == nil && k.kind() == f.kind() })
		if i < 0 {
			kept = append(kept, f)
			continue
		}
		kept[i].count += f.count
		kept[i].last = max(kept[i].last, f.last)
	}
	j.faults = kept
	return nil
}

// kind is what faults have in common that are told once.
func (f *fault) kind() string {
	if f.quest.Anomaly == nil {
		return ""
	}
	return f.quest.Anomaly.Name()
}

func (f *fault) until() time.Duration {
	until := f.first.checked
	for _, c := range f.first.calls {
		until = max(until, c.Finish()+1)
	}
	return until
}

// target is what is wrong: the rows that a claim returned, or those that came.
func (j *judge) target(f *fault) culprit.Target {
	if f.claim != nil {
		return culprit.OfClaim(j.chance.schema.Read(f.claim.SQL), f.check.Rows)
	}
	var t culprit.Target
	for _, d := range f.first.state {
		p := culprit.Place{Table: d.table}
		for _, row := range d.rows {
			p.Rows = append(p.Rows, j.key(d, row))
		}
		t = append(t, p)
	}
	return t
}

// key are the values of the primary key in a row.
func (j *judge) key(d delta, row []history.Value) map[culprit.Spec]string {
	values := map[culprit.Spec]string{}
	for i, c := range d.columns {
		if slices.Contains(j.chance.schema.Key(d.table), c) {
			values[culprit.Spec{Column: c}] = row[i].Text
		}
	}
	return values
}

// meet reports whether two lanes of the round touched the same rows.
func meet(schema *lanes.Schema, r *round) bool {
	txns := r.txns()
	for i, t := range txns {
		for _, u := range txns[i+1:] {
			if t.Process != u.Process && !schema.Apart(t, u) {
				return true
			}
		}
	}
	return false
}

// waits reports whether the server has made a lane wait for another one: they
// met, whatever their statements say, as where a function holds them.
func waits(r *round) bool {
	return slices.ContainsFunc(r.txns(), func(t *lanes.Txn) bool {
		return slices.ContainsFunc(t.Stmts, func(s lanes.Stmt) bool {
			return slices.ContainsFunc(s.Waits, func(o *history.Op) bool { return o.Text != processWait })
		})
	})
}

// undivided returns a statement that is a transaction of its own, writes, and
// reads by its snapshot what another lane writes; "" when there is none. A row
// that it locks itself is read again when the lock is granted, and is no case.
func undivided(r *round) string {
	txns := r.txns()
	for _, t := range txns {
		if len(t.Stmts) != 1 || !may(t, "") {
			continue
		}
		for _, read := range t.Stmts[0].Access.Tables {
			if read.Kind.Writes() || read.Lock != sqlread.NoLock {
				continue
			}
			if slices.ContainsFunc(txns, func(o *lanes.Txn) bool { return o.Process != t.Process && may(o, read.Name) }) {
				return t.Stmts[0].Begin.Stmt.SQL
			}
		}
	}
	return ""
}

// may reports whether a transaction has a statement that writes to the table, to
// any when name is "", whether it found a row or not.
func may(t *lanes.Txn, name string) bool {
	return slices.ContainsFunc(t.Stmts, func(s lanes.Stmt) bool {
		return slices.ContainsFunc(s.Access.Tables, func(a sqlread.Table) bool { return a.Kind.Writes() && (name == "" || a.Name == name) })
	})
}

// enough says whether what was run allows the word clean.
func (j *judge) enough(end string) (bool, string) {
	count, why, cut := strings.Cut(end, ": ")
	switch {
	case end == "":
		return false, fmt.Sprintf("the exploration was broken off after %d schedules", j.all)
	case cut:
		return false, fmt.Sprintf("not every schedule was run (%s): %s", count, why)
	case j.queued && j.crossed == 0 && j.all > 0:
		return false, "the application let its requests run one after the other (a pool with one connection, or a mutex), so no other order was possible; where it runs twice that does not help: give its pool more connections"
	case j.whole != "":
		return false, fmt.Sprintf("%s reads rows that another lane writes, and writes, all on autocommit; of an application it is one step, so what others do between its snapshot and its commit was not tried: look with ccheck stress --app, or explore it as a script", j.whole)
	case j.lent != "":
		return false, tellLent(j.lent)
	case j.all == 0 || len(j.orders) > 0 && !j.met:
		return false, "the lanes never touch the same rows, so no order of their steps matters: choose parameters that collide"
	}
	return true, ""
}

// counts adds up what was tried.
func (j *judge) counts(r *round) {
	e := &j.evidence
	for _, c := range r.calls {
		e.Calls++
		e.Transactions += int64(len(c.Txns))
		if c.End != nil {
			e.Tries += int64(max(c.End.Tries, 1))
		}
		for _, t := range c.Txns {
			e.Statements += int64(len(t.Stmts))
			for i := range t.Stmts {
				e.LockWaits += int64(min(len(t.Stmts[i].Waits), 1))
				if t.Stmts[i].Failed() {
					e.Conflicts++
				}
			}
		}
	}
	if r.phase == explored && interleaved(r) {
		j.crossed++
	}
	e.Checks++
}

// interleaved reports whether two calls of the round overlapped: each sent a
// statement before the last one of the other.
func interleaved(r *round) bool {
	type span struct{ from, to time.Duration }
	spans := map[int]span{}
	for _, t := range r.txns() {
		s, seen := spans[t.Process]
		if !seen {
			s.from = t.Start()
		}
		spans[t.Process] = span{min(s.from, t.Start()), max(s.to, t.End())}
	}
	for p, s := range spans {
		for q, o := range spans {
			if p != q && lanes.Overlap(s.from, s.to, o.from, o.to) {
				return true
			}
		}
	}
	return false
}
