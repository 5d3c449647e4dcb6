package tape

import (
	"cmp"
	"fmt"
	"slices"
)

// check puts what was read in order: a line is written when what it tells has
// ended. A request that was open when the tape was cut short is not in it.
func (t *Tape) check(name string) error {
	slices.SortFunc(t.Requests, func(a, b *Request) int { return cmp.Compare(a.N, b.N) })
	slices.SortFunc(t.Statements, func(a, b *Statement) int { return cmp.Compare(a.N, b.N) })
	for i, r := range t.Requests {
		if r.N < 1 || i > 0 && r.N == t.Requests[i-1].N {
			return &FormatError{name, 1, fmt.Errorf("the number %d of a request is there twice, or is none", r.N)}
		}
	}
	return nil
}

// Request is the one with that number, nil when it is not on the tape.
func (t *Tape) Request(n int) *Request {
	i, found := slices.BinarySearchFunc(t.Requests, n, func(r *Request, n int) int { return cmp.Compare(r.N, n) })
	if !found {
		return nil
	}
	return t.Requests[i]
}
