package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// vet is the probe of a run over source. Its findings have a place and no
// lanes: they are told as compilers do, so that editors can jump to them.
const vet = "vet"

// source writes the findings of a run over source: a line with the place and
// the rule, then the story and the other places, indented.
func (s *Sink) source(sum report.Summary) error {
	var b strings.Builder
	for _, f := range s.findings {
		s.write(&b, sourceLines(f))
	}
	for _, why := range sum.Reasons {
		s.write(&b, []story.Line{plainLine("not judged: "+why, story.Warn)})
	}
	for _, n := range sum.Notes {
		s.write(&b, []story.Line{plainLine(n, story.Body)})
	}
	if sum.Line != "" {
		b.WriteString(sum.Line + "\n")
	}
	if _, err := io.WriteString(s.out, b.String()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

func sourceLines(f report.Finding) []story.Line {
	lines := []story.Line{{Segments: []story.Segment{
		{Text: story.Where(f.Where) + ": ", Role: story.Strong},
		{Text: f.Message + " ", Role: story.SeverityRole(f.Severity)},
		{Text: "(" + f.Rule + ")", Role: story.Muted},
	}}}
	if f.Why != "" {
		for text := range strings.SplitSeq(f.Why, "\n") {
			lines = append(lines, plainLine("    "+text, story.Body))
		}
	}
	for _, step := range f.Steps {
		lines = append(lines, story.Line{Segments: []story.Segment{
			{Text: "    " + story.Where(step.Where) + ": ", Role: story.Muted}, {Text: step.Text, Role: story.Body},
		}})
	}
	return lines
}

func plainLine(text string, role story.Role) story.Line {
	return story.Line{Segments: []story.Segment{{Text: strings.TrimRight(text, " "), Role: role}}}
}
