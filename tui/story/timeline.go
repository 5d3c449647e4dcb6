package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// spanLook is how a span is drawn: its sign, that in ASCII, its word, its colour.
type spanLook struct {
	kind              report.SpanKind
	sign, ascii, word string
	role              Role
}

// spanLooks are the kinds of span, in the order of the legend.
var spanLooks = []spanLook{
	{report.Holds, "█", "#", "holds", Good},
	{report.Commits, "█", "#", "goes through", Good},
	{report.Undone, "▒", "=", "rolled back", Bad},
	{report.Paused, "▒", "=", "paused", Wait},
	{report.Believes, "░", "!", "acts after its time", Bad},
	{report.Waits, "·", ".", "asks and is refused", Muted},
}

// Timeline draws who held what over time: an axis, a row for each owner, what
// happened below. In plain mode every span and mark is a line.
func Timeline(t *report.Timeline, o Options) []Line {
	if t == nil || t.To <= t.From {
		return nil
	}
	if o.Plain {
		return plainTimeline(t, o)
	}
	names := 0
	for _, r := range t.Rows {
		names = max(names, ansi.StringWidth(o.Text(r.Name)))
	}
	p := newPlot(t, o, max(o.width()-names-4, 10))
	out := []Line{line(seg(o.Text(t.Title), Strong)), line(seg(pad(" s", names+3)+p.axis(), Muted))}
	for _, r := range t.Rows {
		head := seg(" "+pad(o.Text(r.Name), names)+"  ", Body)
		if len(r.Spans) > 0 || len(r.Marks) == 0 {
			out = append(out, line(append([]Segment{head}, p.spans(r)...)...))
		} else {
			out = append(out, line(append([]Segment{head}, p.marks(r)...)...))
		}
		if r.Note != "" {
			for _, text := range Wrap(o.Text(r.Note), p.width, 0) {
				out = append(out, line(seg(pad(" ", names+3)+text, Muted)))
			}
		}
	}
	return append(out, spanLegend(t, o)...)
}

// plot is the room of a time line.
type plot struct {
	t     *report.Timeline
	o     Options
	width int
	// The moments at which something happens, and the column of each. Between them
	// time is even; where much happens at once it is stretched, since a pause of a
	// second would leave no room for the calls around it.
	at    []time.Duration
	cells []float64
}

// room is the cells that a moment gets at least, where there are enough.
const room = 4

func newPlot(t *report.Timeline, o Options, width int) plot {
	return plotted(t, o, width, room)
}

// Scale puts the moments of a time line on a line of that width, stretched where
// much happens: two that differ are least apart, as far as there is room.
func Scale(t *report.Timeline, width, least float64) func(time.Duration) float64 {
	return plotted(t, Options{}, int(width), least).place
}

// SpanWord says what an owner is in a span.
func SpanWord(kind report.SpanKind) string { return lookOf(kind).word }

func plotted(t *report.Timeline, o Options, width int, room float64) plot {
	p := plot{t: t, o: o, width: width, at: moments(t)}
	gaps := len(p.at) - 1
	least := min(room, 0.8*float64(width)/float64(max(gaps, 1)))
	rest := float64(width) - least*float64(gaps)
	x := 0.0
	for i, at := range p.at {
		if i > 0 {
			x += least + rest*float64(at-p.at[i-1])/float64(t.To-t.From)
		}
		p.cells = append(p.cells, x)
	}
	return p
}

// moments are the ends of the spans and the marks.
func moments(t *report.Timeline) []time.Duration {
	all := []time.Duration{t.From, t.To}
	for _, r := range t.Rows {
		for _, s := range r.Spans {
			if s.Kind != report.Waits {
				all = append(all, s.From, s.To)
			}
		}
		for _, m := range r.Marks {
			all = append(all, m.At)
		}
	}
	slices.Sort(all)
	all = slices.DeleteFunc(all, func(at time.Duration) bool { return at < t.From || at > t.To })
	return slices.Compact(all)
}

// cell is the column of a moment.
func (p plot) cell(at time.Duration) int {
	return min(max(int(p.place(at)), 0), p.width-1)
}

// place is where a moment is between 0 and the width.
func (p plot) place(at time.Duration) float64 {
	i, found := slices.BinarySearch(p.at, at)
	i = min(i, len(p.at)-1)
	x := p.cells[i]
	if !found && i > 0 {
		part := float64(at-p.at[i-1]) / float64(p.at[i]-p.at[i-1])
		x = p.cells[i-1] + part*(x-p.cells[i-1])
	}
	return min(max(x, 0), float64(p.width))
}

// axis has the time of every moment that has the room for it.
func (p plot) axis() string {
	row := []rune(strings.Repeat(" ", p.width))
	next := 0
	for _, at := range p.at {
		text := p.o.Text(fmt.Sprintf("%.3f", at.Seconds()))
		if x := p.cell(at); x >= next && x+len(text) <= p.width {
			put(row, x, text)
			next = x + len(text) + 3
		}
	}
	return string(row)
}

func put(row []rune, at int, text string) {
	for i, r := range []rune(text) {
		if at+i < len(row) {
			row[at+i] = r
		}
	}
}

// spans draws the spans of a row; each takes at least one cell.
func (p plot) spans(r report.TimeRow) []Segment {
	kinds := make([]report.SpanKind, p.width)
	for _, s := range r.Spans {
		for i := p.cell(s.From); i <= max(p.cell(s.To)-1, p.cell(s.From)); i++ {
			kinds[i] = s.Kind
		}
	}
	var out []Segment
	for i := 0; i < len(kinds); {
		n := i
		for n < len(kinds) && kinds[n] == kinds[i] {
			n++
		}
		l := lookOf(kinds[i])
		out = append(out, seg(strings.Repeat(l.glyph(p.o), n-i), l.role))
		i = n
	}
	return out
}

func lookOf(kind report.SpanKind) spanLook {
	for _, l := range spanLooks {
		if l.kind == kind {
			return l
		}
	}
	return spanLook{sign: " ", ascii: " "}
}

func (l spanLook) glyph(o Options) string {
	if o.ASCII {
		return l.ascii
	}
	return l.sign
}

// marks writes the texts of a row where they happened, or as near behind as there
// is room.
func (p plot) marks(r report.TimeRow) []Segment {
	var out []Segment
	at := 0
	for _, m := range r.Marks {
		text, role := p.o.Text(m.Text), Body
		if m.Bad {
			text, role = p.o.Sign(Bad)+text, Bad
		}
		to := max(p.cell(m.At), at)
		if to+ansi.StringWidth(text) > p.width {
			out = append(out, seg(p.o.glyphs().ellipsis, Muted))
			break
		}
		out = append(out, seg(strings.Repeat(" ", to-at), Body), seg(text, role))
		at = to + ansi.StringWidth(text) + 1
		out = append(out, seg(" ", Body))
	}
	return out
}

// spanLegend names the kinds that occur, each unbroken.
func spanLegend(t *report.Timeline, o Options) []Line {
	var out []Line
	for _, l := range spanLooks {
		if !slices.ContainsFunc(t.Rows, func(r report.TimeRow) bool {
			return slices.ContainsFunc(r.Spans, func(s report.TimeSpan) bool { return s.Kind == l.kind })
		}) {
			continue
		}
		entry := seg(" "+l.glyph(o)+" "+l.word, l.role)
		if n := len(out) - 1; n >= 0 && out[n].cells()+1+ansi.StringWidth(entry.Text) <= o.width() {
			out[n].Segments = append(out[n].Segments, seg(" ", Body), entry)
			continue
		}
		out = append(out, line(entry))
	}
	return out
}

func plainTimeline(t *report.Timeline, o Options) []Line {
	var out []Line
	for _, r := range t.Rows {
		name := o.Text(r.Name)
		for _, s := range r.Spans {
			if s.Kind != report.Waits { // one for each question: too many
				out = append(out, line(seg(fmt.Sprintf("TIME %s %s from %.3fs to %.3fs", name, s.Kind, s.From.Seconds(), s.To.Seconds()), Body)))
			}
		}
		for _, m := range r.Marks {
			out = append(out, line(seg(fmt.Sprintf("TIME %s %s at %.3fs", name, o.Text(m.Text), m.At.Seconds()), Body)))
		}
		if r.Note != "" {
			out = append(out, line(seg("TIME "+name+" "+o.Text(r.Note), Body)))
		}
	}
	return out
}
