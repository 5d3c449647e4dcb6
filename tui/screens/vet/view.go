package vet

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

const (
	beside  = 100 // columns from which list and finding stand side by side
	gutter  = 3
	minList = 36
)

// listWidth is the part of the list beside the finding.
func listWidth(f screen.Frame) int { return max(f.Width*2/5, minList) }

// detailFrame is the space for the finding.
func (s *Screen) detailFrame(f screen.Frame) screen.Frame {
	inner := f
	inner.Height = max(f.Height-1, 0)
	if f.Width >= beside {
		inner.Width = f.Width - listWidth(f) - gutter
	}
	inner.Story.Width = inner.Width
	return inner
}

// listHeight leaves room for the finding below the list where there is any.
func (s *Screen) listHeight(n int, f screen.Frame) int {
	if f.Compact || f.Width >= beside {
		return f.Height - 1
	}
	return min(n, f.Height/2)
}

// View implements screen.Screen.
func (s *Screen) View(d screen.Data, f screen.Frame) []string {
	switch {
	case len(s.tree(d)) == 0:
		return append([]string{s.title(d, f)}, empty(d, f)...)
	case f.Width >= beside:
		return s.sideBySide(d, f)
	case s.open:
		return s.detail(d, f)
	}
	out := s.lines(d, f, s.listHeight(len(s.tree(d)), f))
	if f.Compact {
		return out
	}
	return append(append(out, ""), s.detail(d, f)...)
}

func (s *Screen) sideBySide(d screen.Data, f screen.Frame) []string {
	left := f
	left.Width = listWidth(f)
	a, b := s.lines(d, left, s.listHeight(len(s.tree(d)), f)), s.detail(d, f)
	bar := f.Sheet.Role(story.Muted, f.Glyph(" │ ", " | "))
	out := make([]string, f.Height)
	for i := range out {
		out[i] = fit(at(a, i), left.Width) + bar + at(b, i)
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

// lines is the list, height lines of it, with its title.
func (s *Screen) lines(d screen.Data, f screen.Frame, height int) []string {
	t := s.tree(d)
	out := []string{ansi.Truncate(s.title(d, f), f.Width, f.Glyph("…", "~"))}
	cursor := s.list.Index(t.items())
	from, to := screen.Window(cursor, len(t), height)
	for i := from; i < to; i++ {
		row := f.Row(s.row(d, t[i], f), i == cursor)
		out = append(out, ansi.Truncate(row, f.Width, f.Glyph("…", "~")))
	}
	return out
}

// detail is the selected finding with its title.
func (s *Screen) detail(d screen.Data, f screen.Frame) []string {
	i, ok := s.Focus(d)
	if !ok {
		return nil
	}
	now := *s
	now.meet(i)
	inner := s.detailFrame(f)
	lines := story.TellSource(d.Findings[i], d.Code[i], inner.Story)
	return append([]string{f.Title("Source", "", s.open)}, now.scroll.View(lines, inner)...)
}

// empty says why there is nothing.
func empty(d screen.Data, f screen.Frame) []string {
	text := "No finding. The result screen says whether all packages could be judged."
	switch {
	case d.Faults && len(d.Findings) > 0:
		text = "No finding of high severity; z shows the others."
	case len(d.Findings) > 0:
		text = "No finding passes the filter; esc drops it."
	}
	var out []string
	for _, l := range story.Wrap(text, f.Width-2, 0) {
		out = append(out, "  "+l)
	}
	return out
}
