package fenced

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Timeline is who held the lease while an owner was late: the part with the first
// finding, or the first in which a rival took over. It is nil where there is none.
func Timeline(h *history.Header, ops iter.Seq2[*history.Op, error]) *report.Timeline {
	r, err := collect(ops)
	if err != nil || len(r.grants) == 0 {
		return nil
	}
	j := r.look(h)
	from, to := j.scene()
	if to == 0 {
		return nil
	}
	t := &report.Timeline{Title: "who holds the lease, in seconds, stretched where much happens", From: from, To: to}
	writes := report.TimeRow{Name: "writes"}
	if h.Probe == leaders {
		t.Title, writes.Name = "who leads, in seconds, stretched where much happens", "jobs"
	}
	tokens, silent := []string(nil), ""
	for _, lane := range r.owners() {
		row := report.TimeRow{Name: owner(lane)}
		j.spans(&row, lane, from, to)
		t.Rows = append(t.Rows, row)
	}
	for _, c := range r.calls {
		if c.start < from || c.end > to {
			continue
		}
		switch {
		case c.what == "write" || c.what == "fire":
			if c.outcome == history.Unknown {
				silent = ", ? no answer"
			}
			writes.Marks = append(writes.Marks, j.mark(c))
		case c.what == "acquire" && c.ok():
			tokens = append(tokens, owner(c.lane)+" "+c.token)
		}
	}
	writes.Note = "+ taken, - refused" + silent + "; tokens " + strings.Join(tokens, ", ")
	t.Rows = append(t.Rows, writes)
	return t
}

// mark is what the resource said to a write or a job.
func (j *judgement) mark(c *call) report.TimeMark {
	m := report.TimeMark{At: c.end, Text: c.value, Bad: slices.Contains(j.culprits, c)}
	if c.what == "fire" {
		m.Text = fmt.Sprintf("%s:%d", owner(c.lane), c.tick)
	}
	switch c.outcome {
	case history.Accepted:
		m.Text += "+"
	case history.Unknown:
		m.Text += "?"
	default:
		m.Text += "-"
	}
	return m
}

// scene is the stretch to show: from the acquisition that a late call stands on
// to the end of what its owner tries.
func (j *judgement) scene() (from, to time.Duration) {
	g := j.stage
	if g == nil && len(j.culprits) > 0 {
		g = j.r.byNumber[j.culprits[0].grant]
	}
	for _, p := range j.r.pauses {
		for _, own := range j.r.grants {
			if g == nil && own.lane == p.lane && own.end < p.from && slices.ContainsFunc(j.r.after(own), func(h *grant) bool { return h.end < p.to }) {
				g = own
			}
		}
	}
	if g == nil {
		return 0, 0
	}
	from, to = g.start, g.end
	for _, h := range j.r.after(g) {
		if h.lane == g.lane {
			break
		}
		to = max(to, h.end, h.last(j.r))
	}
	return from, max(to, g.last(j.r))
}

// last is the end of the last call on the acquisition.
func (g *grant) last(r *record) time.Duration {
	at := g.end
	for _, c := range r.calls {
		if c.grant == g.number() {
			at = max(at, c.end)
		}
	}
	return at
}

func (g *grant) number() int64 { return g.call.grant }

// spans fills the row of a lane: what it holds, when it is paused, and what it
// does after its time.
func (j *judgement) spans(row *report.TimeRow, lane int, from, to time.Duration) {
	add := func(kind report.SpanKind, a, b time.Duration) {
		if a, b = max(a, from), min(b, to); a < b {
			row.Spans = append(row.Spans, report.TimeSpan{Kind: kind, From: a, To: b})
		}
	}
	for _, c := range j.r.calls {
		if c.lane == lane && c.what == "acquire" && !c.ok() && c.name == j.r.names[0] {
			add(report.Waits, c.start, c.end)
		}
	}
	late, end := time.Duration(0), "its deadline"
	for _, g := range j.r.byName[j.r.names[0]] {
		if g.lane != lane {
			continue
		}
		over, last := j.drawn(g, to), g.last(j.r)
		if g.session() {
			end = "its session had ended"
		}
		if len(g.releases) > 0 {
			over = min(over, g.releases[0].end)
		}
		add(report.Holds, g.end, over)
		add(report.Believes, over, last)
		if last > over && g.start >= from && last <= to {
			late = max(late, last-over)
		}
	}
	for _, p := range j.r.pauses {
		if p.lane == lane {
			add(report.Paused, p.from, p.to)
		}
	}
	if late > 0 {
		row.Note = fmt.Sprintf("acts until %s after %s", ms(late), end)
	}
}

// drawn is the end of an acquisition as it is drawn. A session that was cut off
// may have ended then, and has for certain once a rival gets the lock.
func (j *judgement) drawn(g *grant, to time.Duration) time.Duration {
	if !g.session() || g.told {
		return g.over(to)
	}
	for _, h := range j.r.after(g) {
		if h.lane != g.lane {
			return h.start
		}
	}
	return to
}
