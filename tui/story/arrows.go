package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// maxTracks is how many arrows the gutter holds before it gets crowded.
const maxTracks = 3

// arrowWidth is the width of a gutter with that many arrows: a head and a label
// at either side, and every second column a track.
func arrowWidth(tracks int) int { return 2*tracks + 7 }

// edge is a dependency between two steps.
type edge struct {
	from, to int // indexes of steps
	left     bool
	kind     string
}

// depsOf lists the dependencies between different lanes. One inside a lane is
// no news: a transaction may read its own writes.
func depsOf(f report.Finding) []edge {
	var es []edge
	for to, s := range f.Steps {
		for _, d := range s.Deps {
			known := d.Kind == "rw" || d.Kind == "ww" || d.Kind == "wr"
			if !known || d.From < 0 || d.From >= len(f.Steps) || f.Steps[d.From].Lane == s.Lane {
				continue
			}
			es = append(es, edge{from: d.From, to: to, left: f.Steps[d.From].Lane == 0, kind: d.Kind})
		}
	}
	return es
}

// depWords says a dependency in words.
func depWords(f report.Finding, d report.Dep) string {
	if d.From < 0 || d.From >= len(f.Steps) {
		return Clean(d.Kind)
	}
	who, at := lane(f, f.Steps[d.From].Lane).Name, d.From+1
	switch d.Kind {
	case "rw":
		return fmt.Sprintf("overwrites what %s read at %d (rw)", who, at)
	case "ww":
		return fmt.Sprintf("overwrites what %s wrote at %d (ww)", who, at)
	case "wr":
		return fmt.Sprintf("reads what %s wrote at %d (wr)", who, at)
	}
	return fmt.Sprintf("depends on %s at %d (%s)", who, at, Clean(d.Kind))
}

// legend explains the arrows that were drawn.
func legend(f report.Finding, o Options) []Line {
	words := [][2]string{{"wr", "reads what was written"}, {"ww", "overwrites what was written"}, {"rw", "overwrites what was read"}}
	var said []string
	for _, w := range words {
		if slices.ContainsFunc(depsOf(f), func(e edge) bool { return e.kind == w[0] }) {
			said = append(said, w[0]+" "+w[1])
		}
	}
	text := strings.Repeat(" ", margin(f)) + strings.Join(said, ", ")
	return []Line{line(seg(ansi.Truncate(text, o.width(), ""), Muted))}
}

// The ways a line leaves a cell.
const (
	up = 1 << iota
	down
	toLeft
	toRight
)

var (
	boxes = [16]rune{' ', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'}
	plus  = [16]rune{' ', '|', '|', '|', '-', '+', '+', '+', '-', '+', '+', '+', '-', '+', '+', '+'}
)

// sheet is the gutter while arrows are drawn into it.
type sheet struct {
	dirs  [][]byte
	runes [][]rune
	used  map[[2]int]string // row and side: the label that stands there
	width int
}

// drawArrows draws the dependencies into a gutter of the given number of rows.
// It reports false when two arrows would meet at the same label.
func drawArrows(es []edge, spans []span, rows int, ascii bool) ([][]Segment, bool) {
	s := &sheet{used: map[[2]int]string{}, width: arrowWidth(len(es))}
	for range rows {
		s.dirs = append(s.dirs, make([]byte, s.width))
		s.runes = append(s.runes, make([]rune, s.width))
	}
	for i, e := range es {
		if !s.draw(e, 4+2*i, spans, ascii) {
			return nil, false
		}
	}
	return s.segments(ascii), true
}

// draw draws one arrow on its track. The arrow leaves and enters at the line
// that shows the value in question, or at the statement when that line is taken.
func (s *sheet) draw(e edge, track int, spans []span, ascii bool) bool {
	from, to := 0, s.width-1
	if !e.left {
		from, to = to, from
	}
	a, ok := s.claim(spans[e.from], e.kind == "rw", from, "")
	if !ok {
		return false
	}
	b, ok := s.claim(spans[e.to], e.kind == "wr", to, e.kind)
	if !ok || a == b {
		return false
	}
	s.horizontal(a, from, track)
	s.horizontal(b, to, track)
	s.vertical(track, a, b)
	s.label(b, to, e.kind, ascii)
	return true
}

// at is the row of the read or the written value, the first row when there is none.
func (p span) at(read bool) int {
	if read && p.read >= 0 {
		return p.read
	}
	if !read && p.wrote >= 0 {
		return p.wrote
	}
	return p.first
}

// claim takes one side of a row of a step for a label and returns the row; two
// arrows may share it when they say the same.
func (s *sheet) claim(p span, read bool, side int, label string) (int, bool) {
	for _, row := range []int{p.at(read), p.first} {
		key := [2]int{row, side}
		if old, taken := s.used[key]; !taken || old == label {
			s.used[key] = label
			return row, true
		}
	}
	return 0, false
}

func (s *sheet) horizontal(row, side, track int) {
	lo, hi := min(side, track), max(side, track)
	for c := lo; c <= hi; c++ {
		if c > lo || side == lo {
			s.dirs[row][c] |= toLeft
		}
		if c < hi || side == hi {
			s.dirs[row][c] |= toRight
		}
	}
}

func (s *sheet) vertical(track, a, b int) {
	lo, hi := min(a, b), max(a, b)
	for r := lo; r <= hi; r++ {
		if r > lo {
			s.dirs[r][track] |= up
		}
		if r < hi {
			s.dirs[r][track] |= down
		}
	}
}

func (s *sheet) label(row, side int, kind string, ascii bool) {
	g := Options{ASCII: ascii}.glyphs()
	if side == 0 {
		s.put(row, 0, g.left+kind)
		return
	}
	s.put(row, side-len(kind), kind+g.right)
}

func (s *sheet) put(row, col int, text string) {
	for i, r := range []rune(text) {
		if col+i >= 0 && col+i < s.width {
			s.runes[row][col+i] = r
		}
	}
}

func (s *sheet) segments(ascii bool) [][]Segment {
	box := &boxes
	if ascii {
		box = &plus
	}
	out := make([][]Segment, len(s.dirs))
	for r := range s.dirs {
		text := make([]rune, s.width)
		for c := range text {
			text[c] = s.runes[r][c]
			if text[c] == 0 {
				text[c] = box[s.dirs[r][c]]
			}
		}
		out[r] = []Segment{seg(string(text), Edge)}
	}
	return out
}
