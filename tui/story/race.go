package story

import (
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// move is one line of the story of a finding of source. A lane of -1 is what
// comes of it for all.
type move struct {
	lane int
	text string
	note string // what the one who moves cannot know
}

var (
	actor = regexp.MustCompile(`^(?:(?:request|goroutine|process|worker|machine|connection) ([A-C1-3])|([A-C]))(?:: |[ ,])|^(primary|replica): `)
	ways  = regexp.MustCompile(`(?i)^fix(?:, best first)?: `)
	both  = regexp.MustCompile(`^A \S+ [^,:]*, B `)
)

// raceOf reads the story of a finding of source: who does what in which order,
// and the ways out, the best first. Analyzers tell it as lines of text, the ways
// out behind "fix:" in the last one.
func raceOf(f report.Finding) (moves []move, lanes, fixes []string) {
	for text := range strings.SplitSeq(f.Why, "\n") {
		text = strings.TrimSpace(text)
		if at := ways.FindString(text); at != "" {
			for way := range strings.SplitSeq(text[len(at):], "; ") {
				fixes = append(fixes, strings.TrimPrefix(way, "or "))
			}
			continue
		}
		if text == "" {
			continue
		}
		name, rest := actorOf(text)
		m := move{lane: -1}
		m.text, m.note, _ = strings.Cut(rest, "   -- ")
		if name != "" {
			if m.lane = slices.Index(lanes, name); m.lane < 0 {
				m.lane, lanes = len(lanes), append(lanes, name)
			}
		}
		moves = append(moves, m)
	}
	return moves, lanes, fixes
}

// actorOf is who a line is about, and the line without the name where it only
// stands before what is done.
func actorOf(text string) (name, rest string) {
	m := actor.FindStringSubmatch(text)
	if m == nil || both.MatchString(text) {
		return "", text
	}
	name = m[1] + m[2] + m[3]
	if strings.HasSuffix(m[0], ": ") {
		return name, text[len(m[0]):]
	}
	return name, strings.TrimSpace(text[len(m[0])-1:])
}

const (
	raceColumns = 64 // narrower than this, the lanes stand below each other
	raceGutter  = 3
)

// Race lays the story of a finding of source out in lanes, side by side where
// there is room for two.
func Race(f report.Finding, o Options) []Line {
	moves, lanes, _ := raceOf(f)
	for i := range moves {
		moves[i].text, moves[i].note = o.Text(moves[i].text), o.Text(moves[i].note)
	}
	if len(lanes) == 2 && o.width() >= raceColumns && !o.Plain {
		return sideways(moves, lanes, o)
	}
	return downwards(moves, lanes, o)
}

// sideways sets two lanes beside each other.
func sideways(moves []move, lanes []string, o Options) []Line {
	width := (o.width() - 4 - raceGutter) / 2
	bar := seg(" "+o.glyphs().bar+" ", Muted)
	out := []Line{line(seg("    "+pad(lanes[0], width), LaneA), bar, seg(lanes[1], LaneB))}
	for i, m := range moves {
		head := pad(" "+itoa(i+1), 4)
		if m.lane < 0 {
			for _, text := range Wrap(m.text, o.width()-4, 0) {
				out = append(out, line(seg(head, Muted), seg(text, Bad)))
				head = pad("", 4)
			}
			continue
		}
		for _, cell := range cells(m, width, o) {
			l := line(seg(head, Muted), seg(pad("", width), Body), bar, cell)
			if m.lane == 0 {
				l = line(seg(head, Muted), seg(pad(cell.Text, width), cell.Role), bar)
			}
			out, head = append(out, l), pad("", 4)
		}
	}
	return out
}

// cells are the lines of one move.
func cells(m move, width int, o Options) []Segment {
	var out []Segment
	for _, text := range wrapped(m.text, width, o.glyphs()) {
		out = append(out, seg(text, Code))
	}
	for _, text := range Wrap(o.glyphs().result+m.note, width, 2) {
		if m.note != "" {
			out = append(out, seg(text, Bad))
		}
	}
	return out
}

// downwards sets the moves below each other, each with the name of its lane.
func downwards(moves []move, lanes []string, o Options) []Line {
	names := 0
	for _, name := range lanes {
		names = max(names, ansi.StringWidth(name)+1)
	}
	var out []Line
	for i, m := range moves {
		head := []Segment{seg(pad(" "+itoa(i+1), 4), Muted), seg(pad("", names), Body)}
		role := Bad
		if m.lane >= 0 {
			head[1], role = seg(pad(lanes[m.lane], names), laneRole(m.lane)), Code
		}
		ps := []part{{text: m.text, role: role}}
		if m.note != "" {
			ps = append(ps, part{text: o.glyphs().result + m.note, role: Bad})
		}
		out = append(out, stepLines(head, ps, -1, o)...)
	}
	return out
}

// Ways are the ways out of a finding of source, numbered, the best first.
func Ways(f report.Finding, o Options) []Line {
	_, _, fixes := raceOf(f)
	var out []Line
	for i, way := range fixes {
		out = append(out, o.label("fix "+itoa(i+1), way, Body)...)
	}
	return out
}

// InLanes tells a finding of source as one of a run: each line of its race is a
// step of a lane, at the place in the source where that is known, and its ways
// out are fixes. Others, and those without two who race, stay as they are.
func InLanes(f report.Finding) report.Finding {
	moves, lanes, fixes := raceOf(f)
	if !ofSource(f) || len(lanes) < 2 {
		return f
	}
	places, why := Places(f), []string(nil)
	f.Steps, f.Lanes = nil, nil
	for _, name := range lanes {
		f.Lanes = append(f.Lanes, report.Lane{Name: name})
	}
	for _, m := range moves {
		if m.lane < 0 {
			why = append(why, m.text)
			continue
		}
		s := report.Step{Lane: m.lane, Text: m.text, Result: m.note}
		i := slices.IndexFunc(places, func(p Place) bool { return p.Note != "" && strings.HasSuffix(p.Note, m.text) })
		if i >= 0 {
			s.Where = places[i].At
		}
		f.Steps = append(f.Steps, s)
	}
	for _, p := range places {
		if p.Note != "" && !slices.ContainsFunc(f.Steps, func(s report.Step) bool { return s.Where == p.At }) {
			why = append(why, Where(p.At)+": "+p.Note)
		}
	}
	for _, way := range fixes {
		f.Fixes = append(f.Fixes, report.Fix{Title: way})
	}
	f.Why = strings.Join(why, "\n")
	return f
}
