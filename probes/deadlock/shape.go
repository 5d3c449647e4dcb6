package deadlock

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Scenario is the built-in scenario that holds the scripts of the shapes.
const Scenario = "deadlock"

// MaxLanes bounds the lanes of a run without load.
const MaxLanes = 16

// Shape is a way in which calls come to wait for each other.
type Shape struct {
	Name  string
	Title string
	Lanes int // as it comes
	// Cures are the variants of the scenario that change its script.
	Cures []string

	actor  string
	params func(lane, lanes int) []scenario.Param
}

// Shapes are the built-in ones.
var Shapes = []Shape{
	{Name: "transfer", Title: "two accounts, in the order of the arguments", Lanes: 2, Cures: []string{"ordered", "retry", "lock-timeout"}, actor: "transfer", params: ring("src", "dst")},
	{Name: "cycle", Title: "accounts in a ring", Lanes: 3, Cures: []string{"ordered", "retry", "lock-timeout"}, actor: "transfer", params: ring("src", "dst")},
	{Name: "foreign-key", Title: "one row, FOR KEY SHARE by a foreign key and then FOR UPDATE", Lanes: 2, Cures: []string{"no-key-update", "retry", "lock-timeout"}, actor: "reply"},
	{Name: "upgrade", Title: "one row, FOR SHARE and then written", Lanes: 2, Cures: []string{"for-update", "retry", "lock-timeout"}, actor: "topup"},
	{Name: "advisory", Title: "advisory locks, in the order of a map", Lanes: 2, Cures: []string{"ordered", "retry", "lock-timeout"}, actor: "reserve", params: ring("first", "second")},
}

// Find returns the shape with that name.
func Find(name string) (Shape, bool) {
	i := slices.IndexFunc(Shapes, func(s Shape) bool { return s.Name == name })
	if i < 0 {
		return Shape{}, false
	}
	return Shapes[i], true
}

// ring gives each lane its own number and that of the next one, so that the
// last one needs what the first one has.
func ring(first, second string) func(lane, lanes int) []scenario.Param {
	return func(lane, lanes int) []scenario.Param {
		return []scenario.Param{
			{Name: first, Value: strconv.Itoa(lane + 1)},
			{Name: second, Value: strconv.Itoa((lane+1)%lanes + 1)},
		}
	}
}

// Team is calls that run beside each other.
type Team struct {
	Scenario *scenario.Scenario // with these actors and no others
	Actors   []string           // one for each lane
}

// Team makes the lanes of a shape of a version of the scenario.
func (s Shape) Team(sc *scenario.Scenario, lanes int) Team {
	own := *sc
	own.Actors = nil
	t := Team{Scenario: &own}
	for i := range lanes {
		a := *sc.Actor(s.actor)
		if s.params != nil {
			a.Params = override(a.Params, s.params(i, lanes))
			a.Name = fmt.Sprintf("%s_%d_%d", a.Name, i+1, (i+1)%lanes+1)
		}
		if own.Actor(a.Name) == nil {
			own.Actors = append(own.Actors, a)
		}
		t.Actors = append(t.Actors, a.Name)
	}
	return t
}

// override gives parameters other values.
func override(params, with []scenario.Param) []scenario.Param {
	params = slices.Clone(params)
	for _, w := range with {
		i := slices.IndexFunc(params, func(p scenario.Param) bool { return p.Name == w.Name })
		if i < 0 {
			params = append(params, w)
			continue
		}
		params[i].Value = w.Value
	}
	return params
}

// Of makes a team of actors of a scenario of the user's.
func Of(sc *scenario.Scenario, actors []string) Team { return Team{Scenario: sc, Actors: actors} }

// InTurn is the schedule in which each lane takes a step before any takes its
// second one.
func (t Team) InTurn(steps int) explore.Schedule {
	var s explore.Schedule
	for range steps {
		for lane := range t.Actors {
			s = append(s, explore.Choice{Lane: lane})
		}
	}
	return s
}
