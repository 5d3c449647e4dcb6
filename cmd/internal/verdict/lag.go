package verdict

import (
	"fmt"
	"time"

	"github.com/ccheck/ccheck/analyzers/history/session"
	"github.com/ccheck/ccheck/analyzers/history/skew"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// lagging tells what is known of replicas beside the findings: how far each was
// behind, and what came of each way to read.
func lagging(sum *report.Summary, h *history.Header) {
	f, err := history.Open(sum.History)
	if err != nil {
		return // it was read a moment ago; the findings stand without
	}
	l := session.Lag(h, f.Ops())
	if l == nil {
		return
	}
	sum.Lag = l
	sum.Tables = append(sum.Tables, replicas(l))
	if len(l.Readers) > 0 {
		sum.Tables = append(sum.Tables, readers("how sessions read", l.Readers))
	}
	if len(l.Cut) == 0 {
		return
	}
	t := readers(fmt.Sprintf("while %s was cut off, for %s", l.CutName, brief(l.CutFor)), l.Cut)
	if l.CutOldest > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s went on to answer; its oldest answer was %s old", l.CutName, brief(l.CutOldest)))
	}
	t.Notes = append(t.Notes, "it refuses nothing by itself: what is refused here was a read that waited for the log in vain")
	if l.CaughtUp > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("it had caught up %s after the cut ended", brief(l.CaughtUp)))
	}
	sum.Tables = append(sum.Tables, t)
}

// clocked tells what was read of clocks beside the findings.
func clocked(sum *report.Summary) {
	if f, err := history.Open(sum.History); err == nil {
		sum.Tables = append(sum.Tables, skew.Tables(f.Ops())...)
	}
}

func replicas(l *report.Lag) report.Table {
	t := report.Table{Title: "visible lag: from the end of COMMIT to the first answer that shows it", Columns: []string{"replica", "p50", "p99", "max", "log missing", "writes", "late", "never seen"}}
	for _, s := range l.Replicas {
		t.Rows = append(t.Rows, []string{
			s.Name, brief(s.P50), brief(s.P99), brief(s.Max), fmt.Sprintf("%d B", s.Bytes),
			fmt.Sprint(s.Writes), fmt.Sprint(s.Late), fmt.Sprint(s.Never),
		})
		t.Bad = append(t.Bad, false)
	}
	return t
}

func readers(title string, all []report.LagReader) report.Table {
	t := report.Table{Title: title, Columns: []string{"from", "reads", "replica behind", "stale", "refused", "by the primary", "waited p50", "p99"}}
	for _, x := range all {
		t.Rows = append(t.Rows, []string{
			x.Name, fmt.Sprint(x.Reads), fmt.Sprint(x.Behind), fmt.Sprint(x.Stale), fmt.Sprint(x.Refused), fmt.Sprint(x.Primary), brief(x.P50), brief(x.P99),
		})
		t.Bad = append(t.Bad, x.Stale > 0)
	}
	return t
}

// brief is a time of a table: tenths of milliseconds below ten of them.
func brief(d time.Duration) string {
	if d >= 10*time.Millisecond {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
