package retry

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/retry"
	"github.com/ccheck/ccheck/probes/stub"
)

// appFlags are the flags of an application.
type appFlags struct {
	App     string
	Dir     string
	Port    int
	Curl    []string
	Seed    []string
	Env     []string
	Ready   string
	Reset   string
	Stubs   []string
	Timeout time.Duration

	actors []*web.Actor
	stubs  []stub.Options
	seeds  []retry.Script
}

func (a *appFlags) register(f *pflag.FlagSet) {
	f.StringVar(&a.App, "app", "", "start the application with this `command`, DATABASE_URL, PG* and PORT set, and send it the calls")
	f.StringVar(&a.Dir, "app-dir", "", "`folder` that --app runs in (default: the current one)")
	f.IntVar(&a.Port, "port", 0, "port that the application listens on (default: that of the first --curl)")
	f.StringArrayVar(&a.Curl, "curl", nil, "a call, as a curl `command`; NAME=curl … names it")
	f.StringArrayVar(&a.Seed, "seed-sql", nil, "`file` with SQL, run when the application is ready")
	f.StringArrayVar(&a.Env, "env", nil, "`NAME=value` for the application; {{stub NAME}} is the URL of a stub")
	f.StringVar(&a.Ready, "ready", "", "`URL` that is answered once the application is ready (default: its port accepts a connection)")
	f.StringVar(&a.Reset, "reset-cmd", "", "`command` that brings back what is outside the database, run after each round")
	f.StringArrayVar(&a.Stubs, "stub", nil, "`NAME[=KEY]` of a stub that stands in for a service and counts calls by header:NAME, json:PATH, path or body")
	f.DurationVar(&a.Timeout, "request-timeout", 15*time.Second, "how long a request may take")
}

// given reports whether an application is the target.
func (a *appFlags) given() bool { return a.App != "" || len(a.Curl) > 0 }

// resolve checks what can be checked before anything is started.
func (a *appFlags) resolve(o *Options) error {
	switch {
	case !a.given() && (len(a.Stubs) > 0 || len(a.Seed) > 0 || len(a.Env) > 0):
		return exit.Usagef("--stub, --seed-sql and --env are for an application, and none was named").WithHint("name it with --app and --curl")
	case !a.given():
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
	return a.parse()
}

func (a *appFlags) parse() error {
	a.actors, a.stubs, a.seeds = nil, nil, nil
	for _, text := range a.Curl {
		actor, err := flags.Curl(text, (*web.Request).String)
		if err != nil {
			return err
		}
		a.actors = append(a.actors, actor)
	}
	for _, text := range a.Stubs {
		s, err := stub.Parse(text)
		if err != nil {
			return exit.Usagef("--stub %s: %v", text, err).WithHint("such as --stub payments=header:Idempotency-Key")
		}
		a.stubs = append(a.stubs, s)
	}
	for _, e := range a.Env {
		if !strings.Contains(e, "=") {
			return exit.Usagef("--env %s sets nothing", e).WithHint("it looks like NAME=value")
		}
	}
	for _, name := range a.Seed {
		b, err := input.Read(name)
		if err != nil {
			return exit.Usagef("--seed-sql: %w", err).WithHint("name a file with SQL that is there")
		}
		a.seeds = append(a.seeds, retry.Script{Name: name, Text: string(b)})
	}
	return a.findPort()
}

// findPort takes the port of the first request when none was given.
func (a *appFlags) findPort() error {
	if a.Port != 0 {
		return nil
	}
	port, err := flags.CurlPort(a.actors[0])
	a.Port = port
	return err
}
