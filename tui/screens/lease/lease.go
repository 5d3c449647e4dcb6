// Package lease is the first screen of a run with leases or leaders: who held
// the lease over time, what the resource took and refused, and what is claimed.
// While the run goes on it says where it stands.
package lease

import (
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// New returns the screen.
func New() screen.Screen { return screen.NewText(screen.Lease, lines) }

func lines(d screen.Data, o story.Options) []story.Line {
	return screen.Timeline(d, "The time line is drawn when the run has ended.", o)
}
