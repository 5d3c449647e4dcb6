package explore

import "slices"

// Sleep sets (Godefroid, "Using partial orders to improve automatic verification
// methods", CAV 1990): a step that another branch makes at this point need not
// be made here until something has happened that does not commute with it.
// They are right in whatever order the branches are run, as long as all of them
// are. While a lane waits nothing is said to commute, since a step may let it go.

// awake are the options that are not asleep; all of them when all are, and then
// the schedule is one that is run elsewhere.
func (e *execution) awake(options []Choice) []Choice {
	if len(e.asleep) == 0 {
		return options
	}
	var list []Choice
	for _, c := range options {
		if c.Victim || !asleep(e.asleep, c.Lane) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		e.idle = true
		return options
	}
	return list
}

func asleep(sleep []Access, lane int) bool {
	return slices.ContainsFunc(sleep, func(a Access) bool { return a.Lane == lane })
}

func allAsleep(sleep []Access, options []Choice) bool {
	return !slices.ContainsFunc(options, func(c Choice) bool { return c.Victim || !asleep(sleep, c.Lane) })
}

// doze keeps asleep what commutes with the choice.
func (e *execution) doze(options []Choice, c Choice) {
	if e.x.commute == nil || len(e.asleep) == 0 {
		return
	}
	if c.Victim || e.count(waiting) > 0 {
		e.asleep = nil
		return
	}
	e.asleep = e.x.commuting(e.asleep, e.x.seats[c.Lane].access())
}

// commuting are the steps that commute with one of another lane.
func (x *explorer) commuting(steps []Access, with Access) []Access {
	var list []Access
	for _, s := range steps {
		if s.Lane != with.Lane && x.commute(s, with) {
			list = append(list, s)
		}
	}
	return list
}

// accessOf is the step of a choice at a point.
func (p *point) accessOf(c Choice) Access {
	return p.steps[slices.Index(p.options, c)]
}
