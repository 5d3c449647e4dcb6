package isolation

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"
)

// Spec is one spec file. It is not changed by playing it.
type Spec struct {
	File         string
	Setup        []Block // each is sent on its own, in order
	Teardown     *Block  // nil when there is none
	Sessions     []*Session
	Permutations []Permutation // as written; none means all interleavings
}

// Block is the SQL between braces, without the blanks next to them.
type Block struct {
	Pos
	SQL string
}

// Session is what one connection does.
type Session struct {
	Pos
	Name     string
	Setup    *Block // nil when there is none
	Steps    []*Step
	Teardown *Block // nil when there is none
}

// Step is one block of SQL that is sent in one message.
type Step struct {
	Pos
	Name    string
	SQL     string
	Session int // index into Spec.Sessions
}

// Permutation is an order in which steps are sent. It may leave steps out and
// repeat others.
type Permutation []Launch

// String is the names of the steps with blanks in between.
func (p Permutation) String() string {
	names := make([]string, len(p))
	for i, l := range p {
		names[i] = l.Step.Name
	}
	return strings.Join(names, " ")
}

// Launch is a step at its place in a permutation.
type Launch struct {
	Pos
	Step    *Step
	Markers []Marker
}

// Marker is a condition in parentheses after a step's name. It delays the
// report that the step is complete, never its launch. Which of the three it is
// follows from what is set: nothing is "*" (report the step as waiting in any
// case), Step alone is "other" (not before that step is complete), and with
// Notices it is "other notices n" (not before its session has seen n more).
type Marker struct {
	Pos
	Step    *Step
	Notices int
}

// once says that the marker is "*".
func (m Marker) once() bool { return m.Step == nil }

// Pos is a place in a spec file. Both count from 1, columns in characters.
type Pos struct{ Line, Column int }

// Error is a mistake in a spec file.
type Error struct {
	File string
	Pos
	Msg string // with the mend where there is one
}

// Error is one line: file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// All yields the permutations to play: those that are written, or every
// interleaving of the sessions' steps in isolationtester's order, which is
// depth first with the earlier session first. A permutation is valid until the
// next one is asked for.
func (s *Spec) All() iter.Seq[Permutation] {
	return func(yield func(Permutation) bool) {
		if len(s.Permutations) == 0 {
			s.interleave(nil, make([]int, len(s.Sessions)), yield)
			return
		}
		for _, p := range s.Permutations {
			if !yield(p) {
				return
			}
		}
	}
}

// interleave completes the permutation that begins with head, of which taken
// steps belong to each session. It returns false to end the enumeration.
func (s *Spec) interleave(head Permutation, taken []int, yield func(Permutation) bool) bool {
	last := true
	for i, session := range s.Sessions {
		if taken[i] == len(session.Steps) {
			continue
		}
		last = false
		step := session.Steps[taken[i]]
		taken[i]++
		more := s.interleave(append(head, Launch{Pos: step.Pos, Step: step}), taken, yield)
		taken[i]--
		if !more {
			return false
		}
	}
	return !last || yield(head)
}

// Count returns how many permutations All yields. Interleavings are a
// multinomial coefficient, which soon has more digits than an int.
func (s *Spec) Count() *big.Int {
	if n := len(s.Permutations); n > 0 {
		return big.NewInt(int64(n))
	}
	count, steps := big.NewInt(1), int64(0)
	for _, session := range s.Sessions {
		n := int64(len(session.Steps))
		steps += n
		count.Mul(count, new(big.Int).Binomial(steps, n))
	}
	return count
}

// unused returns the steps that no written permutation has, in the order of
// their names. With none written every step is used.
func (s *Spec) unused() []string {
	if len(s.Permutations) == 0 {
		return nil
	}
	used := map[*Step]bool{}
	for _, p := range s.Permutations {
		for _, l := range p {
			used[l.Step] = true
		}
	}
	var names []string
	for _, session := range s.Sessions {
		for _, step := range session.Steps {
			if !used[step] {
				names = append(names, step.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}
