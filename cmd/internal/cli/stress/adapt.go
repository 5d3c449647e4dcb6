package stress

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
	"github.com/ccheck/ccheck/probes/scenario"
)

// automatic are the variables that every pgbench script has.
var automatic = []string{"client_id", "default_seed", "random_seed", "scale"}

// suits refuses flags that would have no effect on the scenario: whoever typed
// them would take the result for something that it is not.
func (o *Options) suits(sc *scenario.Scenario) error {
	for _, v := range o.vars {
		if !slices.Contains(automatic, v.Name) && !uses(sc, v.Name) {
			err := exit.Usagef("--define %s: nothing in %s uses :%s", v.Name, sc.FullName(), v.Name)
			if near := suggest.Nearest(v.Name, names(sc.Params)); near != "" {
				return err.WithHint("did you mean %s?", near)
			}
			return err.WithHint("`ccheck scenario show %s` lists its params and scripts", sc.FullName())
		}
	}
	if lanes := sc.Load.Lanes; o.ClientsGiven && len(lanes) > 1 {
		var shares []string
		for _, l := range lanes {
			shares = append(shares, fmt.Sprintf("%d × %s", l.Count, l.Actor))
		}
		return exit.Usagef("--clients %d: %s says itself how many lanes run which actor (%s)", o.Clients, sc.FullName(), strings.Join(shares, ", ")).
			WithHint("leave --clients out, or change load in ccheck.yaml")
	}
	return nil
}

// uses reports whether the scenario or one of its variants has a variable of
// that name.
func uses(sc *scenario.Scenario, name string) bool {
	variable := regexp.MustCompile(`:['"]?` + regexp.QuoteMeta(name) + `\b`)
	texts := func(v *scenario.Scenario) bool {
		all := slices.Clone(v.Setup)
		for _, inv := range v.Invariants {
			all = append(all, inv.SQL)
		}
		for _, a := range v.Actors {
			all = append(all, scenario.Source{Text: a.Text})
		}
		return slices.ContainsFunc(all, func(s scenario.Source) bool { return variable.MatchString(s.Text) })
	}
	return texts(sc) || slices.ContainsFunc(sc.Variants(), func(name string) bool {
		v, err := sc.Variant(name)
		return err == nil && texts(v)
	})
}

func names(params []scenario.Param) []string {
	var all []string
	for _, p := range params {
		all = append(all, p.Name)
	}
	return all
}

// adapt is the scenario with what the command line says in the place of what
// it says itself: the values of parameters, and the lanes of its one actor.
func (o *Options) adapt(sc *scenario.Scenario) *scenario.Scenario {
	c := *sc
	c.Params = o.defined(c.Params)
	c.Actors = slices.Clone(c.Actors)
	for i := range c.Actors {
		c.Actors[i].Params = o.defined(c.Actors[i].Params)
	}
	if o.ClientsGiven && len(c.Load.Lanes) == 1 {
		c.Load.Lanes = []scenario.Lane{{Actor: c.Load.Lanes[0].Actor, Count: o.Clients}}
	}
	return &c
}

func (o *Options) defined(params []scenario.Param) []scenario.Param {
	params = slices.Clone(params)
	for i := range params {
		for _, v := range o.vars {
			if v.Name == params[i].Name {
				params[i].Value, params[i].Quoted = v.Value, v.Quoted
			}
		}
	}
	return params
}
