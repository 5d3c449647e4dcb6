// Package application is what the commands share that drive a running
// application: the flags that say how it is started and what it is sent, the
// rails for where requests may go, its database on a throw-away server, and how
// its errors are told.
//
// It runs nothing but what opens the application; the commands import it.
package application

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/pairing"
	"github.com/ccheck/ccheck/probes/actor/command"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stub"
)

// Flags say which application is run and what it is sent.
type Flags struct {
	App     string
	Dir     string
	Port    int
	Curl    []string
	Seed    []string
	Env     []string
	Ready   string
	Reset   string
	Restart bool
	Delay   string
	Stubs   []string
	Listen  string
	Timeout time.Duration
	Source  string
	Super   bool
	Masked  []string // names of fields and columns whose values are not told, beside the usual ones
	Running bool     // with a database of its own
	Known   string   // host that the user says it is, against the rails

	// What Parse and Fill make of them.
	Actors   []*web.Actor
	Commands []*command.Actor
	StubList []stub.Options
	Delays   [2]time.Duration
	Of       *scenario.Scenario // that has the application, or nil
	Folder   string             // of it, as it was named
}

// Register adds the flags. verb is what is done to requests: "explore"; between
// is when the state outside of the database is brought back: "between schedules".
func (a *Flags) Register(f *pflag.FlagSet, verb, between string) {
	a.RegisterStart(f, verb, between, "; given twice, the two run beside each other")
	f.BoolVar(&a.Restart, "restart-between", false, "start the application again "+between+", when it keeps state in memory")
	f.StringVar(&a.Delay, "db-delay", "", "delay each statement by a `time` or a range, such as 0-5ms")
	f.StringVar(&a.Listen, "proxy", "", "`address` at which the proxy listens (default: a free port on 127.0.0.1)")
	f.StringVar(&a.Source, "source", "", "`folder` with the application's code, to tell where a statement stands (default: that of --app-dir)")
	f.StringSliceVar(&a.Masked, "mask", nil, "`names` of fields and columns whose values are not told, beside those that say password, token and the like; such as iban,users.mail")
	f.BoolVar(&a.Super, "app-superuser", false, "let the application connect as a superuser, not as the owner of its database")
}

// RegisterStart adds those of them that say how it is started, what it is sent and
// what it finds, for a command that runs one request at a time. also ends what is
// said of --curl.
func (a *Flags) RegisterStart(f *pflag.FlagSet, verb, between, also string) {
	f.StringVar(&a.App, "app", "", "start the application with this `command`, DATABASE_URL, PG* and PORT set, and "+verb+" its requests")
	f.StringVar(&a.Dir, "app-dir", "", "`folder` that --app runs in (default: the current one)")
	f.IntVar(&a.Port, "port", 0, "port that the application listens on (default: that of the first --curl)")
	f.StringArrayVar(&a.Curl, "curl", nil, "a request to "+verb+", as a curl `command`; NAME=curl … names it"+also)
	f.StringArrayVar(&a.Seed, "seed-sql", nil, "`file` with SQL, run when the application is ready")
	f.StringArrayVar(&a.Env, "env", nil, "`NAME=value` for the application; {{stub NAME}} is the URL of a stub")
	f.StringVar(&a.Ready, "ready", "", "`URL` that is answered once the application is ready (default: its port accepts a connection)")
	f.StringVar(&a.Reset, "reset-cmd", "", "`command` that brings back what is outside the database, run "+between)
	f.StringArrayVar(&a.Stubs, "stub", nil, "`NAME[=KEY]` of a stub that stands in for a service and counts calls by header:NAME, json:PATH, path or body")
	f.DurationVar(&a.Timeout, "request-timeout", 15*time.Second, "how long a request may take")
}

// Given reports whether an application is meant.
func (a *Flags) Given() bool { return a.App != "" || len(a.Curl) > 0 || a.Of != nil }

// Parse checks what can be checked before anything is started. verb is that of
// Register.
func (a *Flags) Parse(verb string) error {
	if err := a.ParseWords(); err != nil {
		return err
	}
	switch {
	case len(a.Actors)+len(a.Commands) == 0:
		return exit.Usagef("there is no request to %s", verb).WithHint("paste one: --curl 'curl -X POST http://localhost:3000/orders -d …'")
	case a.Restart && a.App == "":
		return exit.Usagef("--restart-between needs --app: ccheck starts nothing again that it has not started").WithHint("add --app with the command that starts the application")
	}
	if err := a.CheckRunning(); err != nil {
		return err
	}
	if err := a.FindPort(); err != nil {
		return err
	}
	return a.checkHosts(verb)
}

// CheckRunning checks what goes with an application that has a database of its own.
func (a *Flags) CheckRunning() error {
	switch {
	case a.Running && (a.App != "" || len(a.Commands) > 0 || len(a.Seed) > 0):
		return exit.Usagef("--running is an application with a database of its own: it goes without --app, --seed-sql and commands").WithHint("leave --running out, and ccheck starts the application on a database that it can put back")
	case a.Running && a.Reset == "":
		return exit.Usagef("--running needs --reset-cmd: each round must begin with the same state, and ccheck puts nothing back there").WithHint("such as --reset-cmd 'psql -f reset.sql', for a state in which the request is accepted for the last time")
	}
	return nil
}

// ParseWords reads the flags, without looking where the requests go.
func (a *Flags) ParseWords() error {
	taken := map[string]int{}
	for _, text := range a.Curl {
		actor, err := flags.Curl(text, nameOf)
		if err != nil {
			return err
		}
		if taken[actor.Name]++; taken[actor.Name] > 1 {
			actor.Name += strconv.Itoa(taken[actor.Name])
		}
		a.Actors = append(a.Actors, actor)
	}
	for _, text := range a.Stubs {
		s, err := stub.Parse(text)
		if err != nil {
			return exit.Usagef("--stub %s: %v", text, err).WithHint("such as --stub payments=header:Idempotency-Key")
		}
		a.StubList = append(a.StubList, s)
	}
	for _, e := range a.Env {
		if !strings.Contains(e, "=") {
			return exit.Usagef("--env %s sets nothing", e).WithHint("it looks like NAME=value")
		}
	}
	if a.Delay != "" {
		t, err := scenario.ParseThink(a.Delay)
		if err != nil {
			return exit.Usagef("--db-delay %q is no time and no range of times", a.Delay).WithHint("such as 2ms or 0-5ms")
		}
		a.Delays = [2]time.Duration{t.Min, t.Max}
	}
	return a.checkDir()
}

// FindPort takes the port of the first request when none was given.
func (a *Flags) FindPort() error {
	if a.Port != 0 || a.App == "" || len(a.Actors) == 0 {
		return nil
	}
	port, err := flags.CurlPort(a.Actors[0])
	a.Port = port
	return err
}

// nameOf makes a name for a lane of a request.
func nameOf(r *web.Request) string {
	_, path, _ := strings.Cut(r.String(), " ")
	return pairing.Name(path)
}

// Title is the name of the application: that of its scenario or of its folder.
func (a *Flags) Title() string {
	if a.Of != nil {
		return a.Of.Name
	}
	dir, err := filepath.Abs(a.Dir)
	if err != nil || a.App == "" {
		return "application"
	}
	return filepath.Base(dir)
}

// checkDir names a folder that is not there: the shell's own error would not.
func (a *Flags) checkDir() error {
	if a.Dir == "" {
		return nil
	}
	if info, err := os.Stat(a.Dir); err != nil || !info.IsDir() {
		return exit.Usagef("--app-dir: there is no folder %s", a.Dir).WithHint("name the folder in which the command of --app runs")
	}
	return nil
}

// Fill takes from the scenario what no flag says. verb is that of Register.
func (a *Flags) Fill(sc *scenario.Scenario, folder, verb string) error {
	a.Of, a.Folder = sc, folder
	from := sc.App
	a.App = cmp.Or(a.App, from.Command)
	a.Dir = cmp.Or(a.Dir, filepath.Join(filepath.Dir(sc.File), from.Dir))
	a.Port = cmp.Or(a.Port, from.Port)
	a.Ready = cmp.Or(a.Ready, from.Ready)
	a.Reset = cmp.Or(a.Reset, from.Reset)
	a.StubList = append(a.StubList, from.Stubs...)
	if len(from.Actors)+len(from.Commands) == 0 {
		return exit.Usagef("scenario %s has no request to %s", sc.Name, verb).WithHint("an actor with http is one")
	}
	for _, actor := range from.Actors {
		own := &web.Actor{Name: actor.Name}
		for _, of := range actor.Requests {
			r := *of
			if strings.Contains(r.URL, scenario.Base) {
				if a.Port == 0 {
					return exit.Usagef("the port of the application is not known").WithHint("give it with --port, or in app.port of %s", sc.File)
				}
				r.URL = strings.ReplaceAll(r.URL, scenario.Base, fmt.Sprintf("http://localhost:%d", a.Port))
			}
			own.Requests = append(own.Requests, &r)
		}
		a.Actors = append(a.Actors, own)
	}
	for _, actor := range from.Commands {
		own := *actor
		own.Dir = cmp.Or(own.Dir, a.Dir)
		a.Commands = append(a.Commands, &own)
	}
	return nil
}

// environment is that of the scenario with that of the flags over it.
func (a *Flags) environment() []string {
	if a.Of == nil {
		return a.Env
	}
	return slices.Concat(a.Of.App.Env, a.Env)
}

// Mask are the parameters by which a history knows what is not told.
func (a *Flags) Mask() []history.Parameter {
	if len(a.Masked) == 0 {
		return nil
	}
	return []history.Parameter{{Name: history.MaskParam, Value: strings.Join(a.Masked, ",")}}
}

// Seeds reads the SQL for an application that is ready: that of the scenario,
// then the files of --seed-sql.
func (a *Flags) Seeds() ([]service.Script, error) {
	list, err := a.scenarioSeeds()
	if err != nil {
		return nil, err
	}
	for _, name := range a.Seed {
		b, err := input.Read(name)
		if err != nil {
			return nil, exit.Usagef("--seed-sql: %w", err).WithHint("name a file with SQL that is there")
		}
		list = append(list, service.Script{Name: name, Text: string(b)})
	}
	return list, nil
}

func (a *Flags) scenarioSeeds() ([]service.Script, error) {
	if a.Of == nil {
		return nil, nil
	}
	var list []service.Script
	for _, src := range a.Of.App.Seed {
		text, err := scenario.SQL(src.Text, a.Of.Params)
		if err != nil {
			return nil, exit.Usagef("%s: %w", src.Where, err)
		}
		list = append(list, service.Script{Name: src.Where.String(), Text: text})
	}
	return list, nil
}
