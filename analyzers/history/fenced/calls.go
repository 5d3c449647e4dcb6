package fenced

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// call is one call of an owner, from the question to the answer.
type call struct {
	what       string // acquire, renew, release, write, read
	lane       int
	start, end time.Duration
	outcome    history.Outcome
	why        string // the error of one with an unknown outcome
	name       string // of the lease
	key, value string // of the resource
	tick       int64  // of a job
	token      string
	grant      int64 // which acquisition it stands on; 0 for none
	ttl        time.Duration
	told       bool          // by its owner, and not asked for
	sent       time.Duration // of one that was told: it began then, or later
}

func (c *call) ok() bool { return c.outcome == history.Accepted }

// pause is a time in which a lane was stopped.
type pause struct {
	lane     int
	from, to time.Duration
}

// fault is something that was done to a lane.
type fault struct {
	lane int
	what string
	at   time.Duration
}

// grant is one acquisition with what its owner did on it.
type grant struct {
	*call
	renewals []*call       // accepted
	releases []*call       // accepted, or with an unknown outcome
	lost     time.Duration // of a session: when it may have ended; 0 for never
	reigns   []reign       // of one that was told: when its owner led for certain
}

// record is a history, sorted.
type record struct {
	calls    []*call // by their end
	grants   []*grant
	byNumber map[int64]*grant
	byName   map[string][]*grant // by their start
	names    []string            // in the order of their first acquisition
	pauses   []pause
	restarts []time.Duration
	faults   []fault
	whole    bool
	end      time.Duration // of the last event
}

// collect reads the calls.
func collect(ops iter.Seq2[*history.Op, error]) (*record, error) {
	r := &record{byNumber: map[int64]*grant{}, byName: map[string][]*grant{}}
	open, asked := map[int]time.Duration{}, map[int]string{}
	for o, err := range ops {
		if err != nil {
			return nil, fmt.Errorf("reading the history: %w", err)
		}
		r.whole, r.end = o.Process == history.Checker, o.Time
		switch {
		case o.Scope == history.ScopeNote:
			r.note(o, open)
		case o.Scope == history.ScopeCall && o.Kind == history.Invoke:
			asked[o.Process] = o.Actor
		case o.Scope == history.ScopeCall:
			r.add(read(o, asked[o.Process]))
		}
	}
	r.index()
	return r, nil
}

// index sorts the acquisitions.
func (r *record) index() {
	slices.SortFunc(r.grants, func(a, b *grant) int { return cmp.Compare(a.start, b.start) })
	for _, g := range r.grants {
		if r.byName[g.name] == nil {
			r.names = append(r.names, g.name)
		}
		r.byName[g.name] = append(r.byName[g.name], g)
		if g.session() {
			r.lose(g)
		}
	}
}

func (r *record) note(o *history.Op, open map[int]time.Duration) {
	switch o.Text {
	case "paused":
		open[o.Process] = o.Time
	case "resumed":
		if from, ok := open[o.Process]; ok {
			r.pauses = append(r.pauses, pause{o.Process, from, o.Time})
			delete(open, o.Process)
		}
	case "restart":
		r.restarts = append(r.restarts, o.Time)
	}
	if o.Process >= 0 {
		r.faults = append(r.faults, fault{o.Process, o.Text, o.Time})
	}
}

func read(o *history.Op, what string) *call {
	c := &call{what: what, lane: o.Process, start: o.Start, end: o.Time, outcome: o.Outcome, why: o.Error}
	for _, v := range o.Vars {
		switch v.Name {
		case "name":
			c.name = v.Value.Text
		case "key":
			c.key = v.Value.Text
		case "value":
			c.value = v.Value.Text
		case "token":
			c.token = v.Value.Text
		case "after":
			ns, _ := strconv.ParseInt(v.Value.Text, 10, 64)
			c.told, c.sent, c.start = true, time.Duration(ns), time.Duration(ns)
		case "asked":
			ns, _ := strconv.ParseInt(v.Value.Text, 10, 64)
			c.start = time.Duration(ns)
		case "tick":
			c.tick, _ = strconv.ParseInt(v.Value.Text, 10, 64)
		case "grant":
			c.grant, _ = strconv.ParseInt(v.Value.Text, 10, 64)
		case "ttl":
			ms, _ := strconv.ParseInt(v.Value.Text, 10, 64)
			c.ttl = time.Duration(ms) * time.Millisecond
		}
	}
	return c
}

func (r *record) add(c *call) {
	r.calls = append(r.calls, c)
	if c.what == "acquire" && c.ok() {
		g := &grant{call: c}
		r.grants = append(r.grants, g)
		r.byNumber[c.grant] = g
		return
	}
	g := r.byNumber[c.grant]
	switch {
	case g == nil:
	case c.what == "renew" && c.ok():
		g.renewals = append(g.renewals, c)
	case c.what == "release" && c.outcome != history.Refused:
		g.releases = append(g.releases, c)
	}
}

// extended is the last call that made the lease last longer, before a moment.
func (g *grant) extended(before time.Duration) *call {
	last := g.call
	for _, r := range g.renewals {
		if r.end <= before && r.start > last.start {
			last = r
		}
	}
	return last
}

// session reports that the lease has no time to live but ends with its session.
func (g *grant) session() bool { return g.ttl < 0 }

// lose finds when the session of g may have ended: at the first thing that was
// done to its connection, or call without an answer.
func (r *record) lose(g *grant) {
	keep := func(at time.Duration) {
		if at > g.end && (g.lost == 0 || at < g.lost) {
			g.lost = at
		}
	}
	for _, f := range r.faults {
		if f.lane == g.lane && f.what != "paused" && f.what != "resumed" {
			keep(f.at)
		}
	}
	for _, c := range r.calls {
		if c.lane == g.lane && c.outcome == history.Unknown {
			keep(c.start)
		}
	}
}

// over is when the lease ends at the earliest, as its owner knows at a moment.
func (g *grant) over(at time.Duration) time.Duration {
	switch {
	case g.told:
		return g.reigned()
	case !g.session():
		return g.extended(at).start + g.ttl
	case g.lost > 0:
		return g.lost
	}
	return 1 << 62
}

// holds reports whether the lease is the owner's for certain in the whole time
// between: it was given before, and has neither ended nor been given back.
func (g *grant) holds(from, to time.Duration) bool {
	if g.told {
		return slices.ContainsFunc(g.reigns, func(s reign) bool { return s.from <= from && to < s.to })
	}
	if g.end > from || g.over(from) <= to {
		return false
	}
	return !slices.ContainsFunc(g.releases, func(c *call) bool { return c.start < to })
}

// gone reports that the lease does not hold at a moment or later: it was given
// back, or has ended and nobody renews it.
func (g *grant) gone(at time.Duration) bool {
	return g.over(1<<62) <= at || slices.ContainsFunc(g.releases, func(c *call) bool { return c.start < at })
}

// after are the acquisitions of the same lease that began when g had it.
func (r *record) after(g *grant) []*grant {
	all := r.byName[g.name]
	i, _ := slices.BinarySearchFunc(all, g.end, func(h *grant, at time.Duration) int { return cmp.Compare(h.start, at+1) })
	return all[i:]
}

// owners are the lanes that had the first lease, in their order.
func (r *record) owners() []int {
	var all []int
	for _, c := range r.calls {
		if c.name == r.names[0] && !slices.Contains(all, c.lane) {
			all = append(all, c.lane)
		}
	}
	slices.Sort(all)
	return all
}

// since reports that the lease was given after another one, to somebody else.
func (g *grant) since(other *grant) bool { return g.name == other.name && other.end < g.start }
