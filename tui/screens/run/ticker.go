package run

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// entry is a line of the ticker: a kind of violation with its newest case, or,
// in an unfolded group, one case.
type entry struct {
	id    string
	v     report.Violation
	n     int // cases in the group, 0 for a case
	older bool
}

// entries folds the violations by kind, the kind that was seen last first.
func (s *Screen) entries(d screen.Data) []entry {
	vs := d.Progress.Violations
	cases := map[string][]report.Violation{}
	var order []string
	for i := len(vs) - 1; i >= 0; i-- {
		id := kind(vs[i])
		if cases[id] == nil {
			order = append(order, id)
		}
		cases[id] = append(cases[id], vs[i])
	}
	var out []entry
	for _, id := range order {
		out = append(out, entry{id: id, v: cases[id][0], n: len(cases[id])})
		if !s.open[id] {
			continue
		}
		for _, v := range cases[id] {
			out = append(out, entry{id: fmt.Sprintf("v%d", v.ID), v: v, older: true})
		}
	}
	return out
}

// kind names what violations are folded by: the claim and the story.
func kind(v report.Violation) string { return fmt.Sprintf("%d/%s", v.Finding, v.Claim) }

func items(es []entry) []screen.Item {
	out := make([]screen.Item, len(es))
	for i, e := range es {
		out[i] = screen.Item{ID: e.id, Text: e.v.Claim + " " + e.v.Text}
	}
	return out
}

func claimItems(d screen.Data) []screen.Item {
	var out []screen.Item
	for _, c := range claimStates(d) {
		out = append(out, screen.Item{ID: c.Name, Text: c.Name + " " + c.State})
	}
	return out
}

// claimStates are the claims that are shown. Before the first look at them the
// names are known already.
func claimStates(d screen.Data) []report.ClaimState {
	states := d.Progress.Claims
	if len(states) == 0 {
		for _, name := range d.Run.Claims {
			states = append(states, report.ClaimState{Name: name, State: "waiting"})
		}
	}
	if !d.Faults {
		return states
	}
	var bad []report.ClaimState
	for _, c := range states {
		if c.State == "bad" || c.State == "error" {
			bad = append(bad, c)
		}
	}
	return bad
}

// viewTicker draws the violations in height lines, the title included.
func (s *Screen) viewTicker(d screen.Data, f screen.Frame, height int) []string {
	entries := s.entries(d)
	note := fmt.Sprintf("%d in %s, newest first", len(d.Progress.Violations), kinds(entries))
	if len(entries) == 0 {
		note = unseen(d)
	} else if s.ticker.Following() {
		note += ", following"
	}
	out := []string{f.Title("Violations", join(note, s.ticker.Prompt()), s.focus == violations && !f.Compact)}
	byID := map[string]entry{}
	for _, e := range entries {
		byID[e.id] = e
	}
	visible := s.ticker.Visible(items(entries))
	at := s.ticker.Index(visible)
	from, to := screen.Window(at, len(visible), height-1)
	for i := from; i < to; i++ {
		l := tickerLine(byID[visible[i].ID], d, f)
		out = append(out, f.Row(l, i == at && s.focus == violations))
	}
	return out
}

// unseen says why there is no violation. What explore finds it finds at the end, by
// comparing, and not in a look at the tables.
func unseen(d screen.Data) string {
	switch n := len(d.Findings); {
	case n == 0:
		return "none seen"
	case n == 1:
		return "none while it ran; the finding is on screen 2"
	default:
		return fmt.Sprintf("none while it ran; the %d findings are on screen 2", n)
	}
}

func kinds(es []entry) string {
	n := 0
	for _, e := range es {
		if !e.older {
			n++
		}
	}
	if n == 1 {
		return "1 kind"
	}
	return fmt.Sprintf("%d kinds", n)
}

func tickerLine(e entry, d screen.Data, f screen.Frame) story.Line {
	mark := f.Glyph("▸", ">")
	if e.older {
		mark = " "
	}
	name := ""
	if e.v.Finding >= 0 && e.v.Finding < len(d.Findings) {
		name = story.Name(d.Findings[e.v.Finding]) + ": "
	}
	segs := []story.Segment{
		{Text: fmt.Sprintf(" %s %8s  v%-4d", mark, f.Story.Dur(e.v.At), e.v.ID), Role: story.Muted},
		{Text: " " + f.Story.Sign(story.Bad) + " " + f.Story.Text(name+e.v.Claim), Role: story.Bad},
	}
	if e.n > 1 {
		segs = append(segs, story.Segment{Text: f.Glyph(" ×", " x") + fmt.Sprint(e.n), Role: story.Strong})
	}
	return story.Line{Segments: append(segs, story.Segment{Text: "  " + f.Story.Text(e.v.Text)})}
}

func join(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "  ")
}
