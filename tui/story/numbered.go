package story

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// numbered lays the steps out one below the other: number, lane, statement, and
// on the same line or below it what was read, written and answered.
func numbered(f report.Finding, o Options) []Line {
	names := 0
	for _, s := range f.Steps {
		names = max(names, ansi.StringWidth(lane(f, s.Lane).Name))
	}
	names = min(names, 12, o.width()/4)
	m := len(itoa(len(f.Steps))) + 1
	var out []Line
	for i, s := range f.Steps {
		head := []Segment{
			seg(fmt.Sprintf("%*d ", m, i+1), Muted),
			seg(pad(lane(f, s.Lane).Name, names)+" ", laneRole(s.Lane)),
		}
		out = append(out, stepLines(head, parts(f, i, o, true), i, o)...)
	}
	return out
}

// stepLines sets the parts of a step behind its head, on one line while they fit.
func stepLines(head []Segment, ps []part, step int, o Options) []Line {
	indent := line(head...).cells()
	room := max(o.width()-indent, 8)
	cur := Line{Segments: head, Step: step + 1}
	used := 0
	var out []Line
	for _, p := range ps {
		for _, text := range wrapped(p.text, room, o.glyphs()) {
			w := line(seg(text, p.role)).cells()
			if used > 0 && (p.role == Body || used+2+w > room) {
				out = append(out, cur)
				cur, used = Line{Segments: []Segment{seg(strings.Repeat(" ", indent), Body)}, Step: step + 1}, 0
			}
			if used > 0 {
				cur.Segments = append(cur.Segments, seg("  ", Body))
				used += 2
			}
			cur.Segments = append(cur.Segments, seg(text, p.role))
			used += w
		}
	}
	return append(out, cur)
}

// plainSteps says each step in one whole line of words, for people who listen to
// their terminal and for grep.
func plainSteps(f report.Finding) []Line {
	var out []Line
	for i, s := range f.Steps {
		facts := []string{s.Text}
		add := func(word, text string) {
			if text != "" {
				facts = append(facts, word+text)
			}
		}
		if s.Text == "" || hasPrefixFold(s.Result, s.Text) {
			facts = nil
		}
		add("", s.Wait)
		add("reads ", s.Read)
		add("writes ", s.Wrote)
		add("", s.Result)
		for _, d := range s.Deps {
			add("", depWords(f, d))
		}
		text := fmt.Sprintf("STEP %d %s %s", i+1, lane(f, s.Lane).Name, strings.Join(facts, "; "))
		out = append(out, Line{Segments: []Segment{seg(text, Body)}, Step: i + 1})
	}
	return out
}
