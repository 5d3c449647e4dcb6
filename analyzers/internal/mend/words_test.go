package mend

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
)

// The words are those of the built-in scenarios.
func TestKindOf(t *testing.T) {
	for text, want := range map[string]report.FixKind{
		"change the balance in place, and let the statement decide (variant atomic)":                   report.Atomic,
		"compare a version when writing back, and start over (variant optimistic)":                     report.Optimistic,
		"lock the rows that are read, in id order (variant pessimistic)":                               report.Pessimistic,
		"add CHECK (balance >= 0) and answer 23514 with a refusal (variant constraint)":                report.Constraint,
		"add UNIQUE (seat_id) to ticket and answer 23505 with a refusal (variant constraint)":          report.Constraint,
		"take the seat with UPDATE … WHERE sold_to IS NULL and look at the row count (variant atomic)": report.Atomic,
	} {
		if got := KindOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
