package session

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// tell writes the sentence and the story of a read that is stale.
func (j *judgement) tell(f *report.Finding, e *event, n, of int) {
	share := fmt.Sprintf("%d of %d reads", n, of)
	switch e.kind {
	case own:
		f.Message = fmt.Sprintf("%s wrote version %d and then read version %d from %s: its own write is not there (%s)", e.session, e.expects, e.version, e.from, share)
		f.Why = "COMMIT on the primary does not wait until the replica has replayed it. What the user just saved is missing on the next page, and is done again."
	case read:
		f.Message = fmt.Sprintf("%s had read version %d and then got version %d from %s: it read backwards (%s)", e.session, e.expects, e.version, e.from, share)
		f.Why = "Two servers that answer the same session have replayed the log to different places. What was there at one click is gone at the next."
	case cause:
		f.Message = fmt.Sprintf("%s knew of version %d from another session and got version %d from %s: the cause of what it saw is not there (%s)", e.session, e.expects, e.version, e.from, share)
		f.Why = "A message, or a row on another server, came faster than the log. A worker that is told of a new order does not find it."
	case money:
		share = fmt.Sprintf("%d of %d payments", n, of)
		f.Message = fmt.Sprintf("%s paid %d though the balance was %d: %s still showed %d (%s)", e.session, e.amount, e.after+e.amount, e.from, e.seen, share)
		f.Why = "The balance that was read from the replica is of before the payment, and the write on the primary does not look at the balance again."
		f.Before, f.After = fmt.Sprintf("balance %d", e.after+e.amount), fmt.Sprintf("balance %d", e.after)
		f.Expected = fmt.Sprintf("balance %d, the payment refused", e.after+e.amount)
	}
	j.steps(f, e)
}

// steps tell where the version comes from, the read, and when the replica had it.
func (j *judgement) steps(f *report.Finding, e *event) {
	t := &teller{f: f, lanes: map[string]int{}, where: " on the primary", replica: "replica"}
	if j.header.Target.Kind == "http" {
		t.where, t.replica = "", "as a stranger sees it"
	}
	for _, c := range j.causes(e) {
		t.step(c)
	}
	t.step(e)
	s := j.r.byPlace[place{e.from, e.key, e.expects}]
	if s == nil {
		return
	}
	lane := t.lane(e.from, t.replica)
	step := report.Step{Lane: lane, Start: s.visible, End: s.visible, Text: fmt.Sprintf("shows version %d", e.expects), Result: "visible " + ms(s.lag()) + " after COMMIT"}
	if s.visible == 0 {
		step.Start, step.End, step.Text, step.Result = j.r.last, j.r.last, fmt.Sprintf("has not shown version %d when the run ends", e.expects), ""
	}
	if s.bytes > 0 {
		step.Result += fmt.Sprintf(", %d bytes of log were missing", s.bytes)
	}
	f.Steps = append(f.Steps, step)
	slices.SortStableFunc(f.Steps, func(a, b report.Step) int { return cmp.Compare(a.Start, b.Start) })
}

// causes are what the session knows the version from: the write of it, and how it
// came to know.
func (j *judgement) causes(e *event) []*event {
	var write, link *event
	for _, c := range j.r.events {
		if c.end > e.start || c.policy != e.policy {
			continue
		}
		switch {
		case e.kind == money:
			if c.lane == e.lane && c.what == "pay" && c.paid {
				write = c
			}
		case c.what == "write" && c.key == e.key && c.version == e.expects:
			write = c
		case c.lane == e.lane && c.key == e.key && c.version == e.expects && (c.what == "told" || c.what == "read"):
			link = c
		case e.kind == cause && link == nil && c.lane == e.lane && c.what == "read" && write != nil && c.start > write.end:
			link = c
		}
	}
	var all []*event
	for _, c := range []*event{write, j.writer(e, link), link} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

// writer is the write of another key that the session read, by one who knew of
// the version.
func (j *judgement) writer(e, link *event) *event {
	if link == nil || link.key == e.key {
		return nil
	}
	for _, c := range j.r.events {
		if c.what == "write" && c.key == link.key && c.version == link.version {
			return c
		}
	}
	return nil
}

// teller writes the steps.
type teller struct {
	f     *report.Finding
	lanes map[string]int
	// where a write goes, and what the last lane is: an application has no servers
	// that are known.
	where, replica string
}

func (t *teller) lane(name, detail string) int {
	if i, ok := t.lanes[name]; ok {
		return i
	}
	t.lanes[name] = len(t.f.Lanes)
	t.f.Lanes = append(t.f.Lanes, report.Lane{Name: name, Detail: detail})
	return t.lanes[name]
}

func (t *teller) step(e *event) {
	s := report.Step{Lane: t.lane(e.session, "session"), Start: e.start, End: e.end}
	switch e.what {
	case "write":
		s.Text, s.Wrote = "writes "+e.key+t.where, fmt.Sprintf("version %d", e.version)
		s.Result = "COMMIT ok"
		if e.lsn != "" {
			s.Result += ", log at " + e.lsn
		}
	case "told":
		s.Text = fmt.Sprintf("is told of %s, version %d", e.key, e.version)
	case "read":
		s.Text, s.Read = fmt.Sprintf("reads %s from %s", e.key, e.from), fmt.Sprintf("version %d", e.version)
		if e.stale {
			s.Read += fmt.Sprintf(", knows of %d", e.expects)
		}
	case "pay":
		s.Text, s.Read = fmt.Sprintf("reads the balance from %s, pays %d on the primary", e.from, e.amount), fmt.Sprintf("balance %d", e.seen)
		s.Wrote, s.Result = fmt.Sprintf("balance %d", e.after), "COMMIT ok"
	}
	t.f.Steps = append(t.f.Steps, s)
}

// ms is a time for people: milliseconds with a digit below ten.
func ms(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
