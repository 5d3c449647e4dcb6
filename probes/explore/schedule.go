package explore

import (
	"fmt"
	"slices"
	"strings"
)

// Choice is what the scheduler does at one point: it lets the next step of a
// lane go or, when all lanes wait for each other, makes one the victim, or it
// has the standby replay what was committed.
type Choice struct {
	Lane   int
	Victim bool
	Replay bool // and no lane
}

// Schedule is a list of choices. It is written as the names of the lanes, one
// for each step, with a ! before the victim of a deadlock: "a b a b !a b"; and
// @replay where the standby catches up.
type Schedule []Choice

const replayWord = "@replay" // which can be no lane's name

// step reports whether the choice lets a lane go on.
func (c Choice) step() bool { return !c.Victim && !c.Replay }

// Text writes the schedule with the names of the lanes.
func (s Schedule) Text(names []string) string {
	words := make([]string, len(s))
	for i, c := range s {
		switch words[i] = names[c.Lane]; {
		case c.Replay:
			words[i] = replayWord
		case c.Victim:
			words[i] = "!" + words[i]
		}
	}
	return strings.Join(words, " ")
}

// ParseSchedule reads what Text has written.
func ParseSchedule(text string, names []string) (Schedule, error) {
	var s Schedule
	for _, word := range strings.Fields(text) {
		if word == replayWord {
			s = append(s, Choice{Replay: true})
			continue
		}
		name, victim := strings.CutPrefix(word, "!")
		lane := slices.Index(names, name)
		if lane < 0 {
			return nil, fmt.Errorf("schedule: no lane is called %q; the lanes are %s", name, strings.Join(names, ", "))
		}
		s = append(s, Choice{Lane: lane, Victim: victim})
	}
	if len(s) == 0 {
		return nil, fmt.Errorf("schedule: there is no step in it; write the lanes in the order of their steps, such as %q", strings.Join(names, " "))
	}
	return s, nil
}

// cost orders schedules: first by the number of times that a lane was left
// though it could have gone on (preemptions; Musuvathi and Qadeer, "Iterative
// context bounding", PLDI 2007), then by all changes of lane.
type cost struct{ preemptions, switches int }

func (c cost) less(o cost) bool {
	if c.preemptions != o.preemptions {
		return c.preemptions < o.preemptions
	}
	return c.switches < o.switches
}

// after is the cost when the lane that goes on is c, was last before, and the
// options are those.
func (c cost) after(last int, next Choice, options []Choice) cost {
	if last < 0 || !next.step() || next.Lane == last {
		return c
	}
	c.switches++
	if slices.Contains(options, Choice{Lane: last}) {
		c.preemptions++
	}
	return c
}

// stay goes on with the last lane while it can, and then with the first one.
func stay(e *execution, options []Choice) Choice {
	if c := (Choice{Lane: e.last}); slices.Contains(options, c) {
		return c
	}
	return options[0]
}

// inOrder lets the lanes run one after the other in the order given, with a
// standby that is never behind.
func inOrder(order []int) func(*execution, []Choice) Choice {
	return func(_ *execution, options []Choice) Choice {
		if c := (Choice{Replay: true}); slices.Contains(options, c) {
			return c
		}
		for _, lane := range order {
			if c := (Choice{Lane: lane}); slices.Contains(options, c) {
				return c
			}
		}
		return options[0]
	}
}

// orders are all orders of all sets of the lanes 0 to n-1, the orders of the
// whole set first, the empty one last: a lane that was refused or rolled back
// may as well not have been there.
func orders(n int) [][]int {
	var all [][]int
	var grow func(order []int)
	grow = func(order []int) {
		all = append(all, slices.Clone(order))
		for lane := range n {
			if !slices.Contains(order, lane) {
				grow(append(order, lane))
			}
		}
	}
	grow(nil)
	slices.SortStableFunc(all, func(a, b []int) int { return len(b) - len(a) })
	return all
}
