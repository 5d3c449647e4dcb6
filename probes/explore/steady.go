package explore

import (
	"fmt"
	"slices"

	"github.com/ccheck/ccheck/probes/history"
)

// UnsteadyError says that a request, sent first from the same rows, was answered
// now this, now that. What an application remembers beside its database, or leaves to
// chance, decides; its schedules say nothing.
type UnsteadyError struct{ Lane, First, Then string }

func (e *UnsteadyError) Error() string {
	return fmt.Sprintf("%s was answered with %s, and, first from the same rows again, with %s", e.Lane, e.First, e.Then)
}

// steady compares how the first request of a serial order was answered with how it
// was before: alone, where the exploration begins with the rows that it had there,
// and in other orders.
func (x *explorer) steady(order []int) error {
	if x.Wire == nil || x.exec.hungry || len(order) == 0 {
		return nil
	}
	lane := order[0]
	l := x.seats[lane].lane
	now := class(x.exec.endings[lane])
	before, known := x.firsts[lane]
	if !known && lane == 0 && l.web.Alone != nil && slices.Contains(x.AsAlone, l.Actor) {
		before, known = class(l.web.Alone.Ending), true
	}
	if x.firsts == nil {
		x.firsts = map[int]string{}
	}
	x.firsts[lane] = now
	if known && before != now {
		return &UnsteadyError{Lane: l.Name, First: before, Then: now}
	}
	return nil
}

// class is the kind of an answer: its outcome and, when there is one, its
// status, since 200 and 204 may tell one who got something from one who did not.
func class(e Ending) string {
	text := string(e.Outcome)
	for _, v := range e.Vars {
		if v.Name == "status" {
			text += " " + v.Value.Text
		}
	}
	if e.Outcome == "" {
		text = string(history.Unknown)
	}
	return text
}
