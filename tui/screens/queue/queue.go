// Package queue is the first screen of a run of a job queue: which worker had which
// job when, and when it was done, the lost jobs and the doubled ones first. While
// the run goes on it says where it stands.
package queue

import (
	"github.com/ccheck/ccheck/tui/screen"
	"github.com/ccheck/ccheck/tui/story"
)

// New returns the screen.
func New() screen.Screen { return screen.NewText(screen.Queue, lines) }

func lines(d screen.Data, o story.Options) []story.Line {
	return screen.Timeline(d, "The jobs are drawn when the queue is drained.", o)
}
