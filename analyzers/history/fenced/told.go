package fenced

import (
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// told reports that the instances say themselves when they lead.
func told(h *history.Header) bool {
	return h.Probe == leaders && (h.Target.Kind == watched || h.Target.Kind == command)
}

// The kinds of target of such a history.
const (
	command = "exec"
	watched = "http"
)

// reign is a time in which an instance led for certain, by what it said.
type reign struct{ from, to time.Duration }

// reign finds when each instance led. One that was stopped cannot say that it does
// not lead any more: the time in which it was, and one time to live after it, are
// left out.
func (r *record) reign(h *history.Header) {
	for _, g := range r.grants {
		to := r.until(g)
		if h.Target.Kind == watched {
			to = g.end
			for _, c := range g.renewals {
				to = max(to, c.start)
			}
		}
		g.reigns = awake(reign{g.end, to}, r.stops(g, h.Target.Kind))
	}
}

// until is the end of what a process said: that it leads no more, its own end, or
// that it was elected anew.
func (r *record) until(g *grant) time.Duration {
	to := r.end
	for _, c := range g.releases {
		to = min(to, c.start)
	}
	for _, f := range r.faults {
		if f.lane == g.lane && f.at > g.end && (f.what == "killed" || f.what == "ended") {
			to = min(to, f.at)
		}
	}
	for _, h := range r.byName[g.name] {
		if h.lane == g.lane && h.end > g.end {
			to = min(to, h.start)
		}
	}
	return to
}

// stops are the times in which the owner of g may not have run. One that is
// watched did not where it took long to answer.
func (r *record) stops(g *grant, kind string) []reign {
	var all []reign
	if kind == watched {
		before := g.end
		for _, c := range g.renewals {
			if c.end-before > g.ttl/2 {
				all = append(all, reign{before, c.end + g.ttl})
			}
			before = c.end
		}
		return all
	}
	for _, f := range r.faults {
		if f.lane != g.lane || f.what != "paused" {
			continue
		}
		s := reign{f.at, r.end}
		for _, p := range r.pauses {
			if p.lane == f.lane && p.from == f.at {
				s.to = p.to + g.ttl
			}
		}
		all = append(all, s)
	}
	return all
}

// awake is what is left of a time without the stops, which are in order.
func awake(whole reign, stops []reign) []reign {
	var all []reign
	for _, s := range stops {
		if s.from > whole.from && s.from < whole.to {
			all = append(all, reign{whole.from, s.from})
		}
		if s.to > whole.from && s.from < whole.to {
			whole.from = s.to
		}
	}
	if whole.from < whole.to {
		all = append(all, whole)
	}
	return all
}

// reigned is when the last reign ended, or the acquisition when there was none.
func (g *grant) reigned() time.Duration {
	to := g.end
	for _, s := range g.reigns {
		to = max(to, s.to)
	}
	return to
}

// rivals looks for instances that led at the same time for certain.
func (j *judgement) rivals() {
	var v *violation
	var both time.Duration
	for i, h := range j.r.grants {
		for _, g := range j.r.grants[:i] {
			s := overlap(g, h)
			if g.lane == h.lane || s.to <= s.from {
				continue
			}
			if v == nil {
				v = &violation{first: h.call, grants: []*grant{g, h}}
				both = s.to - s.from
			}
			v.count, v.last = v.count+1, h.call
		}
	}
	if v != nil {
		j.stage = v.grants[0]
		j.add(v.twoTold(j, both))
	}
}

// overlap is the first time in which both led, empty for none.
func overlap(g, h *grant) reign {
	for _, a := range g.reigns {
		for _, b := range h.reigns {
			if s := (reign{max(a.from, b.from), min(a.to, b.to)}); s.from < s.to {
				return s
			}
		}
	}
	return reign{}
}

func (v *violation) twoTold(j *judgement, both time.Duration) report.Finding {
	g, h := v.grants[0], v.grants[1]
	f := v.finding(j, oneLeader, "two leaders")
	f.Message = fmt.Sprintf("%s and %s both lead for at least %s: %s was elected with token %s, and %s still said that it leads with token %s",
		owner(g.lane), owner(h.lane), ms(both), owner(h.lane), h.token, owner(g.lane), g.token)
	f.Why = fmt.Sprintf("%s ran, and did not notice that its time was over. A leader must stop by its own monotonic clock, at the latest one time to live after it asked for its last renewal, whether it is answered or not.", owner(g.lane))
	return f
}

// doubt is how far off the times can be at which instances said that they lead.
func (j *judgement) doubt() time.Duration {
	var most time.Duration
	for _, c := range j.r.calls {
		if c.told && (c.what == "acquire" || c.what == "release") {
			most = max(most, c.end-c.start)
		}
	}
	return most
}

// hearsay says what did not happen and would have been needed, where instances
// tell of themselves.
func (j *judgement) hearsay(took int) {
	jobs := slices.ContainsFunc(j.r.calls, func(c *call) bool { return c.what == "fire" })
	switch {
	case len(j.r.grants) == 0:
		j.reasons = append(j.reasons, "no instance said that it leads")
	case took == 0:
		j.reasons = append(j.reasons, "no instance took over from a leader to which something was done")
	case len(j.findings) > 0:
	case !jobs:
		j.reasons = append(j.reasons, "the instances told of no job, so that it is not known whether each is done once")
	case j.late["fire"] == 0 && j.header.Target.Kind == watched:
		j.reasons = append(j.reasons, "no deposed leader was seen at its job: from outside none can be stopped between its look and its job, as --scheme exec does")
	case j.late["fire"] == 0:
		j.reasons = append(j.reasons, "no deposed leader was let go on to its job while another one led: does it say `ccheck ask TICK` before it, and done or refused after?")
	}
}
