package vet

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// line is one line of the list: a group, or a finding in it.
type line struct {
	id      string
	group   string // id of the group's line
	fold    string // what of Screen.folded it answers to
	finding int    // -1 for a group
	first   int    // of a group: its first finding
	n       int    // of a group: how many there are
	same    int    // how many findings the line stands for
	text    string // what a filter looks at
}

// tree is the list as it is shown.
type tree []line

// group is the findings of one rule or one file, the gravest first.
type group struct {
	name string
	all  []int
}

// known is the tree that was made last, and what it was made of: a list of
// thousands is asked for several times in each frame.
type known struct {
	of string
	t  tree
}

// tree arranges the findings that pass the filter.
func (s *Screen) tree(d screen.Data) tree {
	of := fmt.Sprint(len(d.Findings), d.Faults, s.byFile, s.bySize, s.folds, s.list.Capturing(), s.list.Prompt())
	if s.known.of != of {
		s.known = known{of, s.arrange(d)}
	}
	return s.known.t
}

func (s *Screen) arrange(d screen.Data) tree {
	var t tree
	for _, g := range s.groups(d) {
		head := line{id: "group " + g.name, finding: -1, first: g.all[0], n: len(g.all)}
		head.group, head.fold = head.id, head.id
		rows := s.rows(d, g, head.id)
		var texts []string
		for _, r := range rows {
			texts = append(texts, r.text)
		}
		head.text = strings.Join(texts, "\n") // no filter has a line break: it passes as they do
		t = append(t, head)
		if !s.folded[head.id] {
			t = append(t, rows...)
		}
	}
	return t
}

// groups puts the findings that pass the filter together.
func (s *Screen) groups(d screen.Data) []group {
	var all []group
	for _, it := range s.list.Visible(findings(d)) {
		i, err := strconv.Atoi(it.ID)
		if err != nil {
			continue
		}
		name := d.Findings[i].Rule
		if s.byFile {
			name = d.Findings[i].Where.File
		}
		at := slices.IndexFunc(all, func(g group) bool { return g.name == name })
		if at < 0 {
			at, all = len(all), append(all, group{name: name})
		}
		all[at].all = append(all[at].all, i)
	}
	for _, g := range all {
		slices.SortStableFunc(g.all, func(a, b int) int { return before(d.Findings[a], d.Findings[b]) })
	}
	slices.SortStableFunc(all, func(a, b group) int {
		if s.bySize {
			return cmp.Or(len(b.all)-len(a.all), before(d.Findings[a.all[0]], d.Findings[b.all[0]]))
		}
		return cmp.Or(rank(d, b)-rank(d, a), len(b.all)-len(a.all), cmp.Compare(a.name, b.name))
	})
	return all
}

func rank(d screen.Data, g group) int { return d.Findings[g.all[0]].Severity.Rank() }

func before(a, b report.Finding) int {
	return cmp.Or(b.Severity.Rank()-a.Severity.Rank(), cmp.Compare(a.Where.File, b.Where.File), cmp.Compare(a.Where.Line, b.Where.Line))
}

// findings are all that there are, for the filter.
func findings(d screen.Data) []screen.Item {
	var out []screen.Item
	for i, f := range d.Findings {
		if !d.Faults || f.Severity == report.High {
			out = append(out, screen.Item{ID: strconv.Itoa(i), Text: text(f)})
		}
	}
	return out
}

func text(f report.Finding) string {
	return strings.Join([]string{f.Rule, string(f.Severity), story.Where(f.Where), story.Clean(f.Message)}, " ")
}

// rows are the lines of a group. Findings that say the same are one line until
// it is unfolded.
func (s *Screen) rows(d screen.Data, g group, id string) []line {
	var out []line
	heads := map[string]int{}
	for _, i := range g.all {
		f := d.Findings[i]
		r := line{id: strconv.Itoa(i), group: id, finding: i, same: 1, text: text(f)}
		r.fold = "same " + f.Rule + " " + f.Message
		if at, seen := heads[r.fold]; seen {
			out[at].same++
			if !s.folded[r.fold] {
				continue
			}
		} else {
			heads[r.fold] = len(out)
		}
		out = append(out, r)
	}
	return out
}

func (t tree) items() []screen.Item {
	out := make([]screen.Item, len(t))
	for i, l := range t {
		out[i] = screen.Item{ID: l.id, Text: l.text}
	}
	return out
}

// at is the selected line.
func (t tree) at(l *screen.List) (line, bool) {
	if len(t) == 0 {
		return line{}, false
	}
	return t[l.Index(t.items())], true
}

// row is a line as it is drawn in width cells.
func (s *Screen) row(d screen.Data, l line, f screen.Frame) story.Line {
	if l.finding < 0 {
		mark := f.Glyph("▾", "-")
		if s.folded[l.id] {
			mark = f.Glyph("▸", "+")
		}
		name := strings.TrimPrefix(l.id, "group ")
		return story.Line{Segments: []story.Segment{
			{Text: " " + mark + " ", Role: story.Muted}, {Text: f.Story.Text(name), Role: story.Strong}, {Text: fmt.Sprintf("  %d", l.n), Role: story.Muted},
		}}
	}
	fd := d.Findings[l.finding]
	sign, role := string(fd.Severity), story.SeverityRole(fd.Severity)
	if d.Code[l.finding].Mended {
		sign, role = f.Story.Sign(story.Good)+" mended", story.Good
	}
	return story.Line{Segments: []story.Segment{
		{Text: fmt.Sprintf("   %-8s ", f.Story.Text(sign)), Role: role}, {Text: f.Story.Text(s.label(fd, l)), Role: story.Strong},
		{Text: "  " + f.Story.Text(fd.Message), Role: story.Body},
	}}
}

// label says where a finding is, or which one where the group says the file.
func (s *Screen) label(fd report.Finding, l line) string {
	place := fmt.Sprintf("%s:%d", path.Base(fd.Where.File), fd.Where.Line)
	if s.byFile {
		place = fmt.Sprintf("%d %s", fd.Where.Line, fd.Rule)
	}
	if l.same > 1 && !s.folded[l.fold] {
		place += fmt.Sprintf(" ×%d", l.same)
	}
	return place
}
