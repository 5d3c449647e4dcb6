package story

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// margin is the width of the step numbers left of the lanes.
func margin(f report.Finding) int { return len(itoa(len(f.Steps))) + 3 }

// columnWidth is what one lane gets when all stand side by side. The widest
// gutter is assumed, so that the choice does not depend on the arrows.
func columnWidth(f report.Finding, o Options) int {
	n := lanesOf(f)
	if n == 0 || n > 8 {
		return 0
	}
	return (o.width() - margin(f) - (n-1)*gutterWidth(n, maxTracks)) / n
}

// gutterWidth is the space between two lanes: room for the arrows when there
// are two lanes, and the bar.
func gutterWidth(lanes, tracks int) int {
	if lanes == 2 && tracks > 0 {
		return arrowWidth(tracks) + 2
	}
	return 3
}

// table is the side-by-side layout while it is made.
type table struct {
	f      report.Finding
	o      Options
	g      glyphs
	width  int // of one lane
	words  bool
	rows   []row
	spans  []span // of the steps
	arrows [][]Segment
}

// row is one line: the cell of the lane that acts, all others are empty.
type row struct {
	step int
	lane int
	segs []Segment
}

// span says where a step stands among the rows.
type span struct{ first, read, wrote int }

// columns lays the lanes side by side. Arrows are drawn between two lanes; where
// they would cross a label or there are more than two lanes, words say the same.
func columns(f report.Finding, o Options) []Line {
	t := &table{f: f, o: o, g: o.glyphs()}
	deps := depsOf(f)
	lanes := lanesOf(f)
	if lanes == 2 && len(deps) > 0 && len(deps) <= maxTracks {
		t.layout(len(deps))
		grid, ok := drawArrows(deps, t.spans, len(t.rows), o.ASCII)
		if ok {
			t.arrows = grid
			return append(t.lines(arrowWidth(len(deps))), legend(f, o)...)
		}
	}
	t.words = true
	t.layout(0)
	return t.lines(0)
}

// layout makes the rows for a gutter with that many arrows.
func (t *table) layout(tracks int) {
	lanes := lanesOf(t.f)
	t.width = (t.o.width() - margin(t.f) - (lanes-1)*gutterWidth(lanes, tracks)) / lanes
	t.rows, t.spans = nil, nil
	for i := range t.f.Steps {
		t.step(i)
	}
}

// step appends the rows of step i.
func (t *table) step(i int) {
	s := t.f.Steps[i]
	at := span{first: len(t.rows), read: -1, wrote: -1}
	for _, p := range parts(t.f, i, t.o, t.words) {
		switch p.role {
		case Read:
			at.read = len(t.rows)
		case Wrote:
			at.wrote = len(t.rows)
		}
		for k, text := range wrapped(p.text, t.width, t.g) {
			segs := []Segment{seg(text, p.role)}
			if k == 0 && p.note != "" && ansi.StringWidth(text+p.note)+2 <= t.width {
				segs = append(segs, seg("  "+p.note, Muted))
			}
			t.rows = append(t.rows, row{step: i, lane: s.Lane, segs: segs})
		}
	}
	if len(t.rows) == at.first {
		t.rows = append(t.rows, row{step: i, lane: s.Lane})
	}
	t.spans = append(t.spans, at)
}

// lines puts margin, lanes and gutters together.
func (t *table) lines(gutter int) []Line {
	m, lanes := margin(t.f), lanesOf(t.f)
	out := []Line{t.head(m, gutter)}
	for r, row := range t.rows {
		segs := []Segment{seg(strings.Repeat(" ", m), Body)}
		if r == t.spans[row.step].first {
			segs[0] = seg(pad(" "+itoa(row.step+1), m), Muted)
		}
		for l := range lanes {
			if l == row.lane {
				segs = append(segs, t.lead(r, fill(append([]Segment(nil), row.segs...), t.width))...)
			} else {
				segs = append(segs, seg(strings.Repeat(" ", t.width), Body))
			}
			if l < lanes-1 {
				segs = append(segs, t.gutter(r, gutter)...)
			}
		}
		out = append(out, Line{Segments: segs, Step: row.step + 1})
	}
	return out
}

// lead draws the arrow that leaves the first lane in row r from its text on.
func (t *table) lead(r int, segs []Segment) []Segment {
	last := len(segs) - 1
	if t.arrows == nil || t.rows[r].lane != 0 || strings.TrimSpace(segs[last].Text) != "" {
		return segs
	}
	if dash := t.arrows[r][0].Text[:len(t.g.dash)]; dash == t.g.dash && len(segs[last].Text) > 1 {
		segs[last] = seg(" "+strings.Repeat(dash, len(segs[last].Text)-1), Edge)
	}
	return segs
}

// gutter is what stands between two lanes in row r.
func (t *table) gutter(r, width int) []Segment {
	if width == 0 {
		return []Segment{seg(" "+t.g.bar+" ", Muted)}
	}
	return append(append([]Segment(nil), t.arrows[r]...), seg(t.g.bar+" ", Muted))
}

// head names the lanes.
func (t *table) head(m, gutter int) Line {
	segs := []Segment{seg(strings.Repeat(" ", m), Body)}
	lanes := lanesOf(t.f)
	for l := range lanes {
		d := lane(t.f, l)
		segs = append(segs, fill(laneTitle(d, l, t.width), t.width)...)
		if l == lanes-1 {
			break
		}
		if gutter == 0 {
			segs = append(segs, seg(" "+t.g.bar+" ", Muted))
			continue
		}
		segs = append(segs, seg(strings.Repeat(" ", gutter)+t.g.bar+" ", Muted))
	}
	return line(segs...)
}

func laneTitle(d report.Lane, l, width int) []Segment {
	name := strings.TrimRight(pad(d.Name, width), " ")
	rest := width - ansi.StringWidth(name) - 2
	if d.Detail == "" || rest < 4 {
		return []Segment{seg(name, laneRole(l))}
	}
	return []Segment{seg(name, laneRole(l)), seg("  "+strings.TrimRight(pad(d.Detail, rest), " "), Muted)}
}

// part is one thing to say about a step.
type part struct {
	text string
	role Role
	note string
}

// parts lists what there is to say about step i: the statement, what it waited
// for, read, wrote and how it ended.
func parts(f report.Finding, i int, o Options, words bool) []part {
	s, g := f.Steps[i], o.glyphs()
	var ps []part
	add := func(sign, text string, role Role) {
		if text != "" {
			ps = append(ps, part{text: sign + text, role: role})
		}
	}
	merged := s.Result != "" && (s.Text == "" || hasPrefixFold(s.Result, s.Text))
	if !merged {
		add("", s.Text, Body)
	}
	add(g.wait, s.Wait, Wait)
	add(g.read, s.Read, Read)
	add(g.wrote, s.Wrote, Wrote)
	if s.Result != "" {
		sign := g.result
		if merged {
			sign = ""
		}
		ps = append(ps, part{sign + s.Result, resultRole(s.Result), since(f, s.End, o)})
	}
	if words {
		for _, d := range s.Deps {
			add(g.dep, depWords(f, d), Edge)
		}
	}
	return ps
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// resultRole tells an error from a good end.
func resultRole(result string) Role {
	if strings.HasPrefix(result, "ERROR") || strings.HasPrefix(result, "FATAL") || strings.Contains(result, "lost") {
		return Bad
	}
	return Good
}

// since is the time of a step after the first one, as "+3.1 ms".
func since(f report.Finding, at time.Duration, o Options) string {
	first := f.Steps[0].Start
	if at <= first {
		return ""
	}
	return "+" + o.Dur(at-first)
}
