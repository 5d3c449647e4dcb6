// Package ledger keeps books of the accepted calls: what a column held before,
// plus the effects of every accepted call, is what it holds after, key by key.
// It needs no invariant of the tables, and a loss on one key cannot hide behind
// a gain on another one as it does in a sum.
package ledger

// Doc describes the checker.
const Doc = `ledger: accepted calls whose effect is missing, and refused ones that had one

For every actor that declares effects, the value of a key before the run plus
the effects of all accepted calls must be the value after it, exactly. A
difference means that something accepted was dropped, done twice, or that
something refused or failed took effect all the same. Calls whose outcome is
unknown widen the expectation and are never held against anybody.

Conservation alone is not enough: a sum can be right while single accounts are
wrong, when a loss here and a gain there cancel.`
