package script

import (
	"fmt"
	"strings"
)

// SyntaxError is a mistake in a script. Line and Column count from 1, columns in
// characters.
type SyntaxError struct {
	File   string
	Line   int
	Column int
	Token  string // what stands there; "" at the end of the line or script
	Msg    string // pgbench's words where it has any
	Hint   string // the mend, when there is one to give
}

// Error is one line: file:line:column: message at "token".
func (e *SyntaxError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
	if e.Token != "" {
		fmt.Fprintf(&b, " at %q", e.Token)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// nearest returns the word of words that s is likely meant to be, or "": at most
// a third of the longer word's letters may have to change.
func nearest(s string, words []string) string {
	best, least := "", len(s)
	for _, w := range words {
		if d := distance(s, w); d < least && 3*d <= max(len(s), len(w)) {
			best, least = w, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with
// their neighbour (optimal string alignment).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
