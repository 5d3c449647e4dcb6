// Package retry is the first screen of a run that asks calls for a retry: how often
// each was tried after what went wrong, what its caller was told and what came of
// it. While the run goes on it says where it stands.
package retry

import (
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// New returns the screen.
func New() screen.Screen { return screen.NewText(screen.Retry, lines) }

func lines(d screen.Data, o story.Options) []story.Line {
	return screen.Timeline(d, "The tries are drawn when the run has ended.", o)
}
