package fenced

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// finding is what all findings of a violation have.
func (v *violation) finding(j *judgement, claim, anomaly string) report.Finding {
	f := report.Finding{Severity: report.High, Claim: claim, Anomaly: anomaly, Count: v.count, First: v.first.end, Last: v.last.end}
	f.Fixes = fixes(j.header.Target.Kind, claim)
	f.Repro.Command = "ccheck " + j.header.Probe + " " + again(j.header)
	j.culprits = append(j.culprits, v.first)
	return j.story(f, v)
}

func (v *violation) stranger(j *judgement, what string) report.Finding {
	g, h := v.grants[0], v.grants[1]
	anomaly, noun, verb, follows := "stranger's release", "release", "gave back", "the next one gets in while "+owner(h.lane)+" is at work"
	if what == "renew" {
		anomaly, noun, verb, follows = "renewal after expiry", "renewal", "renewed", "both believe that they are the owner"
	}
	f := v.finding(j, onlyOwners, anomaly)
	f.Message = fmt.Sprintf("%s %s the lease on %s %s after it had ended, and %s has it: %s", owner(g.lane), verb, g.name, ms(g.lag(v.first)), owner(h.lane), follows)
	f.Why = fmt.Sprintf("%s was paused, its lease ended, and %s has it with token %s. The store accepted the %s of %s all the same: it did not ask for the owner and the token.",
		owner(g.lane), owner(h.lane), h.token, noun, owner(g.lane))
	return f
}

func (v *violation) twoOwners(j *judgement) report.Finding {
	g, h := v.grants[0], v.grants[1]
	claim, anomaly := oneOwner, "two owners"
	if j.header.Probe == leaders {
		claim, anomaly = oneLeader, "two leaders"
	}
	f := v.finding(j, claim, anomaly)
	left := g.over(h.start) - h.end
	f.Message = fmt.Sprintf("%s and %s both have the lease on %s: %s took it %s before that of %s ends", owner(g.lane), owner(h.lane), h.name, owner(h.lane), ms(left), owner(g.lane))
	if g.session() {
		f.Message = fmt.Sprintf("%s and %s both have the lock on %s", owner(g.lane), owner(h.lane), h.name)
		f.Why = fmt.Sprintf("The lock is that of the session of %s, to which nothing had happened.", owner(g.lane))
		return f
	}
	f.Why = fmt.Sprintf("%s asked for %s and has not given it back. Whether a lease has ended must be judged by the store's own clock, in the step that gives it to the next one; the clocks of the owners differ.", owner(g.lane), ms(g.ttl))
	return f
}

func (v *violation) token(j *judgement) report.Finding {
	g, h := v.grants[0], v.grants[1]
	anomaly, why := "token does not grow", "Tokens that are drawn by lot, or read off a clock, are in no order; only a counter at the store that is never set back is."
	restarted := slices.ContainsFunc(j.r.restarts, func(at time.Duration) bool { return g.end < at && at < h.start })
	switch {
	case restarted:
		anomaly, why = "token starts over", "The counter is gone with the process, or with the key that held it. The resource has seen greater tokens: it refuses the new owner, or, where it does not compare, takes what the old one still sends."
	case !less(h.token, "18446744073709551615"):
		why = fmt.Sprintf("%q is no whole number, so that the resource cannot tell the earlier from the later.", h.token)
	}
	f := v.finding(j, growing, anomaly)
	when := ""
	if restarted {
		when = " after a restart"
	}
	f.Message = fmt.Sprintf("%s got the lease on %s with token %s%s, and %s had it before with token %s: the resource cannot tell who is late", owner(h.lane), h.name, h.token, when, owner(g.lane), g.token)
	f.Why = why
	return f
}

func (v *violation) lateWrite(j *judgement) report.Finding {
	g, h := v.grants[0], v.grants[1]
	f := v.finding(j, lateWrite, "late write accepted")
	f.Message = fmt.Sprintf("the resource took the write of %s %s after its lease had ended, over that of %s: %s = %s is gone",
		owner(g.lane), ms(g.lag(v.first)), owner(h.lane), v.other.key, v.other.value)
	f.Why = fmt.Sprintf("%s was paused until its lease was over and did not know. The resource had taken a write with token %s and must refuse one with token %s; a lock alone cannot stop it.", owner(g.lane), h.token, g.token)
	if v.other.end > v.first.start && j.compared() {
		f.Why = fmt.Sprintf("%s was paused between the comparison of its token %s and the write: in that gap %s wrote with token %s. Compared and written must be in one step at the resource.", owner(g.lane), g.token, owner(h.lane), h.token)
	}
	f.After = fmt.Sprintf("%s = %s, by %s with token %s", v.first.key, v.first.value, owner(g.lane), g.token)
	f.Expected = fmt.Sprintf("%s = %s, by %s with token %s", v.other.key, v.other.value, owner(h.lane), h.token)
	return f
}

// compared reports that a late write was refused somewhere: tokens are compared,
// though not in the step that writes.
func (j *judgement) compared() bool {
	return slices.ContainsFunc(j.r.calls, func(c *call) bool {
		g := j.r.byNumber[c.grant]
		return c.what == "write" && c.outcome == history.Refused && g != nil && j.successor(g, c) != nil
	})
}

func (v *violation) refused(j *judgement) report.Finding {
	g := v.grants[0]
	f := v.finding(j, growing, "owner's write refused")
	f.Severity = report.Medium
	f.Message = fmt.Sprintf("%s holds the lease on %s with token %s, and the resource refuses its write: nobody can work", owner(g.lane), g.name, g.token)
	f.Why = "The resource has seen a greater token than the one that the owner was given."
	return f
}

func owner(lane int) string {
	if lane < 0 {
		return "ccheck"
	}
	if lane < 3 {
		return string(rune('A' + lane))
	}
	return fmt.Sprintf("client %d", lane-3)
}

func ms(d time.Duration) string {
	if d >= 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// again are the arguments that make the run once more.
func again(h *history.Header) string {
	text := ""
	for _, p := range []string{"backend", "scheme", "plant", "ttl"} {
		if v := h.Param(p); v != "" {
			text += "--" + p + " " + v + " "
		}
	}
	return fmt.Sprintf("%s--seed %d", text, h.Seed)
}

// story tells the calls of the owners from the earlier acquisition to what went
// wrong and the read after it. A lane that asks again and again is told once.
func (j *judgement) story(f report.Finding, v *violation) report.Finding {
	from, to := v.grants[0].start, v.first.end
	for _, c := range j.r.calls {
		if c.what == "read" && c.start >= to && c.key == v.first.key && v.first.key != "" {
			to = c.end
			break
		}
	}
	var in []*call
	for _, c := range j.r.calls {
		if c.end >= from && c.start <= to && c.end <= to && j.told(c, v) {
			in = append(in, c)
		}
	}
	slices.SortStableFunc(in, func(a, b *call) int { return cmp.Compare(a.start, b.start) })
	t := teller{j: j, f: &f, lanes: map[int]int{}}
	t.seats(in)
	for i := 0; i < len(in); {
		n := refusedRun(in[i:])
		if n == 0 {
			t.step(in[i], in[i], 1)
			i++
			continue
		}
		t.waits(in[i : i+n])
		i += n
	}
	t.deps(v)
	return f
}

// told reports whether a call is about the lease or the resource of the story. An
// instance that is asked says again and again that it leads.
func (j *judgement) told(c *call, v *violation) bool {
	if c.told && c.what == "renew" {
		return false
	}
	return c.name == v.grants[0].name || c.what == "read"
}

// refusedRun is the number of refused acquisitions in a row.
func refusedRun(calls []*call) int {
	n := 0
	for n < len(calls) && calls[n].what == "acquire" && calls[n].outcome == history.Refused {
		n++
	}
	return n
}

// teller writes the steps.
type teller struct {
	j     *judgement
	f     *report.Finding
	lanes map[int]int // by process
	calls []*call     // of the steps
}

// seats gives the lanes their places, in the order of their names.
func (t *teller) seats(calls []*call) {
	for _, c := range calls {
		t.lanes[c.lane] = 0
	}
	what := "owner"
	if t.j.header.Probe == leaders {
		what = "instance"
	}
	for i, process := range slices.Sorted(maps.Keys(t.lanes)) {
		t.lanes[process] = i
		t.f.Lanes = append(t.f.Lanes, report.Lane{Name: owner(process), Detail: what})
	}
}

// waits tells a lane that asks again and again once.
func (t *teller) waits(calls []*call) {
	for i, c := range calls {
		same := func(o *call) bool { return o.lane == c.lane }
		if slices.ContainsFunc(calls[:i], same) {
			continue
		}
		n, last := 0, c
		for _, o := range calls {
			if same(o) {
				n, last = n+1, o
			}
		}
		t.step(c, last, n)
	}
}

func (t *teller) step(c, last *call, n int) {
	s := report.Step{Lane: t.lanes[c.lane], Start: c.start, End: last.end, Text: words(c)}
	if n > 1 {
		s.Wait = fmt.Sprintf("asks %d times, %s", n, ms(last.end-c.start))
	}
	for _, p := range t.j.r.pauses {
		if p.lane == c.lane && p.from >= c.start && p.to <= c.end {
			s.Wait = "paused for " + ms(p.to-p.from)
			t.add(nil, s)
			s.Wait, s.Start, s.Text = "", p.to, "goes on: "+s.Text
		}
	}
	s.Result = answer(c)
	switch {
	case c.what == "read":
		s.Read, s.Result = c.key+" = "+cmp.Or(c.value, "nothing"), ""
	case c.what == "write" && c.ok():
		s.Wrote = c.key + " = " + c.value
	}
	t.add(c, s)
}

// add keeps the steps in the order of their beginning: what goes on after a pause
// comes late.
func (t *teller) add(c *call, s report.Step) {
	i := len(t.f.Steps)
	for i > 0 && t.f.Steps[i-1].Start > s.Start {
		i--
	}
	t.f.Steps, t.calls = slices.Insert(t.f.Steps, i, s), slices.Insert(t.calls, i, c)
}

// deps draws what a late write overwrote.
func (t *teller) deps(v *violation) {
	if v.other == nil {
		return
	}
	at, by := slices.Index(t.calls, v.other), slices.Index(t.calls, v.first)
	if at >= 0 && by >= 0 && at < by {
		t.f.Steps[by].Deps = append(t.f.Steps[by].Deps, report.Dep{From: at, Kind: "ww"})
	}
}

func words(c *call) string {
	switch c.what {
	case "acquire":
		if c.ttl < 0 {
			return "acquire " + c.name
		}
		return fmt.Sprintf("acquire %s for %s", c.name, ms(c.ttl))
	case "write":
		return fmt.Sprintf("write %s = %s with token %s", c.key, c.value, c.token)
	case "read":
		return "read " + c.key
	case "fire":
		return fmt.Sprintf("do the job of tick %d with token %s", c.tick, c.token)
	}
	return fmt.Sprintf("%s %s with token %s", c.what, c.name, c.token)
}

// refusals are what a refusal of each call means.
var refusals = map[string]string{
	"acquire": "refused: somebody holds it", "renew": "refused: lost", "release": "refused: lost", "write": "refused: a later owner was here",
	"fire": "refused: done, or a later leader was here",
}

func answer(c *call) string {
	switch c.outcome {
	case history.Refused:
		return refusals[c.what]
	case history.Accepted:
		if c.what == "acquire" {
			return "ok, token " + c.token
		}
		return "ok"
	}
	return "no answer: " + c.why
}
