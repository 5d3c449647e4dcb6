package fenced

import (
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// jobs looks for ticks whose job was done twice, and for jobs of a leader that
// was deposed.
func (j *judgement) jobs() {
	done := map[int64]*call{}
	var twice, late *violation
	for _, c := range j.r.calls {
		g := j.r.byNumber[c.grant]
		if c.what != "fire" || !c.ok() || g == nil {
			continue
		}
		if first := done[c.tick]; first != nil {
			if twice == nil {
				twice = &violation{first: c, other: first, grants: []*grant{j.r.byNumber[first.grant], g}}
			}
			twice.count, twice.last = twice.count+1, c
		}
		done[c.tick] = c
		if h := j.successor(g, c); h != nil && h.end < j.sent(c) {
			if late == nil {
				late = &violation{first: c, grants: []*grant{g, h}}
			}
			late.count, late.last = late.count+1, c
		}
	}
	if twice != nil {
		j.add(twice.twice(j))
	}
	if late != nil {
		j.add(late.late(j))
	}
}

// sent is when the request of a call left its lane: a pause in its middle was
// before that, since a job is one request.
func (j *judgement) sent(c *call) time.Duration {
	at := c.start
	if c.told {
		return c.sent // what was told of after a pause may have been done before
	}
	for _, p := range j.r.pauses {
		if p.lane == c.lane && p.from >= c.start && p.to <= c.end {
			at = max(at, p.to)
		}
	}
	return at
}

func (v *violation) twice(j *judgement) report.Finding {
	f := v.finding(j, onceEach, "job done twice")
	a, b := v.other, v.first
	f.Message = fmt.Sprintf("the job of tick %d was done by %s and, %s later, by %s", b.tick, owner(a.lane), ms(b.end-a.end), owner(b.lane))
	f.Why = "Who leads next does not know what the one before has done. What is done once must be noted where it is done, in the same step."
	return f
}

func (v *violation) late(j *judgement) report.Finding {
	g, h := v.grants[0], v.grants[1]
	f := v.finding(j, deposed, "deposed leader acts")
	f.Message = fmt.Sprintf("%s did the job of tick %d %s after %s had been elected", owner(g.lane), v.first.tick, ms(j.sent(v.first)-h.end), owner(h.lane))
	f.Why = fmt.Sprintf("%s had looked whether it leads, and was stopped before it did the job. Only the place where the job is done can refuse it, by the token.", owner(g.lane))
	if g.session() && !g.told {
		f.Why = fmt.Sprintf("The connection of %s that had the advisory lock was gone, and with it the lock; %s went on over another one. What the leader does must go over the connection that has the lock.", owner(g.lane), owner(g.lane))
	}
	return f
}

// handover is a fault of a leader, and who took over when.
type handover struct {
	fault
	next *grant
}

// handovers are the faults that hit a leader. Who took over may have asked before
// that, and was answered after it.
func (j *judgement) handovers() []handover {
	var all []handover
	for _, f := range j.r.faults {
		if !slices.Contains([]string{"killed", "paused", "cut off", "connection cut", "broken"}, f.what) {
			continue
		}
		h := handover{fault: f}
		for _, g := range j.r.grants {
			if g.lane != f.lane && g.end > f.at && !j.between(f, g) {
				h.next = g
				break
			}
		}
		all = append(all, h)
	}
	return all
}

// between reports that what was done to the lane was over before g.
func (j *judgement) between(f fault, g *grant) bool {
	return slices.ContainsFunc(j.r.faults, func(o fault) bool {
		return o.lane == f.lane && o.at > f.at && o.at < g.start && slices.Contains([]string{"started", "resumed", "joined", "mended"}, o.what)
	})
}

// elections says what did not happen and would have been needed.
func (j *judgement) elections() {
	took := 0
	for _, h := range j.handovers() {
		if h.next != nil {
			took++
		}
	}
	if told(j.header) {
		j.hearsay(took)
		return
	}
	session := slices.ContainsFunc(j.r.grants, (*grant).session)
	switch {
	case len(j.r.grants) == 0:
		j.reasons = append(j.reasons, "no instance was ever elected")
	case took == 0:
		j.reasons = append(j.reasons, "no instance took over from a leader that was killed, paused or cut off")
	case !session && j.late["fire"] == 0 && len(j.findings) == 0:
		j.reasons = append(j.reasons, "no deposed leader tried to do its job while another one led for certain: give a longer --ttl")
	}
}

// Notes are what a person should know of a history beside its findings: what was
// tried, and how long a hand-over took.
func Notes(h *history.Header, f *history.File) []string {
	r, err := collect(f.Ops())
	if err != nil {
		return nil
	}
	j := r.look(h)
	if h.Probe == leaders {
		return j.times()
	}
	took := j.overtaken()
	all := []string{fmt.Sprintf("an owner was paused past the end of its lease %s; it then tried %s, %s and %s while a rival held the lease",
		times(took), plural(j.late["write"], "write"), plural(j.late["renew"], "renewal"), plural(j.late["release"], "release"))}
	if n := len(r.pauses) - took; n > 0 && took > 0 && r.whole {
		all = append(all, fmt.Sprintf("%s no rival could go on before the paused owner did: it was stopped with something held that others wait for, such as a transaction or the lock of a file", times(n)))
	}
	return all
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// times are the hand-over times, and the ticks that nobody did.
func (j *judgement) times() []string {
	var all []string
	for _, h := range j.handovers() {
		text := fmt.Sprintf("leader %s %s: nobody else took over", owner(h.lane), h.what)
		if h.next != nil {
			text = fmt.Sprintf("leader %s %s: %s took over after %s", owner(h.lane), h.what, owner(h.next.lane), ms(h.next.end-h.at))
		}
		all = append(all, text)
	}
	if told(j.header) {
		all = append(all, fmt.Sprintf("all times are of ccheck's own monotonic clock; when an instance said something is known to within %s", ms(j.doubt())))
	}
	done := map[int64]bool{}
	first, last := int64(1<<62), int64(0)
	for _, c := range j.r.calls {
		if c.what == "fire" && c.ok() {
			done[c.tick], first, last = true, min(first, c.tick), max(last, c.tick)
		}
	}
	if missed := last - first + 1 - int64(len(done)); last > 0 {
		all = append(all, fmt.Sprintf("%s fired, %d passed without a leader", plural(len(done), "tick"), missed))
	}
	return all
}
