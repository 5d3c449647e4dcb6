package once

import (
	"fmt"
	"iter"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Timeline is how often each call was tried in the rounds in which something went
// wrong, each from the beginning of its call; nil where there was none.
func Timeline(h *history.Header, ops iter.Seq2[*history.Op, error]) *report.Timeline {
	j := &judge{header: h, tracker: lanes.NewTracker(h)}
	for o, err := range ops {
		if err != nil {
			break // what was read is told
		}
		j.add(o)
	}
	j.close()
	t := &report.Timeline{Title: "the tries of each call, in seconds since it began, stretched where much happens"}
	for _, s := range j.calls {
		for _, r := range s.faults {
			if row, to := s.row(r, len(j.calls) > 1); len(row.Spans) > 0 {
				t.Rows = append(t.Rows, row)
				t.To = max(t.To, to)
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// row is one round: a span for each transaction, and what came of it.
func (s *subject) row(r *round, named bool) (row report.TimeRow, to time.Duration) {
	row.Name = r.fault
	if named {
		row.Name = s.name + " " + r.fault
	}
	var zero time.Duration
	tries := 0
	for _, t := range r.txns {
		if len(t.Stmts) == 0 {
			continue
		}
		if tries++; tries == 1 {
			zero = t.Stmts[0].Begin.Time
		}
		from, end := t.Stmts[0].Begin.Time-zero, finished(t)-zero
		kind := report.Undone
		if t.State == lanes.Committed {
			kind = report.Commits
		}
		row.Spans = append(row.Spans, report.TimeSpan{Kind: kind, From: from, To: max(end, from+time.Microsecond)})
		to = max(to, end, from+time.Microsecond)
	}
	if len(s.calm) > 1 && s.double != nil {
		row.Note = fmt.Sprintf("%s; the caller was told %s; %s", tried(tries), said(r), shares(s.amounts(r)))
	}
	return row, to
}

func tried(n int) string {
	if n == 1 {
		return "1 transaction"
	}
	return fmt.Sprintf("%d transactions", n)
}

// finished is when the last statement of a transaction had its answer.
func finished(t *lanes.Txn) (at time.Duration) {
	for i := range t.Stmts {
		at = max(at, t.Stmts[i].Begin.Time)
		if end := t.Stmts[i].End; end != nil {
			at = max(at, end.Time)
		}
	}
	return at
}
