package mend

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
)

// KindOf guesses the kind of a fix from its words, as a scenario has them.
func KindOf(text string) report.FixKind {
	text = strings.ToLower(text)
	for _, k := range []struct {
		word string
		kind report.FixKind
	}{
		{"for update", report.Pessimistic}, {"lock", report.Pessimistic}, {"version", report.Optimistic}, {"check (", report.Constraint},
		{"unique", report.Constraint}, {"constraint", report.Constraint}, {"exclude", report.Constraint}, {"serializable", report.Isolation}, {"retry", report.Retry},
	} {
		if strings.Contains(text, k.word) {
			return k.kind
		}
	}
	return report.Atomic
}
