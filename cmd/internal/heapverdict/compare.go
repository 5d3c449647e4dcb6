package heapverdict

import (
	"fmt"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
	"github.com/ccheck/ccheck/tui/story"
)

// Compare says what became of the leaks of a run from before a fix. It changes
// the verdict in one direction only: a leak that is not proven gone keeps it from
// being clean.
func (v *Verdict) Compare(before *report.Heap) {
	t := report.Table{Title: "since the base", Columns: []string{"leak", "owner", "each snapshot before", "now", "result"}}
	now := &v.Result.Heap
	for _, old := range before.Growths {
		if old.Verdict != report.Leak {
			continue
		}
		found := match(now.Growths, old)
		result, bad := became(old, found)
		rate := "-"
		if found != nil {
			rate = slope(*found)
		}
		t.Rows, t.Bad = append(t.Rows, []string{old.Name, old.Owner, slope(old), rate, result}), append(t.Bad, bad)
	}
	if len(t.Rows) == 0 {
		v.Summary.Notes = append(v.Summary.Notes, "the base found no leak: there is nothing to verify")
	}
	if fewer := len(now.Points) < len(before.Points); fewer && v.Result.Verdict == report.Clean {
		t.Notes = append(t.Notes, fmt.Sprintf("%d snapshots now, %d before", len(now.Points), len(before.Points)))
	}
	v.Summary.Tables = append([]report.Table{t}, v.Summary.Tables...)
}

// match finds the same leak in another run: the same class or function, in the
// same place where that is known.
func match(gs []report.Growth, old report.Growth) *report.Growth {
	var best *report.Growth
	for i := range gs {
		g := &gs[i]
		if g.Name != old.Name || g.Unit != old.Unit {
			continue
		}
		if best == nil || g.Owner == old.Owner {
			best = g
		}
	}
	return best
}

// became is what became of a leak.
func became(old report.Growth, now *report.Growth) (string, bool) {
	switch {
	case now == nil:
		return "gone: it does not grow any more", false
	case now.Verdict == report.Leak && now.Slope < 0.5*old.Slope:
		return "slower, and still there", true
	case now.Verdict == report.Leak:
		return "still there", true
	case now.Verdict == report.Growing:
		return "not proven gone: " + now.Why, true
	case now.Verdict == report.Bounded:
		return "gone: bounded at " + last(now), false
	}
	return "gone", false
}

func last(g *report.Growth) string {
	if len(g.Counts) == 0 {
		return "?"
	}
	if g.Unit == string(series.Samples) {
		return story.Bytes(g.Bytes)
	}
	return fmt.Sprint(g.Counts[len(g.Counts)-1])
}
