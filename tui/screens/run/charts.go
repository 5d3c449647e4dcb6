package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/internal/chart"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

const labelWidth = 8 // of the scale left of a chart

func axis(p report.Progress, width int) chart.Axis {
	n := max(len(p.Throughput), len(p.Heat))
	return chart.Axis{Slots: n, Total: chart.Expect(p.Total, p.Slot), Width: max(width-labelWidth-1, 1)}
}

// throughput draws the calls per second.
func throughput(d screen.Data, f screen.Frame, width, height int, focus bool) []string {
	p := d.Progress
	a := axis(p, width)
	out := []string{f.Title("Throughput", "calls per second", focus)}
	rows := max(height-3, 1)
	top := 0.0
	for _, v := range p.Throughput {
		top = max(top, v)
	}
	top = chart.Nice(top)
	for r, text := range chart.Line(p.Throughput, a, rows, top, f.Story.ASCII) {
		label := ""
		switch r {
		case 0:
			label = f.Story.Count(int64(top))
		case rows - 1:
			label = "0"
		case (rows - 1) / 2:
			if rows%2 == 1 {
				label = f.Story.Count(int64(top / 2))
			}
		}
		out = append(out, scale(f, label)+f.Sheet.Chart.Render(strings.TrimRight(text, " ")))
	}
	return append(out, timeAxis(p, a, f)...)
}

// latency draws how long calls took, with lock waits and violations below.
func latency(d screen.Data, f screen.Frame, width, height int) []string {
	p := d.Progress
	a := axis(p, width)
	note := "x lock wait, ! violation, " + f.Glyph("· few █ many", ". few # many")
	out := []string{f.Title("Latency", "", false) + "  " + f.Sheet.Role(story.Muted, note)}
	counts, labels := bands(p, max(height-3, 1))
	cells := chart.Heat(counts, len(labels), a, f.Story.ASCII)
	for r, row := range cells {
		label := f.Story.Text(labels[len(labels)-1-r])
		for range max((height-3)/len(cells), 1) {
			out = append(out, scale(f, label)+heatRow(row, f))
			label = ""
		}
	}
	for len(out) < height-2 {
		out = append(out, "")
	}
	out = append(out, strings.Repeat(" ", labelWidth+1)+marks(p, a, f))
	return append(out, timeAxis(p, a, f)[0])
}

// heatRow colours the cells of a band, those of one level together.
func heatRow(row []chart.Cell, f screen.Frame) string {
	var b strings.Builder
	for i := 0; i < len(row); {
		level, text := row[i].Level, ""
		for ; i < len(row) && row[i].Level == level; i++ {
			text += row[i].Text
		}
		b.WriteString(f.Sheet.Heat(level, text))
	}
	return b.String()
}

// scale is the label left of a row.
func scale(f screen.Frame, label string) string {
	return f.Sheet.Role(story.Muted, fmt.Sprintf("%*s", labelWidth-1, label)+f.Glyph("│", "|")) + " "
}

// marks is the row of what happened when; a violation outranks a lock wait.
func marks(p report.Progress, a chart.Axis, f screen.Frame) string {
	row := []byte(strings.Repeat(" ", a.Width))
	for _, m := range p.Marks {
		if m.Slot < 0 || m.Slot >= a.Slots {
			continue
		}
		col := a.Column(m.Slot)
		switch {
		case m.Kind == "violation":
			row[col] = '!'
		case row[col] == ' ':
			row[col] = 'x'
		}
	}
	return f.Sheet.Role(story.Bad, strings.TrimRight(string(row), " "))
}

// timeAxis names the ends of the time axis.
func timeAxis(p report.Progress, a chart.Axis, f screen.Frame) []string {
	end := time.Duration(max(a.Slots, a.Total)) * p.Slot
	right := f.Story.Dur(end)
	gap := max(a.Width-1-len(right), 1)
	return []string{f.Sheet.Role(story.Muted, strings.Repeat(" ", labelWidth+1)+"0"+strings.Repeat(" ", gap)+right)}
}

// bands puts the bands of the latencies into at most rows rows, the fastest
// together, and names each by its upper bound.
func bands(p report.Progress, rows int) ([][]int64, []string) {
	n := len(p.Bands)
	for _, h := range p.Heat {
		n = max(n, len(h))
	}
	n = min(n, 64)
	if n == 0 {
		return nil, nil
	}
	drop := max(n-rows, 0) // bands that join the one above them
	counts := make([][]int64, len(p.Heat))
	for i, h := range p.Heat {
		counts[i] = make([]int64, n-drop)
		for b := 0; b < min(len(h), n); b++ {
			counts[i][max(b-drop, 0)] += h[b]
		}
	}
	var labels []string
	for b := drop; b < n; b++ {
		labels = append(labels, bandLabel(p.Bands, b, n))
	}
	return counts, labels
}

// bandLabel names band b of n; the last one is open.
func bandLabel(bounds []time.Duration, b, n int) string {
	o := story.Options{}
	short := func(d time.Duration) string { return strings.ReplaceAll(o.Dur(d), " ", "") }
	switch {
	case b == n-1 && b > 0 && b-1 < len(bounds):
		return ">" + short(bounds[b-1])
	case b < len(bounds):
		return "≤" + short(bounds[b])
	}
	return ""
}
