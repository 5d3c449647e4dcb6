// Package story lays a finding out as text: the lanes of its transactions side
// by side, or one numbered line a step where the terminal is narrow, with the
// reason and the mends below them.
//
// It is pure layout: no colour, no terminal, no I/O. Every piece of text
// carries a Role, and whoever shows it gives the role a colour. The terminal
// UI and the text sink both draw with it, so that a race looks the same on
// the screen, in a log and in a chat message. It imports the report and a
// width table, nothing else of ours.
package story

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Role says what a piece of text is, so that a sink can colour it.
type Role uint8

// The roles. The four lane roles repeat from the fifth lane on.
const (
	Body   Role = iota // running text
	Muted              // numbers, separators, details
	Strong             // headings and labels
	LaneA
	LaneB
	LaneC
	LaneD
	Read  // a value that was read
	Wrote // a value that was written
	Wait  // waiting for a lock
	Good  // a commit, a claim that holds
	Bad   // an error, a violation
	Warn  // unknown, medium severity
	Edge  // an arrow between lanes
	Code  // SQL and commands
)

const laneRoles = 4

// Segment is a run of text with one role.
type Segment struct {
	Text string
	Role Role
}

// Line is one line without its line break.
type Line struct {
	Segments []Segment
	// Step is one more than the index of the step shown, 0 when none is.
	Step int
}

// String is the text of the line, without trailing blanks.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l.Segments {
		b.WriteString(s.Text)
	}
	return strings.TrimRight(b.String(), " ")
}

// Width is the number of terminal cells the line takes.
func (l Line) Width() int { return ansi.StringWidth(l.String()) }

// Options says for what the lines are made.
type Options struct {
	Width   int  // cells; 0 means 100
	ASCII   bool // draw with ASCII only
	Plain   bool // one whole fact a line, words instead of glyphs, no wrapping
	Verbose bool // with the scripts for two psql sessions, and every row
}

const (
	defaultWidth = 100
	sideBySide   = 100 // narrower than this, lanes become numbered lines
	minColumn    = 28  // a statement in less than this is unreadable
	maxTextLines = 8   // of one statement in one cell
)

func (o Options) width() int {
	if o.Width <= 0 {
		return defaultWidth
	}
	return o.Width
}

// glyphs are the signs the lines are drawn with.
type glyphs struct {
	read, wrote, wait, result, dep   string
	bar, dash, left, right, ellipsis string
	bad, good, unknown               string
}

func (o Options) glyphs() glyphs {
	if o.ASCII {
		return glyphs{"< ", "> ", ". ", "= ", "^ ", "|", "-", "<", ">", "...", "x", "+", "?"}
	}
	return glyphs{"◂ ", "▸ ", "⋯ ", "→ ", "↖ ", "│", "─", "◀", "▶", "…", "✗", "✓", "?"}
}

// Lanes lays out the steps of a finding. It returns nothing for a finding
// that tells no story.
func Lanes(f report.Finding, o Options) []Line {
	f = o.clean(f)
	switch {
	case len(f.Steps) == 0:
		return nil
	case o.Plain:
		return plainSteps(f)
	case o.width() >= sideBySide && columnWidth(f, o) >= minColumn:
		return columns(f, o)
	}
	return numbered(f, o)
}

// lanesOf counts the lanes; a stored finding may name a lane it does not
// describe.
func lanesOf(f report.Finding) int {
	n := len(f.Lanes)
	for _, s := range f.Steps {
		n = max(n, s.Lane+1)
	}
	return n
}

// lane describes lane i, also when the finding does not.
func lane(f report.Finding, i int) report.Lane {
	if i >= 0 && i < len(f.Lanes) {
		return f.Lanes[i]
	}
	return report.Lane{Name: "T" + itoa(i+1)}
}

func laneRole(i int) Role {
	if i < 0 {
		return Body
	}
	return LaneA + Role(i%laneRoles)
}

func line(segs ...Segment) Line { return Line{Segments: segs} }

func seg(text string, role Role) Segment { return Segment{Text: text, Role: role} }
