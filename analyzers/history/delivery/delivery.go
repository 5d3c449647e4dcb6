package delivery

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports jobs that are lost or done twice.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name  = "delivery"
	probe = "queue" // of the histories that it judges
	job   = "job"   // the variable that has the key of a job
	done  = "every job is done"
	once  = "no job is done twice"

	killedBefore = "killed before"
	killedAfter  = "killed after"
	drained      = "drained"
)

// enough is the number of claims that must have met another one.
const enough = 10

func run(pass *check.Pass) error {
	if pass.Header.Probe != probe {
		return nil
	}
	j := newJudge(pass.Header)
	for o, err := range pass.Ops() {
		if err != nil {
			return fmt.Errorf("reading the history: %w", err)
		}
		j.add(o)
	}
	for _, call := range j.tracker.Unfinished() {
		j.ended(call)
	}
	if twice := j.twice(); len(twice) > 0 {
		pass.Report(j.findTwice(pass.Header, twice))
	}
	if lost := j.lost(); j.drained && len(lost) > 0 {
		pass.Report(j.findLost(pass.Header, lost))
	}
	for _, why := range j.doubts(pass.Header) {
		pass.Unknown(why)
	}
	return nil
}

// judge goes through the events once.
type judge struct {
	tracker   *lanes.Tracker
	jobs      map[string]*record
	met       int  // calls that claimed while another one was claiming
	before    int  // workers that were killed before the effect
	drained   bool // the run was not broken off
	producers int  // lanes below that number add jobs
}

// record is what became of one job.
type record struct {
	key      string
	produced *lanes.Call
	accepted bool
	effects  []effect
	deaths   int           // of workers right after its effect
	killed   bool          // a worker died before its effect
	holders  []*lanes.Call // that had its key and no effect
}

// effect is one time that a job was done.
type effect struct {
	call *lanes.Call
	txn  *lanes.Txn
}

// kept bounds the calls of one job that are remembered.
const kept = 4

func newJudge(h *history.Header) *judge {
	j := &judge{tracker: lanes.NewTracker(h), jobs: map[string]*record{}}
	j.producers, _ = strconv.Atoi(h.Param("producers"))
	return j
}

func (j *judge) job(key string) *record {
	r := j.jobs[key]
	if r == nil {
		r = &record{key: key}
		j.jobs[key] = r
	}
	return r
}

func (j *judge) add(o *history.Op) {
	if o.Scope == history.ScopeNote {
		switch o.Phase {
		case killedBefore:
			j.before++
			j.job(o.Text).killed = true
		case killedAfter:
			j.job(o.Text).deaths++
		case drained:
			j.drained = true
		}
	}
	if call := j.tracker.Add(o); call != nil {
		j.ended(call)
	}
}

// ended takes what a call has done: a producer's has added the job whose key it
// has, a worker's has claimed it, and done it where there is an effect.
func (j *judge) ended(call *lanes.Call) {
	key := keyOf(call)
	outside := false
	for _, t := range call.Txns {
		st := &t.Stmts[0]
		if !st.Begin.Stmt.Outside {
			continue
		}
		outside = true
		if st.End != nil && st.End.Kind == history.OK && len(st.Begin.Args) > 0 {
			r := j.job(st.Begin.Args[0].Text)
			r.effects = append(r.effects, effect{call, t})
		}
	}
	if outside {
		j.meet(call)
	}
	if key == "" {
		return
	}
	r := j.job(key)
	switch {
	case call.Process < j.producers:
		r.produced = call
		r.accepted = call.End.Outcome == history.Accepted
	case !outside && len(r.holders) < kept:
		r.holders = append(r.holders, call)
	}
}

func keyOf(call *lanes.Call) string {
	if call.End == nil {
		return ""
	}
	i := slices.IndexFunc(call.End.Vars, func(v history.Var) bool { return v.Name == job })
	if i < 0 {
		return ""
	}
	return call.End.Vars[i].Value.Text
}

// meet counts calls that did a job while another worker's did: they claimed at
// the same time.
func (j *judge) meet(call *lanes.Call) {
	for _, o := range slices.Backward(j.tracker.Recent()) {
		if o != call && o.Process != call.Process && o.Actor == call.Actor && keyOf(o) != "" &&
			lanes.Overlap(o.Start(), o.Finish(), call.Start(), call.Finish()) {
			j.met++
			return
		}
	}
}

// twice are the jobs with more effects than deaths explain, those with two
// workers first.
func (j *judge) twice() []*record {
	return j.pick(func(r *record) bool { return len(r.effects) > 1+r.deaths })
}

// lost are the accepted jobs without an effect.
func (j *judge) lost() []*record {
	return j.pick(func(r *record) bool { return r.accepted && len(r.effects) == 0 })
}

// pick returns records in the order of their keys.
func (j *judge) pick(want func(*record) bool) []*record {
	var list []*record
	for _, r := range j.jobs {
		if want(r) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *record) int {
		x, errX := strconv.ParseInt(a.key, 10, 64)
		y, errY := strconv.ParseInt(b.key, 10, 64)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a.key, b.key)
	})
	return list
}

// accepted is the number of jobs that were taken in.
func (j *judge) accepted() int {
	return len(j.pick(func(r *record) bool { return r.accepted }))
}

// held reports whether jobs are added in transactions of several statements,
// which can commit in another order than they got their keys.
func (j *judge) held() bool {
	for _, r := range j.jobs {
		if r.produced != nil && len(r.produced.Txns) > 0 && len(r.produced.Txns[0].Stmts) > 1 {
			return true
		}
	}
	return false
}

// late is the number of jobs that were added by a transaction which was still
// open when a worker did a later one.
func (j *judge) late() (n int) {
	for _, r := range j.jobs {
		if r.produced != nil && j.passed(r) != nil {
			n++
		}
	}
	return n
}

// doubts are why the history cannot be called clean.
func (j *judge) doubts(h *history.Header) []string {
	var list []string
	kills, _ := strconv.Atoi(h.Param("kills"))
	switch {
	case j.accepted() == 0:
		list = append(list, "no job was accepted, so none could be lost")
	case j.met < enough:
		list = append(list, fmt.Sprintf("%d claims met another one, and %d are the least: too few workers at a time, or too few jobs", j.met, enough))
	}
	if !j.drained {
		list = append(list, "the run was broken off before the queue was drained, so what is missing may only be late")
	}
	if j.before == 0 && kills > 0 {
		list = append(list, "no worker was killed between its claim and the effect, so no job had the opportunity to be lost")
	}
	if j.held() && j.late() == 0 {
		list = append(list, "no job was committed after a later one had been done, so one that is skipped for that could not show")
	}
	if kills == 0 {
		list = append(list, "no worker was killed (--kills 0), so whether a job outlives its worker is not known")
	}
	return list
}
