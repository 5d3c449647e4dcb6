package main

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/glossary"
)

// glossary makes the page of the words of the field.
func (p pages) glossary() {
	b := page("Glossary")
	fmt.Fprint(b, "\nThe words of the field as ccheck uses them, each with its source. `ccheck explain WORD` prints one of them; any of\n"+
		"its names will do.\n")
	for _, t := range glossary.Terms() {
		fmt.Fprintf(b, "\n## %s\n\n%s.\n", t.Name, strings.ToUpper(t.Short[:1])+t.Short[1:])
		if len(t.Also) > 0 {
			fmt.Fprintf(b, "\n*Also:* %s\n", strings.Join(t.Also, ", "))
		}
		if t.Text != "" {
			fmt.Fprintf(b, "\n%s\n", t.Text)
		}
		if len(t.Show) > 0 {
			fmt.Fprintln(b)
		}
		for _, s := range t.Show {
			fmt.Fprintf(b, "- `%s`: %s\n", s.Run, s.What)
		}
		fmt.Fprintln(b)
		for _, s := range t.Sources {
			fmt.Fprintf(b, "- [%s](%s)\n", s.Title, s.URL)
		}
		if len(t.Related) > 0 {
			fmt.Fprintf(b, "\n*Related:* %s\n", strings.Join(t.Related, ", "))
		}
	}
	p["glossary.md"] = []byte(b.String())
}
