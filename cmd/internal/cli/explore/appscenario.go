package explore

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/scenario"
)

// openApp takes the application of the scenario that was named, when it has
// one. A scenario that cannot be read is told by whoever needs it.
func (o *Options) openApp() {
	if o.Name == "" {
		return
	}
	if sc, err := flags.AnyScenario(o.Name); err == nil && sc.App != nil {
		o.App.of, o.App.folder = sc, o.Name
	}
}

// fill takes from the scenario what no flag says.
func (a *appFlags) fill() error {
	from := a.of.App
	a.App = cmp.Or(a.App, from.Command)
	a.Dir = cmp.Or(a.Dir, filepath.Join(filepath.Dir(a.of.File), from.Dir))
	a.Port = cmp.Or(a.Port, from.Port)
	a.Ready = cmp.Or(a.Ready, from.Ready)
	a.Reset = cmp.Or(a.Reset, from.Reset)
	a.stubs = append(a.stubs, from.Stubs...)
	if len(from.Actors) == 0 {
		return exit.Usagef("scenario %s has no request to explore", a.of.Name).WithHint("an actor with http is one")
	}
	for _, actor := range from.Actors {
		r := *actor.Requests[0]
		if strings.Contains(r.URL, scenario.Base) {
			if a.Port == 0 {
				return exit.Usagef("the port of the application is not known").WithHint("give it with --port, or in app.port of %s", a.of.File)
			}
			r.URL = strings.ReplaceAll(r.URL, scenario.Base, fmt.Sprintf("http://localhost:%d", a.Port))
		}
		a.actors = append(a.actors, &web.Actor{Name: actor.Name, Requests: []*web.Request{&r}})
	}
	return nil
}

// environment is that of the scenario with that of the flags over it.
func (a *appFlags) environment() []string {
	if a.of == nil {
		return a.Env
	}
	return slices.Concat(a.of.App.Env, a.Env)
}

// scenarioSeeds are the SQL of the scenario for an application that is ready.
func (a *appFlags) scenarioSeeds() ([]service.Script, error) {
	if a.of == nil {
		return nil, nil
	}
	var list []service.Script
	for _, src := range a.of.App.Seed {
		text, err := scenario.SQL(src.Text, a.of.Params)
		if err != nil {
			return nil, exit.Usagef("%s: %w", src.Where, err)
		}
		list = append(list, service.Script{Name: src.Where.String(), Text: text})
	}
	return list, nil
}
