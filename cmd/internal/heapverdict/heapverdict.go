// Package heapverdict is what the commands that judge heaps share: the way from
// a series of snapshots to findings, a summary and an exit code.
package heapverdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/history/heapgrowth"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/heap"
	"github.com/ccheck/ccheck/probes/heap/series"
	"github.com/ccheck/ccheck/tui/story"
)

// Verdict is the result of a run over a heap.
type Verdict struct {
	Result  heapgrowth.Result
	Summary report.Summary
}

// Run is the head of a run. How says what was done: diff, watch, verify.
func Run(how, server, target string, started time.Time) report.Run {
	return report.Run{
		ID: "heap-" + started.UTC().Format("20060102-150405"), Tool: build.Read().String(), Probe: heap.Probe.Name, Scenario: how, Title: "Heap",
		Target: target, Server: server, Started: started,
	}
}

// Judge judges a series.
func Judge(s *series.Series, started time.Time) *Verdict {
	v := &Verdict{Result: heapgrowth.Judge(s)}
	res := &v.Result
	v.Summary = report.Summary{
		Verdict: res.Verdict, Reasons: res.Reasons, Notes: append(s.Notes, res.Notes...), Heap: &res.Heap,
		Tables: tables(&res.Heap),
	}
	took := max(time.Since(started), 1)
	v.Summary.Final = report.Progress{Phase: "done", Elapsed: took}
	v.Summary.Line = line(v, took)
	return v
}

// Error gives an error of a file its code and its mend.
func Error(err error) error {
	var file *heap.FileError
	if errors.As(err, &file) {
		return exit.Failedf("%w", err).WithHint("%s", file.Hint)
	}
	return err
}

// Server names the kind of heap.
func Server(s *series.Series) string {
	if s.Language == series.V8 {
		return "a V8 heap"
	}
	return "a Go heap"
}

// Tell hands the verdict to a sink that was told the run.
func (v *Verdict) Tell(to report.Sink) error {
	for _, f := range v.Result.Findings {
		if err := to.Add(f); err != nil {
			return err
		}
	}
	return to.End(v.Summary)
}

// Status ends the command: 1 for a leak, 4 for what cannot be told.
func (v *Verdict) Status() error {
	switch v.Result.Verdict {
	case report.Faulty:
		return exit.Status(exit.Findings)
	case report.Unknown:
		return exit.Status(exit.Unknown)
	}
	return nil
}

// line is the last line of the output, made for grep.
func line(v *Verdict, took time.Duration) string {
	h := v.Result.Heap
	var words []string
	for _, kind := range []report.GrowthVerdict{report.Leak, report.Growing, report.Bounded} {
		n := 0
		for _, g := range h.Growths {
			if g.Verdict == kind {
				n++
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, kind))
		}
	}
	if len(words) == 0 {
		words = []string{"nothing grew"}
	}
	state := ""
	if v.Result.Verdict == report.Unknown {
		state = "unknown: "
	}
	first, last := h.Points[0], h.Points[len(h.Points)-1]
	return fmt.Sprintf("ccheck: %s%s in %d snapshots, %s → %s, %.1fs", state, strings.Join(words, ", "), len(h.Points),
		story.Bytes(first.Bytes), story.Bytes(last.Bytes), took.Seconds())
}

// tables are what a person looks at first: what grew, and the heap as a whole.
func tables(h *report.Heap) []report.Table {
	t := report.Table{Title: "what grew", Columns: []string{"verdict", "class or function", "count", "each snapshot", "a request", "keeps", "share", "owner"}}
	asked := slices.ContainsFunc(h.Growths, func(g report.Growth) bool { return g.PerRequest != 0 })
	for _, g := range h.Growths {
		word, _ := story.GrowthWord(g.Verdict)
		row := []string{word, g.Name, story.Counted(g), slope(g), "-", "-", "-", g.Owner}
		if g.PerRequest != 0 {
			row[4] = fmt.Sprintf("%+.3g", g.PerRequest)
		}
		if g.Bytes > 0 {
			row[5] = "+" + story.Bytes(g.Bytes)
		}
		if g.Share > 0 {
			row[6] = fmt.Sprintf("%.0f %%", 100*g.Share)
		}
		if row[7] == "" {
			row[7] = g.Why
			if g.Verdict == report.Leak {
				row[7] = g.Kind
			}
		}
		if !asked {
			row = slices.Delete(row, 4, 5)
		}
		t.Rows, t.Bad = append(t.Rows, row), append(t.Bad, g.Verdict == report.Leak)
	}
	if !asked {
		t.Columns = slices.Delete(t.Columns, 4, 5)
	}
	if h.Folded > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("noise: %d more", h.Folded))
	}
	if h.Explained > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("the leaks explain %.0f %% of the growth of the heap", 100*h.Explained))
	}
	if h.Full > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("at %s a minute, %s (%s) is reached in %s (%s to %s)", story.Bytes(int64(h.PerMinute)),
			story.Bytes(h.Limit), h.LimitName, rough(h.Full), rough(h.FullFrom), rough(h.FullTo)))
	}
	if h.Collector == nil {
		return []report.Table{t, points(h)}
	}
	return []report.Table{t, points(h), collected(h.Collector)}
}

func slope(g report.Growth) string {
	if g.Unit == string(series.Samples) || g.Unit == "bytes" {
		return "+" + story.Bytes(int64(g.Slope))
	}
	return fmt.Sprintf("%+.4g", g.Slope)
}

// points is a row for each snapshot.
func points(h *report.Heap) report.Table {
	t := report.Table{Title: "snapshots", Columns: []string{"snapshot", "live", "objects"}}
	gc := false
	for _, p := range h.Points {
		gc = gc || p.GCs > 0
	}
	if gc {
		t.Columns = append(t.Columns, "GCs", "pause p50", "p99", "max", "of the time")
	}
	o := story.Options{}
	for _, p := range h.Points {
		row := []string{p.Name, story.Bytes(p.Bytes), fmt.Sprint(p.Objects)}
		if gc {
			row = append(row, fmt.Sprint(p.GCs), o.Dur(p.PauseP50), o.Dur(p.PauseP99), o.Dur(p.PauseMax), fmt.Sprintf("%.2f %%", 100*p.Paused))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func rough(d time.Duration) string {
	switch {
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
