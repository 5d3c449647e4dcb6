package heap

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// columns are the widths of the list.
type columns struct{ name, count, trend, each, keeps, owner int }

const verdictWidth = 8

// columnsOf shares the width out: the name and the trend always show, the owner
// takes what is left.
func columnsOf(gs []report.Growth, f screen.Frame) columns {
	c := columns{name: 12, trend: 7}
	for _, g := range gs {
		c.name = max(c.name, ansi.StringWidth(g.Name))
		c.trend = max(c.trend, len(g.Counts))
	}
	c.trend = min(c.trend, 16)
	c.name = min(c.name, max(f.Width/4, 14))
	room := f.Width - 1 - verdictWidth - c.name - c.trend - 3
	for _, want := range []struct {
		to    *int
		width int
	}{{&c.count, 16}, {&c.keeps, 10}, {&c.each, 13}} {
		if room >= want.width+2 {
			*want.to = want.width
			room -= want.width + 2
		}
	}
	if room > 12 {
		c.owner = room - 1
	}
	return c
}

func (c columns) head(f screen.Frame) story.Line {
	return story.Line{Segments: []story.Segment{{Text: c.line(f, "verdict", "class or function", "trend", "count", "each snapshot", "keeps", "owner"), Role: story.Muted}}}
}

func (c columns) line(f screen.Frame, verdict, name, trend, count, each, keeps, owner string) string {
	var b strings.Builder
	b.WriteString(" " + fit(verdict, verdictWidth, f) + fit(name, c.name, f) + "  " + fit(trend, c.trend, f))
	for _, x := range []struct {
		text  string
		width int
	}{{count, c.count}, {each, c.each}, {keeps, c.keeps}, {owner, c.owner}} {
		if x.width > 0 {
			b.WriteString("  " + fit(x.text, x.width, f))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// fit cuts or pads text to a width.
func fit(s string, width int, f screen.Frame) string {
	s = ansi.Truncate(f.Story.Text(s), width, f.Glyph("…", "~"))
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

func (c columns) row(g report.Growth, f screen.Frame) story.Line {
	word, role := story.GrowthWord(g.Verdict)
	each := fmt.Sprintf("%+.4g", g.Slope)
	if g.Unit == "samples" || g.Unit == "bytes" {
		each = "+" + story.Bytes(int64(g.Slope))
	}
	keeps := ""
	if g.Bytes > 0 {
		keeps = "+" + story.Bytes(g.Bytes)
	}
	owner := g.Owner
	if owner == "" {
		owner = g.Why
	}
	whole := c.line(f, word, g.Name, tail(g, c.trend, f), story.Counted(g), each, keeps, owner)
	return story.Line{Segments: []story.Segment{{Text: whole[:1+verdictWidth], Role: role}, {Text: whole[1+verdictWidth:], Role: story.Body}}}
}

// tail is the trend of the last snapshots that fit.
func tail(g report.Growth, width int, f screen.Frame) string {
	return story.Trend(g.Counts[max(len(g.Counts)-width, 0):], f.Story)
}

// detail is the lower half: who holds the selected line beside why it grows.
func (s *Screen) detail(d screen.Data, g report.Growth, h *report.Heap, f screen.Frame) []string {
	o := f.Story
	o.Width = f.Width - 2
	side := f.Width >= 100
	if side {
		o.Width = f.Width/2 - 3
	}
	left, title := tree(g, o), "Retainers of "+g.Name
	if len(g.Paths) == 0 {
		left, title = stack(g, o), "Allocated by"
	}
	if s.trend {
		left, title = chart(g, h, o), "Snapshots of "+g.Name
	}
	right := why(d, g, s, o)
	head := f.Title(title, "", false)
	if !side {
		return append(append([]string{head}, f.Lines(left)...), f.Lines(right)...)
	}
	out := []string{pad(head, f.Width/2) + f.Title("Why it grows", "", false)}
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = f.Sheet.Line(left[i])
		}
		if i < len(right) {
			r = f.Sheet.Line(right[i])
		}
		out = append(out, strings.TrimRight(pad(l, f.Width/2)+r, " "))
	}
	return out
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 1))
}

// tree draws the paths, a step a line, deeper ones further in.
func tree(g report.Growth, o story.Options) []story.Line {
	var out []story.Line
	for i, p := range g.Paths {
		if i > 0 {
			out = append(out, text("  or", story.Muted))
		}
		for depth, step := range p {
			said := strings.TrimSpace(step.Name + " " + step.Class)
			if step.Name == step.Class {
				said = step.Class
			}
			if step.Bytes > 0 {
				said += "  " + story.Bytes(step.Bytes)
			}
			role := story.Body
			if step.Owner {
				said, role = said+" ← gathers", story.Bad
			}
			if step.Where != "" {
				said += "  " + step.Where
			}
			line := strings.Repeat(" ", 2+min(depth, 8)) + mark(o) + o.Text(said)
			out = append(out, text(ansi.Truncate(line, o.Width, "…"), role))
		}
	}
	if o.ASCII {
		for i := range out {
			out[i].Segments[0].Text = strings.ReplaceAll(out[i].Segments[0].Text, "…", "~")
		}
	}
	return out
}

func mark(o story.Options) string {
	if o.ASCII {
		return "> "
	}
	return "▸ "
}

func stack(g report.Growth, o story.Options) []story.Line {
	var out []story.Line
	for _, call := range g.Allocated {
		for _, l := range story.Wrap(o.Text(call), o.Width-2, 2) {
			out = append(out, text("  "+l, story.Code))
		}
	}
	return out
}

// chart is a bar for each snapshot.
func chart(g report.Growth, h *report.Heap, o story.Options) []story.Line {
	most := int64(1)
	for _, c := range g.Counts {
		most = max(most, c)
	}
	bar := "█"
	if o.ASCII {
		bar = "#"
	}
	room := max(o.Width-24, 4)
	var out []story.Line
	for i, c := range g.Counts {
		name := fmt.Sprintf("s%d", i)
		if i < len(h.Points) {
			name = h.Points[i].Name
		}
		name = ansi.Truncate(o.Text(name), 10, "")
		line := fmt.Sprintf("  %-10s %10d ", name, c) + strings.Repeat(bar, int(max(c, 0)*int64(room)/most))
		out = append(out, text(line, story.Body))
	}
	return out
}

// why is what speaks for the verdict, and the mends of a leak.
func why(d screen.Data, g report.Growth, s *Screen, o story.Options) []story.Line {
	var out []story.Line
	say := func(words string, role story.Role) {
		for _, l := range story.Wrap(o.Text(words), o.Width-2, 0) {
			out = append(out, text("  "+l, role))
		}
	}
	if g.Verdict == report.Leak {
		say(g.Kind, story.Bad)
	}
	say(g.Why, story.Body)
	if len(g.With) > 0 {
		say("with "+strings.Join(g.With, ", "), story.Muted)
	}
	if i, ok := s.Focus(d); ok && g.Verdict == report.Leak {
		for k, fix := range d.Findings[i].Fixes {
			say(fmt.Sprintf("fix %d  %s", k+1, fix.Title), story.Good)
			say(fix.Note, story.Muted)
		}
	}
	return out
}
