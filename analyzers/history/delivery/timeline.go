package delivery

import (
	"fmt"
	"iter"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Most rows of each kind in a time line.
const (
	mostBad  = 3
	mostGood = 2
)

// Timeline is who had which job when, and when it was done: jobs that were lost,
// jobs that were done twice, and some that were done once beside them; nil where no
// job was ever claimed.
func Timeline(h *history.Header, ops iter.Seq2[*history.Op, error]) *report.Timeline {
	j := newJudge(h)
	for o, err := range ops {
		if err != nil {
			break // what was read is told
		}
		j.add(o)
	}
	for _, call := range j.tracker.Unfinished() {
		j.ended(call)
	}
	t := &report.Timeline{Title: "who has a job, and when it is done, in seconds, stretched where much happens"}
	var lost []*record
	if j.drained {
		lost = j.lost()
	}
	once := j.pick(func(r *record) bool { return len(r.effects) == 1 && r.deaths == 0 && !r.killed })
	for _, part := range []struct {
		jobs []*record
		most int
		what string
	}{{lost, mostBad, "lost"}, {j.twice(), mostBad, "done twice"}, {once, mostGood, ""}} {
		for _, r := range part.jobs[:min(part.most, len(part.jobs))] {
			t.Rows = append(t.Rows, r.rows(part.what)...)
		}
	}
	return bounded(t)
}

// rows are one for each worker that had the job, and one for what was done.
func (r *record) rows(what string) []report.TimeRow {
	var all []report.TimeRow
	claim := func(call *lanes.Call) {
		name := fmt.Sprintf("job %s, worker %d", r.key, call.Process)
		for i := range all {
			if all[i].Name == name {
				all[i].Spans = append(all[i].Spans, report.TimeSpan{Kind: report.Holds, From: call.Start(), To: call.Finish()})
				return
			}
		}
		all = append(all, report.TimeRow{Name: name, Spans: []report.TimeSpan{{Kind: report.Holds, From: call.Start(), To: call.Finish()}}})
	}
	for _, call := range r.holders {
		claim(call)
	}
	effects := report.TimeRow{Name: fmt.Sprintf("job %s", r.key), Note: what}
	for i, e := range r.effects {
		claim(e.call)
		effects.Marks = append(effects.Marks, report.TimeMark{At: e.txn.Stmts[0].Begin.Time, Text: "done", Bad: i > r.deaths})
	}
	if len(all) == 0 && r.produced != nil {
		effects.Note, effects.Marks = what+": no worker ever had it", []report.TimeMark{{At: r.produced.Finish(), Text: "added"}}
	} else if len(r.effects) == 0 {
		last := all[len(all)-1].Spans
		effects.Marks = []report.TimeMark{{At: last[len(last)-1].To, Text: "never done", Bad: true}}
	}
	return append(all, effects)
}

// bounded sets the bounds of a time line to what is in it.
func bounded(t *report.Timeline) *report.Timeline {
	t.From = 1 << 62
	take := func(at time.Duration) { t.From, t.To = min(t.From, at), max(t.To, at) }
	for _, r := range t.Rows {
		for _, s := range r.Spans {
			take(s.From)
			take(s.To)
		}
		for _, m := range r.Marks {
			take(m.At)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
