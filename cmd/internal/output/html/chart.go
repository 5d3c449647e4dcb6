package html

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// Charts are drawn in a box of width by height units, which the page stretches
// to the room it has. Text does not stand in the box, so that it stays legible
// on a phone.
const (
	width  = 1000
	height = 160
)

// chart is one picture with its words.
type chart struct {
	Title  string
	Label  string // what it shows, for those who do not see it
	Top    string // value at the upper edge
	From   string // left end of the axis
	To     string
	W, H   int
	Boxes  []box
	Points string // of a line, as an SVG list
	Legend []legend
}

// box is a rectangle with a hint.
type box struct {
	X, Y, W, H string
	Class      string
	Hint       string
}

type legend struct{ Class, Text string }

func charts(sum report.Summary) []chart {
	var all []chart
	p := sum.Final
	if len(p.Throughput) > 1 {
		all = append(all, throughput(p))
	}
	if len(p.Heat) > 1 && len(p.Bands) > 0 {
		all = append(all, heat(p))
	}
	if sum.Heap != nil && len(sum.Heap.Points) > 1 {
		all = append(all, heap(*sum.Heap))
	}
	return all
}

func u(v float64) string { return fmt.Sprintf("%.1f", v) }

// throughput is one bar for each slot, with a tick below it where something
// happened.
func throughput(p report.Progress) chart {
	most := max(slices.Max(p.Throughput), 1)
	c := chart{Title: "Calls per second", Top: words.Count(int64(most)), W: width, H: height, Legend: []legend{{"bar", "calls ended"}}}
	c.From, c.To = "0 s", words.Dur(time.Duration(len(p.Throughput))*p.Slot)
	w := width / float64(len(p.Throughput))
	const floor = height - 14 // below it stand the marks
	for i, v := range p.Throughput {
		h := v / most * floor
		c.Boxes = append(c.Boxes, box{u(float64(i)*w + w/10), u(floor - h), u(w * 0.8), u(h), "bar", fmt.Sprintf("%s: %.0f calls/s", words.Dur(time.Duration(i)*p.Slot), v)})
	}
	for _, m := range p.Marks {
		class := "mark-" + strings.ReplaceAll(m.Kind, " ", "-")
		c.Boxes = append(c.Boxes, box{u(float64(m.Slot)*w + w/10), u(floor + 3), u(w * 0.8), "11", class, fmt.Sprintf("%s: %s", words.Dur(time.Duration(m.Slot)*p.Slot), m.Kind)})
		if !slices.ContainsFunc(c.Legend, func(l legend) bool { return l.Class == class }) {
			c.Legend = append(c.Legend, legend{class, m.Kind})
		}
	}
	c.Label = fmt.Sprintf("Calls per second over %s, at most %s; %d marked slots", c.To, c.Top, len(p.Marks))
	return c
}

// heat is one column for each slot and one row for each band of latency, the
// slowest on top.
func heat(p report.Progress) chart {
	bands := 0
	most := int64(1)
	for _, slot := range p.Heat {
		bands = max(bands, len(slot))
		for _, n := range slot {
			most = max(most, n)
		}
	}
	c := chart{Title: "Latency of calls", W: width, H: height, From: "0 s", To: words.Dur(time.Duration(len(p.Heat)) * p.Slot)}
	w, h := width/float64(len(p.Heat)), height/float64(max(bands, 1))
	for i, slot := range p.Heat {
		for b, n := range slot {
			if n > 0 {
				hint := fmt.Sprintf("%s, %s: %d calls", words.Dur(time.Duration(i)*p.Slot), band(p.Bands, b), n)
				c.Boxes = append(c.Boxes, box{u(float64(i) * w), u(height - float64(b+1)*h), u(w), u(h), fmt.Sprintf("heat-%d", 1+n*4/most), hint})
			}
		}
	}
	c.Top = band(p.Bands, bands-1)
	c.Legend = []legend{{"heat-1", "few calls"}, {"heat-5", fmt.Sprintf("up to %d calls", most)}}
	c.Label = fmt.Sprintf("Latency of calls over %s in %d bands, up to %s", c.To, bands, c.Top)
	return c
}

// band names the b-th band: all but the last have an upper bound.
func band(bounds []time.Duration, b int) string {
	last := len(bounds) - 1
	if last > 0 && bounds[last] == math.MaxInt64 { // open, as an engine says it
		last--
	}
	if b >= 0 && b <= last {
		return "≤ " + words.Dur(bounds[b])
	}
	return "> " + words.Dur(bounds[last])
}

func heap(h report.Heap) chart {
	values := make([]float64, len(h.Points))
	for i, p := range h.Points {
		values[i] = float64(p.Bytes)
	}
	c := line("Live bytes", values, func(v float64) string { return story.Bytes(int64(v)) })
	c.From, c.To = h.Points[0].Name, h.Points[len(h.Points)-1].Name
	c.Label = fmt.Sprintf("Live bytes of %d snapshots, from %s to %s", len(values), story.Bytes(h.Points[0].Bytes), story.Bytes(h.Points[len(values)-1].Bytes))
	return c
}

// line draws values from left to right over a base line of zero.
func line(title string, values []float64, say func(float64) string) chart {
	most := max(slices.Max(values), 1)
	c := chart{Title: title, Top: say(most), W: width, H: height}
	step := width / float64(max(len(values)-1, 1))
	var points []string
	for i, v := range values {
		x, y := float64(i)*step, height-max(v, 0)/most*(height-8)
		points = append(points, u(x)+","+u(y))
		c.Boxes = append(c.Boxes, box{u(min(max(x-4, 0), width-8)), u(y - 4), "8", "8", "dot", say(v)})
	}
	c.Points = strings.Join(points, " ")
	return c
}

// timeline is who held something.
type timeline struct {
	Title, From, To string
	Rows            []timeRow
	Legend          []legend
}

type timeRow struct {
	Name, Note string
	Boxes      []box
	Marks      []string
}

// least is how far two moments of a time line are apart, so that both are seen.
const least = 14

func newTimeline(t *report.Timeline) *timeline {
	if t == nil || len(t.Rows) == 0 || t.To <= t.From {
		return nil
	}
	all := &timeline{Title: t.Title, From: words.Dur(t.From), To: words.Dur(t.To)}
	at := story.Scale(t, width, least)
	for _, r := range t.Rows {
		row := timeRow{Name: r.Name, Note: r.Note}
		for _, s := range r.Spans {
			class, word := "span-"+string(s.Kind), story.SpanWord(s.Kind)
			row.Boxes = append(row.Boxes, box{u(at(s.From)), "4", u(at(s.To) - at(s.From)), "16", class, fmt.Sprintf("%s: %s from %s to %s", r.Name, word, words.Dur(s.From), words.Dur(s.To))})
			if l := (legend{class, word}); !slices.Contains(all.Legend, l) {
				all.Legend = append(all.Legend, l)
			}
		}
		for _, m := range r.Marks {
			class := "moment"
			if m.Bad {
				class = "moment bad"
			}
			row.Boxes = append(row.Boxes, box{u(max(at(m.At)-3, 0)), "0", "6", "24", class, words.Dur(m.At) + ": " + m.Text})
			row.Marks = append(row.Marks, words.Dur(m.At)+" "+m.Text)
		}
		all.Rows = append(all.Rows, row)
	}
	return all
}
