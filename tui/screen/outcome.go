package screen

import (
	"slices"

	"github.com/ccheck/ccheck/tui/story"
)

// Outcome is what most first screens end with: what is claimed, what was found and
// why, and what else there is to know.
func Outcome(d Data, o story.Options) []story.Line {
	out := story.Claims(d.Summary.Final.Claims, o)
	for _, x := range d.Findings {
		out = append(out, story.Line{})
		out = append(out, Wrapped(x.Message, story.Bad, o)...)
		out = append(out, Wrapped(x.Why, story.Body, o)...)
	}
	out = append(out, story.Line{})
	for _, text := range slices.Concat(d.Summary.Reasons, d.Summary.Notes) {
		out = append(out, Wrapped(text, story.Muted, o)...)
	}
	return out
}

// Timeline is the text of a first screen over a time line; later says until when it
// is not drawn.
func Timeline(d Data, later string, o story.Options) []story.Line {
	if d.Summary == nil {
		return Running(d, later, o)
	}
	var out []story.Line
	if t := story.Timeline(d.Summary.Timeline, o); len(t) > 0 {
		out = append(t, story.Line{})
	}
	return append(out, Outcome(d, o)...)
}

// Running is what a first screen shows until the run has ended: how far it is, and
// a sentence on what is drawn then.
func Running(d Data, later string, o story.Options) []story.Line {
	out := Wrapped(story.State(d.Progress, o), story.Body, o)
	return append(out, Wrapped(later, story.Muted, o)...)
}
