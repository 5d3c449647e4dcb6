package contention

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// What counts as enough for one actor: others may have met all the time where
// this one never did.
const (
	enoughOfActor       = enoughPairs / 10
	enoughRoundsOfActor = enoughRounds / 10
)

// actor is what one actor's transactions met.
type actor struct {
	acts   bool // it changes rows, or writes after it has looked: it can lose a race
	pairs  int64
	rounds int64
	met    bool // in this round
}

// acts reports whether a statement changes rows that others may change, or
// writes after a look. New rows alone get into nobody's way.
func acts(a *sqlread.Access, looked bool) bool {
	return slices.ContainsFunc(a.Tables, func(t sqlread.Table) bool {
		return t.Kind == sqlread.Update || t.Kind == sqlread.Delete || looked && t.Kind.Writes()
	})
}

// meets counts a meeting; statements outside of any call have no actor.
func (a *actor) meets() {
	if a != nil {
		a.pairs++
		a.met = true
	}
}

// sees notes for the round at hand that the actor met another lane; how often is
// not known.
func (a *actor) sees() {
	if a != nil {
		a.met = true
	}
}

func (a *actor) endRound() {
	if a.met {
		a.rounds++
	}
	a.met = false
}

// alone tells of an actor that hardly met anybody, "" when there is none.
func (m *meter) alone(rounds bool) string {
	for _, name := range slices.Sorted(maps.Keys(m.actors)) {
		switch a := m.actors[name]; {
		case !a.acts:
		case rounds && a.rounds < enoughRoundsOfActor:
			return fmt.Sprintf("too little contention: actor %s met another lane on the same row in %d of %d rounds, %d are needed; "+
				"give it rows that others use, or use ccheck explore, which plays every interleaving", name, a.rounds, m.allRounds, enoughRoundsOfActor)
		case !rounds && a.pairs < enoughOfActor:
			return fmt.Sprintf("too little contention: transactions of actor %s overlapped with others on the same row %d times, %d are needed; "+
				"give it more weight and hotter rows, let it run longer, or use ccheck explore, which plays every interleaving", name, a.pairs, enoughOfActor)
		}
	}
	return ""
}
