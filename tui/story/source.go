package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Excerpt is the source that a finding is about, as far as it could be read.
type Excerpt struct {
	Parts   []Part
	Diff    string // what its edit would change, "" for none
	Trouble string // why there is no source, or no diff
	Mended  bool   // the edit was made
}

// Part is a stretch of a file.
type Part struct {
	File  string
	First int // number of the first line, from 1
	Lines []string
}

// Place is where a finding of source happens, and what happens there.
type Place struct {
	At   report.Location
	Note string // "" for the place of the finding itself
}

// Places are the places of a finding in the order in which they are read: those
// of its own file first, from the top down.
func Places(f report.Finding) []Place {
	all := []Place{{At: f.Where}}
	for _, s := range f.Steps {
		if s.Where.File != "" {
			all = append(all, Place{s.Where, s.Text})
		}
	}
	slices.SortStableFunc(all, func(a, b Place) int {
		if other := cmp.Compare(a.At.File, b.At.File); other != 0 {
			switch f.Where.File {
			case a.At.File:
				return -1
			case b.At.File:
				return 1
			}
			return other
		}
		return cmp.Compare(a.At.Line, b.At.Line)
	})
	return all
}

const (
	around = 3  // lines shown before and after a place
	apart  = 12 // places that are further from each other have parts of their own
)

// Cut takes out of a file what is around the places that lie in it.
func Cut(file string, text []byte, places []Place) []Part {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	var parts []Part
	for _, p := range places {
		if p.At.File != file || p.At.Line < 1 || p.At.Line > len(lines) {
			continue
		}
		from, to := max(p.At.Line-around, 1), min(p.At.Line+around, len(lines))
		if n := len(parts) - 1; n >= 0 && from <= parts[n].First+len(parts[n].Lines)+apart {
			from = parts[n].First
			to = max(to, from+len(parts[n].Lines)-1)
			parts = parts[:n]
		}
		parts = append(parts, Part{file, from, lines[from-1 : to]})
	}
	return parts
}

// TellSource tells a finding of source: what is wrong, the source with the
// places marked, the race in lanes, the ways out, and the edit as a diff.
func TellSource(f report.Finding, c Excerpt, o Options) []Line {
	role := SeverityRole(f.Severity)
	out := fold([]Segment{
		seg(o.Sign(Bad)+" "+strings.ToUpper(o.Text(string(f.Severity))), role), seg(o.Text(f.Rule), Strong), seg(o.Text(Where(f.Where)), Muted),
	}, o.width())
	if c.Mended {
		out = append(out, o.label("", o.Sign(Good)+" mended: read the edit, and run the tests", Good)...)
	}
	for _, text := range Wrap(o.Text(f.Message), o.width()-2, 0) {
		out = append(out, line(seg("  "+text, Body)))
	}
	out = append(out, o.source(f, c)...)
	if race := Race(f, o); len(race) > 0 {
		out = append(out, line(), line(seg("  race", Strong)))
		out = append(out, race...)
	}
	if all := Ways(f, o); len(all) > 0 {
		out = append(append(out, line()), all...)
	}
	out = append(out, o.edit(f, c)...)
	out = append(append(out, line()), o.command("see again", f.Repro.Command)...)
	return append(out, o.label("help", "ccheck explain "+f.Rule, Muted)...)
}

// source is the excerpt with the places marked by numbers, and what happens there.
func (o Options) source(f report.Finding, c Excerpt) []Line {
	places := Places(f)
	out := []Line{line()}
	for i, p := range c.Parts {
		switch {
		case i > 0 && c.Parts[i-1].File == p.File:
			out = append(out, line(seg(pad("", 5)+o.ellipsis(), Muted)))
		case p.File != f.Where.File:
			out = append(out, line(seg("  "+o.Text(p.File), Strong)))
		}
		for k, text := range p.Lines {
			out = append(out, o.sourceLine(p.File, p.First+k, text, places))
		}
	}
	if c.Trouble != "" {
		out = append(out, o.label("source", c.Trouble, Warn)...)
	}
	for i, p := range places {
		if p.Note != "" {
			for _, text := range Wrap(o.Text(p.Note), o.width()-8, 0) {
				out = append(out, line(seg(pad("  "+o.mark(i), 8), Edge), seg(text, Muted)))
			}
		}
	}
	return out
}

func (o Options) ellipsis() string {
	if o.ASCII {
		return ":"
	}
	return "⋮"
}

// mark is the number of a place.
func (o Options) mark(i int) string {
	if o.ASCII || i >= 20 {
		return fmt.Sprintf("(%d)", i+1)
	}
	return string(rune('①' + i))
}

func (o Options) sourceLine(file string, n int, text string, places []Place) Line {
	mark, role := "", Body
	for i, p := range places {
		if p.At.File == file && p.At.Line == n {
			mark, role = mark+o.mark(i), Strong
		}
	}
	head := fmt.Sprintf("%5d ", n)
	text = ansi.Truncate(verbatim(text), max(o.width()-len(head)-4, 4), o.glyphs().ellipsis)
	return line(seg(head, Muted), seg(pad(mark, 4), Edge), seg(text, role))
}

// edit is what the edit of a finding changes, and who says that it is right.
func (o Options) edit(f report.Finding, c Excerpt) []Line {
	i := slices.IndexFunc(f.Fixes, func(x report.Fix) bool { return len(x.Edits) > 0 })
	if i < 0 {
		return nil
	}
	out := append([]Line{line()}, o.label("edit", f.Fixes[i].Title, Body)...)
	return append(out, Changes(c.Diff, o)...)
}

// Changes colours a unified diff, without the names of the files.
func Changes(diff string, o Options) []Line {
	var out []Line
	for text := range strings.SplitSeq(strings.TrimRight(diff, "\n"), "\n") {
		role := Body
		switch {
		case text == "", strings.HasPrefix(text, "diff "), strings.HasPrefix(text, "--- "):
			continue
		case strings.HasPrefix(text, "+++ "):
			text, role = strings.TrimPrefix(text, "+++ b/"), Strong
		case strings.HasPrefix(text, "@@"):
			role = Muted
		case strings.HasPrefix(text, "+"):
			role = Good
		case strings.HasPrefix(text, "-"):
			role = Bad
		}
		out = append(out, line(seg("  "+ansi.Truncate(verbatim(text), max(o.width()-2, 4), o.glyphs().ellipsis), role)))
	}
	return out
}

// verbatim is a line of somebody's source for the terminal: its tabs are blanks,
// and what would move the cursor is gone.
func verbatim(text string) string { return printable(strings.ReplaceAll(text, "\t", "    ")) }

// ofSource reports whether a finding is about source, and not about a run.
func ofSource(f report.Finding) bool {
	return len(f.Lanes) == 0 && f.Growth == nil && strings.HasSuffix(f.Where.File, ".go")
}

// sourceStory is the story of a finding of source in Markdown: its places, the
// race, and the ways out as a list.
func sourceStory(b *strings.Builder, f report.Finding) {
	b.WriteByte('\n')
	for _, p := range Places(f) {
		note := ""
		if p.Note != "" {
			note = ": " + escape(p.Note)
		}
		fmt.Fprintf(b, "- %s%s\n", code(Clean(Where(p.At))), note)
	}
	moves, lanes, fixes := raceOf(f)
	if len(moves) > 0 {
		b.WriteByte('\n')
	}
	for i, m := range moves {
		said := escape(m.text)
		if m.lane >= 0 {
			said = "**" + escape(lanes[m.lane]) + "** " + said
		}
		if m.note != "" {
			said += " → " + escape(m.note)
		}
		fmt.Fprintf(b, "%d. %s\n", i+1, said)
	}
	if len(fixes) > 0 {
		b.WriteString("\n**Ways out, the best first:**\n\n")
	}
	for _, way := range fixes {
		fmt.Fprintf(b, "- %s\n", escape(way))
	}
}
