package deadlock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports deadlocks.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const (
	name             = "deadlock"
	probe            = "deadlock" // of the histories that it judges
	deadlockDetected = "40P01"
	lockNotAvailable = "55P03"
	// ended is the phase of the note that closes an exploration.
	ended = "ended"
	// counted and logged are the phases of the notes in which a watch has the
	// server's own word.
	counted = "counted"
	logged  = "logged"
	// watched is the mode of a history of a live server, of which only samples
	// are known.
	watched = "watch"
)

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
	j.end()
	for _, g := range j.inOrder() {
		if g.faulty(j.live) {
			pass.Report(g.finding(pass.Header, j.tracker.Schema, j.live))
		}
	}
	for _, l := range j.long {
		pass.Report(l.finding(j.tracker.Schema))
	}
	if n := j.counted - j.circles(); n > 0 {
		pass.Report(j.missed(n))
	}
	for _, why := range j.doubts() {
		pass.Unknown(why)
	}
	return nil
}

// judge goes through the events once.
type judge struct {
	tracker *lanes.Tracker
	live    bool // the history of a server that was watched
	waits   map[int]wait
	open    []*circle // whose calls have not all ended
	known   map[*lanes.Txn]bool
	groups  map[string]*group
	long    []*longWait
	limit   time.Duration // of a wait that is worth telling
	waited  int           // statements seen waiting for another lane
	limited int           // statements that gave up waiting (55P03)
	victims int
	cut     string   // why an exploration is not whole
	part    bool     // one schedule was run, and no more were asked for
	counted int      // deadlocks, by the server
	logged  []string // what its log says of them
}

// wait is what a lane waits for at the moment.
type wait struct {
	since    time.Duration
	blockers []int
}

func newJudge(h *history.Header) *judge {
	j := &judge{
		tracker: lanes.NewTracker(h), live: h.Param("mode") == watched, part: h.Param("schedules") == "one",
		waits: map[int]wait{}, known: map[*lanes.Txn]bool{}, groups: map[string]*group{},
	}
	j.limit, _ = time.ParseDuration(h.Param("long"))
	return j
}

func (j *judge) add(o *history.Op) {
	call := j.tracker.Add(o)
	switch {
	case o.Scope == history.ScopeWait:
		j.wait(o)
	case o.Scope == history.ScopeQuery && o.Kind != history.Invoke:
		j.answered(o)
	case o.Scope == history.ScopeNote:
		j.note(o)
	}
	if call != nil {
		j.over()
	}
}

func (j *judge) note(o *history.Op) {
	switch o.Phase {
	case ended:
		_, j.cut, _ = strings.Cut(o.Text, ": ")
	case logged:
		j.logged = append(j.logged, o.Text)
	case counted:
		_, _ = fmt.Sscan(o.Text, &j.counted) // what is no number is none
	}
}

// wait notes whom a lane waits for, and looks for a circle that it closes.
func (j *judge) wait(o *history.Op) {
	w := wait{since: o.Time}
	if before, again := j.waits[o.Process]; again {
		w.since = before.since
	}
	for _, a := range o.Args {
		var lane int
		if _, err := fmt.Sscan(a.Text, &lane); err == nil && lane >= 0 && lane != o.Process {
			w.blockers = append(w.blockers, lane)
		}
	}
	if len(w.blockers) == 0 {
		return
	}
	if _, again := j.waits[o.Process]; !again {
		j.waited++
	}
	j.waits[o.Process] = w
	if path := j.path(o.Process); path != nil {
		j.found(path, o.Time)
	}
}

// path is the way from a lane over those that it waits for back to itself, nil
// when there is none.
func (j *judge) path(from int) []int {
	seen := map[int]bool{}
	var walk func(at int, way []int) []int
	walk = func(at int, way []int) []int {
		way = append(way, at)
		for _, next := range j.waits[at].blockers {
			if next == from {
				return way
			}
			if !seen[next] {
				seen[next] = true
				if found := walk(next, slices.Clone(way)); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return walk(from, nil)
}

// answered ends a wait.
func (j *judge) answered(o *history.Op) {
	w, waiting := j.waits[o.Process]
	delete(j.waits, o.Process)
	switch o.SQLState {
	case deadlockDetected:
		j.victims++
		j.unseen(o)
	case lockNotAvailable:
		j.limited++
	}
	if waiting && j.live && j.limit > 0 && o.Time-w.since >= j.limit {
		j.tooLong(o, w)
	}
}

// over closes the circles of which a call was the last to end.
func (j *judge) over() {
	j.open = slices.DeleteFunc(j.open, func(c *circle) bool {
		if slices.ContainsFunc(c.parts, func(p part) bool { return p.txn.Call.End == nil && p.txn.State == lanes.Open }) {
			return false
		}
		j.close(c)
		return true
	})
}

func (j *judge) end() {
	for _, c := range j.open {
		j.close(c)
	}
}

func (j *judge) close(c *circle) {
	key := c.key()
	g := j.groups[key]
	if g == nil {
		g = &group{circle: c, first: c.at}
		j.groups[key] = g
	}
	g.add(c)
}

// inOrder are the groups, most frequent first.
func (j *judge) inOrder() []*group {
	list := make([]*group, 0, len(j.groups))
	for _, g := range j.groups {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.dropped, a.dropped), cmp.Compare(a.first, b.first), cmp.Compare(a.circle.key(), b.circle.key()))
	})
	return list
}

// circles is the number of deadlocks that were seen.
func (j *judge) circles() (n int) {
	for _, g := range j.groups {
		n += g.count
	}
	return n
}

// doubts are why the history cannot be called clean.
func (j *judge) doubts() []string {
	var list []string
	if j.waited+j.limited+j.victims+j.counted == 0 {
		list = append(list, "no transaction was seen waiting for a lock of another one, so there was no opportunity for a deadlock")
	}
	if j.cut != "" {
		list = append(list, "not every schedule was run: "+j.cut)
	}
	if j.part {
		list = append(list, "one schedule was run, in which every lane takes its first lock before any takes its second; the others were not")
	}
	return list
}
