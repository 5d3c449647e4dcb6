// Package lag is the first screen of a run over replicas: how far each is
// behind, with its course, what came of each way to read, and what is claimed.
// It is drawn while the run goes on, too.
package lag

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/internal/chart"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// New returns the screen.
func New() screen.Screen { return screen.NewText(screen.Lag, lines) }

func lines(d screen.Data, o story.Options) []story.Line {
	var out []story.Line
	l := d.Progress.Lag
	if d.Summary != nil {
		l = d.Summary.Lag
	}
	if l != nil && len(l.Replicas) > 0 {
		out = append(append(out, series(l, o)...), story.Line{})
		out = append(out, ways("how sessions read", l.Readers, o)...)
		out = append(out, cut(l, o)...)
	}
	if d.Summary == nil {
		return append(out, screen.Running(d, "What the sessions read is judged when the run has ended.", o)...)
	}
	return append(out, screen.Outcome(d, o)...)
}

// figures is the width of the figures behind a course, and narrow the width of a
// terminal in which they stand below it.
const (
	figures = 46
	narrow  = 76
)

// series draws the course of each replica on one scale.
func series(l *report.Lag, o story.Options) []story.Line {
	var top time.Duration
	name := 2
	for _, s := range l.Replicas {
		top, name = max(top, s.Max), max(name, len(s.Name))
	}
	head := fmt.Sprintf(" visible lag, from COMMIT to readable; full height %s", o.Dur(top))
	out := screen.Wrapped(strings.TrimSpace(head), story.Strong, o)
	width := max(o.Width-name-3-figures, 8)
	if o.Width < narrow {
		width = max(o.Width-name-3, 8)
	}
	for _, s := range l.Replicas {
		row := story.Line{Segments: []story.Segment{
			{Text: fmt.Sprintf(" %-*s ", name, s.Name), Role: story.Strong},
			{Text: course(s, top, width, o), Role: story.Body},
		}}
		said := fmt.Sprintf(" p50 %s  p99 %s  max %s  %s", o.Dur(s.P50), o.Dur(s.P99), o.Dur(s.Max), story.Bytes(s.Bytes))
		if o.Width < narrow {
			out = append(out, row)
			out = append(out, screen.Wrapped(strings.TrimSpace(said), story.Muted, o)...)
			continue
		}
		row.Segments = append(row.Segments, story.Segment{Text: said, Role: story.Muted})
		out = append(out, row)
	}
	return out
}

// course is the lag in one row of that width.
func course(s report.LagSeries, top time.Duration, width int, o story.Options) string {
	values := make([]float64, len(s.Values))
	for i, v := range s.Values {
		values[i] = float64(v)
	}
	if len(values) == 0 {
		return strings.Repeat(" ", width)
	}
	// Replicas are compared, so that the greatest lag of all is the full height.
	n := min(width, len(values))
	scale := slices.Clone(values)
	for range len(values)/n + 1 { // a column of its own
		scale = append(scale, float64(top))
	}
	text := []rune(chart.Spark(scale, chart.Axis{Slots: len(scale), Width: n + 1}, o.ASCII))
	return string(text[:min(n, len(text))]) + strings.Repeat(" ", width-n)
}

// ways tells what came of each way to read, a line each.
func ways(title string, all []report.LagReader, o story.Options) []story.Line {
	if len(all) == 0 {
		return nil
	}
	out := screen.Wrapped(title, story.Strong, o)
	for _, x := range all {
		role, sign := story.Good, story.Good
		if x.Stale > 0 {
			role, sign = story.Bad, story.Bad
		}
		said := fmt.Sprintf("%s %-8s %d of %d reads stale", o.Sign(sign), x.Name, x.Stale, x.Reads)
		if x.Refused > 0 {
			said += fmt.Sprintf(", %d refused", x.Refused)
		}
		if x.Primary > 0 {
			said += fmt.Sprintf(", %d by the primary", x.Primary)
		}
		if x.P99 > 0 {
			said += ", waited " + o.Dur(x.P50) + ", p99 " + o.Dur(x.P99)
		}
		out = append(out, screen.Wrapped(said, role, o)...)
	}
	return append(out, story.Line{})
}

// cut tells of the partition.
func cut(l *report.Lag, o story.Options) []story.Line {
	if l.CutName == "" {
		return nil
	}
	out := ways(fmt.Sprintf("while %s was cut off, for %s", l.CutName, o.Dur(l.CutFor)), l.Cut, o)
	if l.CutOldest > 0 {
		out = append(out, screen.Wrapped(fmt.Sprintf("its oldest answer was %s old; it had caught up %s after the cut", o.Dur(l.CutOldest), o.Dur(l.CaughtUp)), story.Muted, o)...)
		out = append(out, story.Line{})
	}
	return out
}
