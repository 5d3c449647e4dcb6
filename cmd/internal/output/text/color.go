package text

import (
	"strings"

	"github.com/ccheck/ccheck/tui/story"
)

// sgr are the colours of the roles, from the sixteen that every terminal has
// and its owner has made readable on their background (ECMA-48 SGR). None
// stands alone: a glyph or a word says the same.
var sgr = map[story.Role]string{
	story.Muted:  "2",
	story.Strong: "1",
	story.LaneA:  "1;34",
	story.LaneB:  "1;35",
	story.LaneC:  "1;36",
	story.LaneD:  "1;33",
	story.Read:   "34",
	story.Wrote:  "35",
	story.Wait:   "33",
	story.Good:   "36",
	story.Bad:    "1;31",
	story.Warn:   "33",
	story.Edge:   "33",
	story.Code:   "1",
}

// colored is the line with the colours of its roles, without trailing blanks.
func colored(l story.Line) string {
	left := len(l.String())
	var b strings.Builder
	for _, s := range l.Segments {
		text := s.Text[:min(len(s.Text), left)]
		left -= len(text)
		code, ok := sgr[s.Role]
		if !ok || strings.TrimSpace(text) == "" {
			b.WriteString(text)
			continue
		}
		b.WriteString("\x1b[" + code + "m" + text + "\x1b[0m")
	}
	return b.String()
}
