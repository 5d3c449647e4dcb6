package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/scenario"
)

// cell is one exploration: a version of the scenario, lanes and a level.
type cell struct {
	sc       *scenario.Scenario
	actors   []string
	level    scenario.Isolation
	schedule explore.Schedule // nil: all of them
	fix      *ready           // a fix that is tried, or nil
}

// what names the cell for messages.
func (c *cell) what() string {
	name := c.sc.FullName()
	if c.fix != nil {
		name += fmt.Sprintf(" with %q tried", c.fix.name)
	}
	return fmt.Sprintf("%s, %s at %s", name, strings.Join(c.actors, " beside "), c.level)
}

// cells are the combinations that are asked for.
func (o *Options) cells() ([]*cell, error) {
	sc, err := o.open()
	if err != nil {
		return nil, err
	}
	versions, err := o.versions(sc)
	if err != nil {
		return nil, err
	}
	teams, err := o.teams(sc)
	if err != nil {
		return nil, err
	}
	var list []*cell
	for _, v := range versions {
		for _, actors := range teams {
			for _, level := range o.levelsOf(v) {
				// Cells may run at the same time, and a statement has its number
				// in one history only: each reads the scenario for itself.
				own, err := o.reopen(v.Version)
				if err != nil {
					return nil, err
				}
				c := &cell{sc: own, actors: actors, level: level}
				if c.schedule, err = o.parseSchedule(actors); err != nil {
					return nil, err
				}
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// open reads the scenario, with the version of --fix beside its own.
func (o *Options) open() (*scenario.Scenario, error) {
	sc, err := flags.OpenScenario(o.Name)
	if err != nil || o.Fix == "" {
		return sc, err
	}
	return sc.WithFix(o.Fix)
}

// reopen reads a version of the scenario once more.
func (o *Options) reopen(version string) (*scenario.Scenario, error) {
	sc, err := o.open()
	if err != nil || sc.Version == version {
		return sc, err
	}
	return sc.Variant(version)
}

func (o *Options) parseSchedule(actors []string) (explore.Schedule, error) {
	if o.Schedule == "" {
		return nil, nil
	}
	s, err := explore.ParseSchedule(o.Schedule, explore.Names(actors))
	if err != nil {
		return nil, exit.Usagef("--schedule %q: %v", o.Schedule, err).WithHint("name the lanes with --lanes; the second transfer is transfer#2")
	}
	return s, nil
}

// versions are the one that was named, or the default one and the fixed ones.
func (o *Options) versions(sc *scenario.Scenario) ([]*scenario.Scenario, error) {
	if o.Variant != "" {
		v, err := sc.Variant(o.Variant)
		return []*scenario.Scenario{v}, err
	}
	list := []*scenario.Scenario{sc}
	if o.Schedule != "" {
		return list, nil
	}
	for _, name := range sc.Variants() {
		v, err := sc.Variant(name)
		if err != nil {
			return nil, err
		}
		if v.Fixed {
			list = append(list, v)
		}
	}
	return list, nil
}

// levelsOf are the levels of a version: one that names its own is right
// because of it, and is left out where others are asked for, unless it is the
// one that was asked for.
func (o *Options) levelsOf(v *scenario.Scenario) []scenario.Isolation {
	switch {
	case v.Isolation == "":
		return o.levels
	case o.Isolation.Text == "":
		return []scenario.Isolation{v.Isolation}
	case v.Version != "" && o.Variant == "" && !slices.Contains(o.levels, v.Isolation):
		return nil
	case v.Version != "" && o.Variant == "":
		return []scenario.Isolation{v.Isolation}
	}
	return o.levels
}

// maxLanes is the number of lanes of which every interleaving can be thought of.
const maxLanes = 4

// teams are the lanes that run together.
func (o *Options) teams(sc *scenario.Scenario) ([][]string, error) {
	if o.Lanes != "" {
		return o.named(sc)
	}
	if team := ofRounds(sc); team != nil {
		return [][]string{team}, nil
	}
	var list [][]string
	for i, a := range sc.Actors {
		for _, b := range sc.Actors[i:] {
			list = append(list, []string{a.Name, b.Name})
		}
	}
	return list, nil
}

func (o *Options) named(sc *scenario.Scenario) ([][]string, error) {
	var team []string
	for word := range strings.SplitSeq(o.Lanes, ",") {
		name := strings.TrimSpace(word)
		if sc.Actor(name) == nil {
			var known []string
			for _, a := range sc.Actors {
				known = append(known, a.Name)
			}
			return nil, exit.Usagef("--lanes: scenario %s has no actor %q", sc.FullName(), name).WithHint("its actors are %s", strings.Join(known, ", "))
		}
		team = append(team, name)
	}
	if len(team) < 2 || len(team) > maxLanes {
		return nil, exit.Usagef("--lanes %s: %s; a schedule needs 2 to %d of them", o.Lanes, count(len(team), "lane"), maxLanes).
			WithHint("name an actor twice to run it beside itself")
	}
	return [][]string{team}, nil
}

// ofRounds are the lanes of a scenario in rounds, or nil. Of many alike two
// are taken: what two cannot break, most often no more can.
func ofRounds(sc *scenario.Scenario) []string {
	var team []string
	for _, l := range sc.Load.Lanes {
		n := l.Count
		if len(sc.Load.Lanes) == 1 {
			n = 2
		}
		for range n {
			team = append(team, l.Actor)
		}
	}
	if len(team) < 2 || len(team) > maxLanes {
		return nil
	}
	return team
}
