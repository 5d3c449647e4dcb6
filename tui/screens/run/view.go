package run

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/internal/chart"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

const (
	twoCharts = 80 // columns from which both charts stand side by side
	minChart  = 7  // lines of a chart with title, marks and axis
	maxChart  = 11
)

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	switch {
	case f.Compact:
		return s.compact(d, f)
	case s.zoomed:
		return s.pane(d, f)
	}
	out := facts(d, f)
	out = append(out, f.Sheet.Role(story.Muted, strings.Repeat(f.Glyph("─", "-"), f.Width)))
	rest := f.Height - len(out)
	chartRows := 0
	if timed(d.Progress) || d.Progress.Phase == "" {
		chartRows = min(max(rest/3, minChart), maxChart)
		out = append(out, s.viewCharts(d, f, chartRows)...)
	}
	claimRows := min(len(claimStates(d))+1, max((rest-chartRows)/2, 3))
	out = append(out, s.viewClaims(d, f, claimRows)...)
	return append(out, s.viewTicker(d, f, f.Height-len(out))...)
}

// pane draws the focused pane alone.
func (s *Screen) pane(d screen.Data, f screen.Frame) []string {
	switch s.focus {
	case claims:
		return s.viewClaims(d, f, f.Height)
	case charts:
		return s.viewCharts(d, f, f.Height)
	}
	return s.viewTicker(d, f, f.Height)
}

// compact is the run on a small terminal: counts, one sparkline, what is wrong.
func (s *Screen) compact(d screen.Data, f screen.Frame) []string {
	p := d.Progress
	if !timed(p) {
		out := fitting(f.Width-1, f.Story.Count(p.Accepted)+" accepted", f.Story.Count(p.Refused)+" refused", f.Story.Count(p.Failed)+" failed")
		return s.below([]string{" " + out}, d, f)
	}
	out := []string{
		fmt.Sprintf(" %s/s  p50 %s  p99 %s", f.Story.Count(int64(p.Rate+0.5)), f.Story.Dur(p.P50), f.Story.Dur(p.P99)),
	}
	a := chart.Axis{Slots: len(p.Throughput), Total: chart.Expect(p.Total, p.Slot), Width: max(f.Width-2, 1)}
	out = append(out, " "+f.Sheet.Chart.Render(chart.Spark(p.Throughput, a, f.Story.ASCII)))
	return s.below(out, d, f)
}

// below puts claims and violations under the counts of a small terminal.
func (s *Screen) below(out []string, d screen.Data, f screen.Frame) []string {
	rest := f.Height - len(out)
	claimRows := min(len(claimStates(d))+1, max(rest/2, 2))
	out = append(out, s.viewClaims(d, f, claimRows)...)
	return append(out, s.viewTicker(d, f, f.Height-len(out))...)
}

// facts are the counts above the charts.
func facts(d screen.Data, f screen.Frame) []string {
	p, o := d.Progress, f.Story
	room := f.Width - len(" evidence  ")
	calls := fitting(room, append([]string{o.Count(p.Accepted) + " accepted", o.Count(p.Refused) + " refused", o.Count(p.Failed) + " failed"}, speed(d, f)...)...)
	out := []string{f.Sheet.Role(story.Strong, " calls     ") + calls}
	if len(p.Errors) > 0 {
		out = append(out, f.Sheet.Role(story.Strong, " errors    ")+f.Sheet.Role(story.Warn, o.Counts(p.Errors)))
	}
	return append(out, f.Sheet.Role(story.Strong, " evidence  ")+evidence(d, f, room))
}

// timed reports whether calls are timed: of a run that leads its lanes step by step
// neither rate nor latency means anything.
func timed(p report.Progress) bool { return p.Max > 0 || len(p.Throughput) > 0 }

// speed is how fast the calls are, where that is measured.
func speed(d screen.Data, f screen.Frame) []string {
	p, o := d.Progress, f.Story
	if !timed(p) {
		return nil
	}
	return []string{o.Count(int64(p.Rate+0.5)) + "/s", "p99 " + o.Dur(p.P99), "p50 " + o.Dur(p.P50), "max " + o.Dur(p.Max), o.Count(p.Retries) + " retries"}
}

// fitting joins as many of the parts as fit into width cells; the first come first.
func fitting(width int, parts ...string) string {
	line := ""
	for _, p := range parts {
		next := join(line, p)
		if ansi.StringWidth(next) > width {
			break
		}
		line = next
	}
	return line
}

// evidence says how hard the run tries, the judge's word first. The judge has
// none before the end, and knows alone which transactions met.
func evidence(d screen.Data, f screen.Frame, room int) string {
	e, o := d.Progress.Evidence, f.Story
	role, verdict := story.Warn, report.Unknown
	if d.Summary != nil {
		verdict = d.Summary.Verdict
	}
	if e.Enough {
		role = story.Good
	}
	word := ansi.Truncate(o.Contention(e, verdict), room, f.Glyph("…", "..."))
	counts := []string{o.Count(e.Overlaps) + " overlaps"}
	if d.Summary == nil && !e.Enough {
		role, word, counts = story.Muted, "judged at the end", nil
	}
	said := fitting(room-ansi.StringWidth(word)-2, append(counts, o.Count(e.LockWaits)+" lock waits",
		o.Count(e.Conflicts)+" conflicts", size(d.Progress.Recorded)+" recorded")...)
	return join(f.Sheet.Role(role, word), said)
}

// size writes bytes with a decimal unit.
func size(n int64) string {
	v, unit := float64(n), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB"} {
		if v < 1000 {
			break
		}
		v, unit = v/1000, u
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}

// viewClaims draws the claims in height lines, the title included.
func (s *Screen) viewClaims(d screen.Data, f screen.Frame, height int) []string {
	states := claimStates(d)
	note := ""
	if d.Faults {
		note = "faults only"
	}
	out := []string{f.Title("Claims", join(note, s.claims.Prompt()), s.focus == claims && !f.Compact)}
	visible := s.claims.Visible(claimItems(d))
	at := s.claims.Index(visible)
	inner := f.Story
	inner.Width = f.Width - 1
	lines := story.Claims(states, inner)
	from, to := screen.Window(at, len(visible), height-1)
	for i := from; i < to; i++ {
		for k, c := range states {
			if c.Name == visible[i].ID {
				l := story.Line{Segments: append([]story.Segment{{Text: " "}}, lines[k].Segments...)}
				out = append(out, f.Row(l, i == at && s.focus == claims))
				break
			}
		}
	}
	return out
}

// viewCharts draws one or both charts in height lines.
func (s *Screen) viewCharts(d screen.Data, f screen.Frame, height int) []string {
	focus := s.focus == charts
	if f.Width < twoCharts {
		return throughput(d, f, f.Width, height, focus)
	}
	left := f.Width/2 - 1
	a := throughput(d, f, left, height, focus)
	b := latency(d, f, f.Width-left-3, height)
	out := make([]string, height)
	bar := f.Sheet.Role(story.Muted, f.Glyph(" │ ", " | "))
	for i := range out {
		out[i] = fit(at(a, i), left) + bar + at(b, i)
	}
	return out
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// fit cuts or fills a coloured line to width cells.
func fit(s string, width int) string {
	s = ansi.Truncate(s, width, "")
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}
