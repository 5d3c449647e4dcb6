package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is one fault of a scenario, for its author. Line and Column count from
// 1; without them the fault is about the file as a whole.
type Error struct {
	File         string
	Line, Column int
	Msg          string
	Hint         string // the mend, shown on a line of its own; may be empty
}

func (e *Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
	case e.File != "":
		return e.File + ": " + e.Msg
	}
	return e.Msg
}

// join returns the errors as one, each file's together and in the order of its
// lines; the files stay in the order in which they were read.
func join(errs []*Error) error {
	if len(errs) == 0 {
		return nil
	}
	order := map[string]int{}
	for _, e := range errs {
		if _, ok := order[e.File]; !ok {
			order[e.File] = len(order)
		}
	}
	slices.SortStableFunc(errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	list := make([]error, len(errs))
	for i, e := range errs {
		list[i] = e
	}
	return errors.Join(list...)
}

// Errors returns every Error in err, in order: what Load joined.
func Errors(err error) []*Error {
	var list []*Error
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			list = append(list, Errors(e)...)
		}
		return list
	}
	var one *Error
	if errors.As(err, &one) {
		list = append(list, one)
	}
	return list
}

// oneOf is a hint for a name that is not among the known ones: the one that
// was probably meant, otherwise all of them.
func oneOf(name string, known []string, none string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return none
	}
	return "one of " + strings.Join(known, ", ")
}

// nearest returns the known name that takes the fewest edits, "" when all are
// further than a third of the name's length.
func nearest(name string, known []string) string {
	best, limit := "", max(1, len(name)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours, each counted as one.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	var rows [3][65]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
