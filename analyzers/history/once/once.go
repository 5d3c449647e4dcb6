package once

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports calls that do not survive what asks for a retry.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name  = "once"
	probe = "retry" // of the histories that it judges

	over  = "40001 and 40P01 are started over"
	reads = "a retry starts from the read"
	whole = "nothing happens twice, and nothing is dropped"

	calm   = "calm"
	double = "double"
	again  = "again"
	done   = "done"
	answer = "answer"

	twoInARow  = "40001-twice"
	contention = "contention" // by which the errors came about
)

func run(pass *check.Pass) error {
	if pass.Header.Probe != probe {
		return nil
	}
	j := &judge{header: pass.Header, tracker: lanes.NewTracker(pass.Header)}
	for o, err := range pass.Ops() {
		if err != nil {
			return fmt.Errorf("reading the history: %w", err)
		}
		j.add(o)
	}
	j.close()
	for _, f := range j.findings() {
		pass.Report(f)
	}
	for _, why := range j.doubts() {
		pass.Unknown(why)
	}
	return nil
}

// judge collects the rounds of each call.
type judge struct {
	header  *history.Header
	tracker *lanes.Tracker
	round   *round
	calls   []*subject
	ended   bool
}

// subject is one kind of call with its rounds.
type subject struct {
	name   string
	calm   []*round
	double *round
	faults []*round
}

// round is a call, or two of the same, and what they left.
type round struct {
	fault string // or calm, double
	ends  []*history.Op
	txns  []*lanes.Txn
	state map[string]*change // by table
	again bool               // the second call has begun
}

// change is how a table, or what a stub has counted, differs from before.
type change struct {
	columns        []string
	added, removed [][]history.Value
}

func (j *judge) add(o *history.Op) {
	switch {
	case o.Scope == history.ScopeNote && o.Phase == again:
		if j.round != nil {
			j.round.again = true
		}
	case o.Scope == history.ScopeNote && o.Phase == done:
		j.close()
		j.ended = true
	case o.Scope == history.ScopeNote && o.Phase != "":
		j.begin(o.Phase, o.Text)
	case o.Scope == history.ScopeState && j.round != nil:
		j.round.take(o)
	}
	if o.Scope == history.ScopeCall && o.Kind != history.Invoke && j.round != nil {
		j.round.ends = append(j.round.ends, o)
	}
	if call := j.tracker.Add(o); call != nil && j.round != nil && call.ID == 0 {
		j.round.txns = append(j.round.txns, call.Txns...)
	}
}

// begin begins a round of the call with that name.
func (j *judge) begin(phase, call string) {
	j.close()
	i := slices.IndexFunc(j.calls, func(s *subject) bool { return s.name == call })
	if i < 0 {
		i = len(j.calls)
		j.calls = append(j.calls, &subject{name: call})
	}
	s := j.calls[i]
	j.round = &round{fault: phase, state: map[string]*change{}}
	switch phase {
	case calm:
		s.calm = append(s.calm, j.round)
	case double:
		s.double = j.round
	default:
		s.faults = append(s.faults, j.round)
	}
}

// close ends a round. A transaction whose connection was cut has no end of its
// own.
func (j *judge) close() {
	if j.round == nil {
		return
	}
	for _, call := range j.tracker.Unfinished() {
		for _, t := range call.Txns {
			if call.ID == 0 && !slices.Contains(j.round.txns, t) {
				j.round.txns = append(j.round.txns, t)
			}
		}
	}
	slices.SortStableFunc(j.round.txns, func(a, b *lanes.Txn) int { return int(a.Stmts[0].Begin.Index - b.Stmts[0].Begin.Index) })
	j.round = nil
}

func (r *round) take(o *history.Op) {
	c := r.state[o.Text]
	if c == nil {
		c = &change{columns: o.Columns}
		r.state[o.Text] = c
	}
	if o.Phase == "removed" {
		c.removed = append(c.removed, o.Rows...)
	} else {
		c.added = append(c.added, o.Rows...)
	}
}

// outcome is how the first call ended for who made it.
func (r *round) outcome() history.Outcome {
	if len(r.ends) == 0 {
		return history.Unknown
	}
	return r.ends[0].Outcome
}

// sqlstate is what the fault answers, "" for a lost answer.
func (r *round) sqlstate() string {
	if r.fault == answer {
		return ""
	}
	state, _, _ := strings.Cut(r.fault, "-")
	return state
}

// failed is the transaction that the fault hit and its statement, nil when it
// hit none.
func (r *round) failed() (*lanes.Txn, int) {
	for _, t := range r.txns {
		for n := range t.Stmts {
			s := &t.Stmts[n]
			lost := s.End != nil && s.End.Kind == history.Info
			if r.fault == answer && lost || s.Failed() && s.End.SQLState == r.sqlstate() {
				return t, n
			}
		}
	}
	return nil, 0
}

// hits is how often the fault met a statement of the call.
func (r *round) hits() (n int) {
	for _, t := range r.txns {
		for i := range t.Stmts {
			if s := &t.Stmts[i]; s.Failed() && s.End.SQLState == r.sqlstate() {
				n++
			}
		}
	}
	return n
}

// doubts are why the history cannot be called clean.
func (j *judge) doubts() []string {
	var list []string
	if !j.ended {
		list = append(list, "the history ends before its run did")
	}
	for _, s := range j.calls {
		list = append(list, s.doubts(j.header.Param("by") == contention)...)
	}
	if len(j.calls) == 0 {
		list = append(list, "no call was made")
	}
	return list
}

func (s *subject) doubts(contended bool) []string {
	if len(s.calm) < 2 || s.double == nil {
		return []string{s.name + ": the calm rounds were not made"}
	}
	if o := s.calm[0].outcome(); o != history.Accepted {
		return []string{fmt.Sprintf("%s: the call was not accepted when nothing went wrong (%s)", s.name, said(s.calm[0]))}
	}
	if s.once().empty() {
		return []string{s.name + ": the call changes nothing that can be seen, so that it cannot be dropped or happen twice"}
	}
	if len(s.faults) == 0 {
		return []string{s.name + ": nothing went wrong in any round"}
	}
	var list []string
	for _, r := range s.faults {
		t, _ := r.failed()
		switch {
		case t == nil && contended:
			list = append(list, fmt.Sprintf("%s: the server never raised %s, though a rival was at the same rows%s", s.name, r.sqlstate(), r.because()))
		case t == nil:
			list = append(list, fmt.Sprintf("%s: the fault %s met no statement of the call", s.name, r.fault))
		case contended && r.fault == twoInARow && r.outcome() == history.Accepted && r.hits() < 2:
			list = append(list, fmt.Sprintf("%s: the server raised 40001 once and not two times in a row: the call had gone on before the rival came back", s.name))
		}
	}
	return list
}

// because is when the server would have raised the error.
func (r *round) because() string {
	if r.sqlstate() == "40P01" {
		return "; it does where a transaction of the call locks two things one after the other"
	}
	return "; it does at REPEATABLE READ or SERIALIZABLE, to calls that change rows which were there before"
}

// place is where in a script an error came from.
var place = regexp.MustCompile(`^\S+\.sql:\d+: `)

// said is how a call ended, in words.
func said(r *round) string {
	if len(r.ends) == 0 {
		return "it did not end"
	}
	e := r.ends[0]
	for _, v := range e.Vars {
		if v.Name == "status" {
			return "status " + v.Value.Text
		}
	}
	if e.Error != "" {
		return place.ReplaceAllString(e.Error, "")
	}
	return string(e.Outcome)
}
