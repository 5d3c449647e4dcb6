package skew

import (
	"fmt"
	"iter"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Tables tell what was read, beside the findings: the offsets, the order of the
// stamps, and the window of the token.
func Tables(ops iter.Seq2[*history.Op, error]) []report.Table {
	r, err := collect(ops)
	if err != nil {
		return nil
	}
	var all []report.Table
	if len(r.sources) > 0 {
		all = append(all, r.offsets())
	}
	if len(r.events) > 0 {
		all = append(all, r.orders())
	}
	if len(r.tries) > 0 {
		all = append(all, r.windows())
	}
	return all
}

func (r *record) offsets() report.Table {
	t := report.Table{Title: "clocks against this machine's: ahead is positive", Columns: []string{"clock", "offset", "error", "drift", "readings"}}
	for _, s := range r.sources {
		b := meet(s.readings)
		row := []string{s.name, "contradictory", "", "", fmt.Sprint(len(s.readings))}
		if !b.empty() {
			row[1], row[2] = b.middle().Round(1000).String(), "± "+brief(b.breadth())
		}
		if ppm, wrong, ok := s.drift(); ok && wrong < 1000 {
			row[3] = fmt.Sprintf("%.0f ± %.0f ppm", ppm, wrong)
		}
		t.Rows, t.Bad = append(t.Rows, row), append(t.Bad, b.empty())
	}
	return t
}

func (r *record) orders() report.Table {
	inverted := 0
	for i := 1; i < len(r.events); i++ {
		if r.events[i].stamp < r.events[i-1].stamp {
			inverted++
		}
	}
	return report.Table{
		Title: "order of two sessions by stamps, against that of the server", Columns: []string{"stamp", "events", "out of order"},
		Rows: [][]string{
			{"clock, with the lock held", fmt.Sprint(len(r.events)), fmt.Sprint(inverted)},
			{"now(), the start of the transaction", fmt.Sprint(len(r.events)), fmt.Sprint(r.starts())},
		},
		Bad: []bool{inverted > 0, false},
	}
}

func (r *record) windows() report.Table {
	t := report.Table{Title: "window of the token", Columns: []string{"side", "accepted up to", "refused from"}}
	for _, side := range []string{"past", "future"} {
		w, ok := r.window(side)
		if !ok {
			continue
		}
		row := []string{side, brief(w.accepted), brief(w.refused)}
		if w.accepted == 0 {
			row[1] = "nothing"
		}
		if w.refused == 0 {
			row[2] = "never"
		}
		t.Rows, t.Bad = append(t.Rows, row), append(t.Bad, w.refused == 0)
	}
	return t
}
