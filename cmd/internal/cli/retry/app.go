package retry

import (
	"github.com/ccheck/ccheck/cmd/internal/application"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/retry"
)

// parse checks what can be checked of an application before it is started.
func (o *Options) parse() error {
	a := &o.App
	switch {
	case !a.Given() && (len(a.Stubs) > 0 || len(a.Seed) > 0 || len(a.Env) > 0):
		return exit.Usagef("--stub, --seed-sql and --env are for an application, and none was named").WithHint("name it with --app and --curl")
	case !a.Given():
		return nil
	case o.Name != "" || o.Variant != "" || o.Isolation.Text != "":
		return exit.Usagef("an application has no scenario: --app and --curl go without one, and without --variant and --isolation").WithHint("leave one of them out")
	case a.App == "":
		return exit.Usagef("--curl needs --app: the faults are put between an application that ccheck starts and its database").WithHint("add --app with the command that starts it")
	case len(a.Curl) == 0:
		return exit.Usagef("there is no call to make").WithHint("paste one: --curl 'curl -X POST http://localhost:3000/orders -d …'")
	case a.Timeout <= 0:
		return exit.Usagef("--request-timeout %v is no time", a.Timeout).WithHint("write it as 15s")
	}
	if err := a.ParseWords(); err != nil {
		return err
	}
	if _, err := a.Seeds(); err != nil {
		return err
	}
	return a.FindPort()
}

// subject is the application as it is driven.
func subject(a *application.Flags) (*retry.Application, error) {
	seeds, err := a.Seeds()
	if err != nil {
		return nil, err
	}
	app := &retry.Application{
		Command: a.App, Dir: a.Dir, Port: a.Port, Env: a.Env, Ready: a.Ready, Actors: a.Actors, Stubs: a.StubList,
		Restore: a.Reset, Timeout: a.Timeout,
	}
	for _, s := range seeds {
		app.Seed = append(app.Seed, retry.Script{Name: s.Name, Text: s.Text})
	}
	return app, nil
}
