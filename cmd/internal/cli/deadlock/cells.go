package deadlock

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/scenario"
)

// cell is one run: calls of one version, beside each other.
type cell struct {
	name string // of the shape or the scenario
	team deadlock.Team
	cure string // the variant of a shape that was not asked for
	own  bool   // of a scenario of the user, of which several teams may run
	load bool
}

// version names the cell's version.
func (c *cell) version() string {
	if v := c.team.Scenario.Version; v != "" {
		return v
	}
	return "as it is"
}

// mostLanes bounds the lanes without a load: every serial order of them is run
// first, and there are 325 of five.
const mostLanes = 5

// cells are the runs that were asked for.
func (o *Options) cells() ([]*cell, error) {
	if o.Name == "" {
		return o.ofShapes(deadlock.Shapes)
	}
	if s, ok := deadlock.Find(o.Name); ok {
		return o.ofShapes([]deadlock.Shape{s})
	}
	sc, err := o.scenario()
	if err != nil {
		return nil, err
	}
	return o.ofScenario(sc)
}

// scenario opens that of the user. A word that is near the name of a shape was
// meant to be one.
func (o *Options) scenario() (*scenario.Scenario, error) {
	sc, err := flags.OpenBeside(o.Name, flags.Words{One: "shape of a deadlock", Many: "shapes", Yours: "a scenario of yours", All: shapes()})
	if err != nil || o.Variant == "" {
		return sc, err
	}
	return sc.Variant(o.Variant)
}

func (o *Options) ofShapes(list []deadlock.Shape) ([]*cell, error) {
	base, err := scenario.Open(deadlock.Scenario)
	if err != nil {
		return nil, err
	}
	var cells []*cell
	for _, s := range list {
		lanes, err := o.number(s)
		if err != nil {
			return nil, err
		}
		versions := append([]string{""}, s.Cures...)
		if o.Variant != "" {
			if !slices.Contains(s.Cures, o.Variant) {
				if len(list) > 1 {
					continue
				}
				return nil, exit.Usagef("the shape %s has no version %q", s.Name, o.Variant).WithHint("it has %s", strings.Join(s.Cures, ", "))
			}
			versions = []string{o.Variant}
		}
		for _, v := range versions {
			sc, err := base.Variant(v)
			if err != nil {
				return nil, err
			}
			c := &cell{name: s.Name, team: s.Team(sc, lanes)}
			if o.Variant == "" {
				c.cure = v
			}
			c.load = o.Load || c.team.Timed() || lanes > mostLanes || v != "" && lanes > deadlock.Whole
			cells = append(cells, c)
		}
	}
	if len(cells) == 0 {
		return nil, exit.Usagef("no shape has a version %q", o.Variant).WithHint("they have ordered, no-key-update, for-update, retry and lock-timeout")
	}
	return cells, nil
}

// number is that of the lanes of a shape.
func (o *Options) number(s deadlock.Shape) (int, error) {
	if o.Lanes == "" {
		return s.Lanes, nil
	}
	n, err := strconv.Atoi(o.Lanes)
	if err != nil || n < 2 || n > deadlock.MaxLanes {
		return 0, exit.Usagef("--lanes %s: a shape has 2 to %d lanes", flags.Shown(o.Lanes), deadlock.MaxLanes).WithHint("names of actors are for a scenario of yours")
	}
	return n, nil
}

func (o *Options) ofScenario(sc *scenario.Scenario) ([]*cell, error) {
	teams, err := o.teams(sc)
	if err != nil {
		return nil, err
	}
	var cells []*cell
	for _, actors := range teams {
		t := deadlock.Of(sc, actors)
		cells = append(cells, &cell{name: o.Name, team: t, own: true, load: o.Load || t.Timed()})
	}
	return cells, nil
}

// teams are the actors that were named, or every pair.
func (o *Options) teams(sc *scenario.Scenario) ([][]string, error) {
	var names []string
	for _, a := range sc.Actors {
		names = append(names, a.Name)
	}
	if o.Lanes == "" {
		var teams [][]string
		for i, a := range names {
			for _, b := range names[i:] {
				teams = append(teams, []string{a, b})
			}
		}
		return teams, nil
	}
	var team []string
	for word := range strings.SplitSeq(o.Lanes, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(names, word) {
			return nil, exit.Usagef("--lanes: scenario %s has no actor %q", sc.FullName(), word).WithHint("its actors are %s", strings.Join(names, ", "))
		}
		team = append(team, word)
	}
	if len(team) < 2 || len(team) > mostLanes {
		return nil, exit.Usagef("--lanes %s: %s; a circle has two or more, and up to %d are run in every interleaving", o.Lanes, count(len(team), "lane"), mostLanes).
			WithHint("name an actor twice to run it beside itself; --stress takes --clients of them")
	}
	return [][]string{team}, nil
}
