package explain

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ccheck/ccheck/cmd/internal/catalog"
	"github.com/ccheck/ccheck/cmd/internal/glossary"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
	"github.com/ccheck/ccheck/tui/story"
)

// glossaryName asks for all words.
const glossaryName = "glossary"

// separate sets a blank line before all but the first.
func separate(s *stdio.Streams, blank *bool) {
	if *blank {
		fmt.Fprintln(s.Out)
	}
	*blank = true
}

func printEntry(s *stdio.Streams, e catalog.Entry) {
	fmt.Fprintf(s.Out, "%s (%s): %s\n", e.Name, e.Kind, e.Summary)
	if e.Doc != "" {
		fmt.Fprintf(s.Out, "\n%s\n", e.Doc)
	}
}

// maxWidth is how wide running text is set, in cells.
const maxWidth = 100

func printTerm(s *stdio.Streams, t glossary.Term) {
	fmt.Fprintf(s.Out, "%s: %s\n", t.Name, t.Short)
	if len(t.Also) > 0 {
		fmt.Fprintf(s.Out, "also called %s\n", strings.Join(t.Also, ", "))
	}
	if t.Text != "" {
		fmt.Fprintf(s.Out, "\n%s\n", strings.Join(story.Wrap(t.Text, min(s.Width(), maxWidth), 0), "\n"))
	}
	if len(t.Show) > 0 {
		fmt.Fprint(s.Out, "\nsee it\n")
	}
	for _, show := range t.Show {
		fmt.Fprintf(s.Out, "  %s\n      %s\n", show.Run, show.What)
	}
	fmt.Fprint(s.Out, "\nsource\n")
	for _, from := range t.Sources {
		fmt.Fprintf(s.Out, "  %s\n      %s\n", from.Title, from.URL)
	}
	if len(t.Related) > 0 {
		fmt.Fprintf(s.Out, "\nrelated: %s\n", strings.Join(t.Related, ", "))
	}
}

func printGlossary(s *stdio.Streams) {
	width := 0
	for _, t := range glossary.Terms() {
		width = max(width, utf8.RuneCountInString(t.Name))
	}
	for _, t := range glossary.Terms() {
		s.Row(0, width, t.Name, t.Short)
	}
}
