package stdio

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/tui/story"
)

// leastRoom is how many cells a second column needs to be worth one.
const leastRoom = 20

// Row writes a name in a column of width cells, behind indent, and what there is
// to say of it. On a terminal a long text goes on below itself; anywhere else a
// row is one line, for those who search it.
func (s *Streams) Row(indent, width int, name, text string) {
	left := indent + width + 2
	lines := []string{text}
	if room := s.Width() - left; s.OutTTY && room >= leastRoom {
		lines = story.Wrap(text, room, 0)
	}
	fmt.Fprintf(s.Out, "%*s%-*s  %s\n", indent, "", width, name, strings.Join(lines, "\n"+strings.Repeat(" ", left)))
}
