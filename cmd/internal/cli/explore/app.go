package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/pairing"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stub"
)

// appFlags are the flags of an exploration of a running application.
type appFlags struct {
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
	Super   bool
	Timeout time.Duration
	Longest time.Duration
	Source  string
	Secrets []string
	Pairs   int

	actors []*web.Actor
	stubs  []stub.Options
	delay  [2]time.Duration
	search time.Duration      // for a boundary; 0 is the default
	tape   string             // its path, "" without one
	of     *scenario.Scenario // that has the application, or nil
	folder string             // as it was named
	base   string             // of a tape: where the application listens

	secrets map[string]string
}

func (a *appFlags) register(f *pflag.FlagSet) {
	f.StringVar(&a.App, "app", "", "start the application with this `command`, DATABASE_URL, PG* and PORT set, and explore its requests")
	f.StringVar(&a.Dir, "app-dir", "", "`folder` that --app runs in (default: the current one)")
	f.IntVar(&a.Port, "port", 0, "port that the application listens on (default: that of the first --curl)")
	f.StringArrayVar(&a.Curl, "curl", nil, "a request to explore, as a curl `command`; NAME=curl … names it; given twice, the two run beside each other")
	f.StringArrayVar(&a.Seed, "seed-sql", nil, "`file` with SQL, run when the application is ready")
	f.StringArrayVar(&a.Env, "env", nil, "`NAME=value` for the application; {{stub NAME}} is the URL of a stub")
	f.StringVar(&a.Ready, "ready", "", "`URL` that is answered once the application is ready (default: its port accepts a connection)")
	f.StringVar(&a.Reset, "reset-cmd", "", "`command` that brings back what is outside the database, run between schedules")
	f.BoolVar(&a.Restart, "restart-between", false, "start the application again between schedules, when it keeps state in memory")
	f.StringVar(&a.Delay, "db-delay", "", "delay each statement by a `time` or a range, such as 0-5ms")
	f.StringArrayVar(&a.Stubs, "stub", nil, "`NAME[=KEY]` of a stub that stands in for a service and counts calls by header:NAME, json:PATH, path or body")
	f.StringVar(&a.Listen, "proxy", "", "`address` at which the proxy listens (default: a free port on 127.0.0.1)")
	f.DurationVar(&a.Longest, "time-limit", 45*time.Second, "how long the schedules of one combination of requests are run at most; 0 is without limit")
	f.StringVar(&a.Source, "source", "", "`folder` with the application's code, to tell where a statement stands (default: that of --app-dir)")
	f.StringArrayVar(&a.Secrets, "secret", nil, "`NAME=value` of what a tape does not have, or NAME=env:VARIABLE")
	f.IntVar(&a.Pairs, "pairs", 20, "pairs of requests of a tape that are explored, those with the highest risk first")
	f.BoolVar(&a.Super, "app-superuser", false, "let the application connect as a superuser, not as the owner of its database")
	f.DurationVar(&a.Timeout, "request-timeout", 15*time.Second, "how long a request may take")
}

// given reports whether an application is to be explored.
func (a *appFlags) given() bool { return a.App != "" || len(a.Curl) > 0 || a.of != nil }

// resolveApp checks what can be checked before anything is started.
func (o *Options) resolveApp() error {
	a := &o.App
	switch {
	case o.Name != "" && a.of == nil || o.Replay != "" || o.Save != "" || o.Variant != "":
		return exit.Usagef("an application has no scenario: --app and --curl go without one, and without --replay, --save and --variant").WithHint("name the requests with --curl, or the scenario, not both")
	case len(a.actors)+len(a.Curl) == 0:
		return exit.Usagef("there is no request to explore").WithHint("paste one: --curl 'curl -X POST http://localhost:3000/orders -d …'")
	case o.Isolation.Text != "":
		return exit.Usagef("--isolation: the application chooses its level itself").WithHint("leave --isolation out")
	case o.Jobs > 1:
		return exit.Usagef("--jobs %d: one application runs at a time", o.Jobs).WithHint("leave --jobs out")
	case a.Restart && a.App == "":
		return exit.Usagef("--restart-between needs --app: ccheck starts nothing again that it has not started").WithHint("add --app with the command that starts the application")
	}
	if err := a.parse(); err != nil {
		return err
	}
	o.levels = []scenario.Isolation{scenario.ReadCommitted}
	var known []string
	for _, actor := range a.actors {
		known = append(known, actor.Name)
	}
	return o.resolveLanes(known)
}

// resolveLanes checks the names of --lanes.
func (o *Options) resolveLanes(known []string) error {
	for _, name := range o.laneNames() {
		if !slices.Contains(known, name) {
			return exit.Usagef("--lanes: no request is called %q", name).WithHint("the requests are %s; --curl 'NAME=curl …' gives one a name", strings.Join(known, ", "))
		}
	}
	if n := len(o.laneNames()); n == 1 || n > maxLanes {
		return exit.Usagef("--lanes %s: %d lanes; a schedule needs 2 to %d of them", o.Lanes, n, maxLanes).WithHint("name a request twice to run it beside itself")
	}
	return nil
}

func (o *Options) laneNames() []string {
	if o.Lanes == "" {
		return nil
	}
	var names []string
	for word := range strings.SplitSeq(o.Lanes, ",") {
		names = append(names, strings.TrimSpace(word))
	}
	return names
}

func (a *appFlags) parse() error {
	taken := map[string]int{}
	for _, text := range a.Curl {
		actor, err := flags.Curl(text, nameOf)
		if err != nil {
			return err
		}
		if taken[actor.Name]++; taken[actor.Name] > 1 {
			actor.Name += strconv.Itoa(taken[actor.Name])
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
	if a.Delay != "" {
		t, err := scenario.ParseThink(a.Delay)
		if err != nil {
			return exit.Usagef("--db-delay %q is no time and no range of times", a.Delay).WithHint("such as 2ms or 0-5ms")
		}
		a.delay = [2]time.Duration{t.Min, t.Max}
	}
	if err := a.checkDir(); err != nil || a.tape != "" {
		return err
	}
	if err := a.findPort(); err != nil {
		return err
	}
	return a.checkHosts()
}

// findPort takes the port of the first request when none was given.
func (a *appFlags) findPort() error {
	if a.Port != 0 || a.App == "" {
		return nil
	}
	port, err := flags.CurlPort(a.actors[0])
	a.Port = port
	return err
}

// nameOf makes a name for a lane of a request.
func nameOf(r *web.Request) string {
	_, path, _ := strings.Cut(r.String(), " ")
	return pairing.Name(path)
}

// seeds reads the files of --seed-sql.
func (a *appFlags) seeds() ([]service.Script, error) {
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

// command is the command line that shows a schedule again, without secrets.
func (a *appFlags) command(lanes []string, schedule string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace("ccheck explore " + a.tape + a.folder))
	add := func(flag, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s %s", flag, shellQuote(value))
		}
	}
	if a.of == nil {
		add("--app", a.App)
		add("--app-dir", a.Dir)
		add("--ready", a.Ready)
		add("--reset-cmd", a.Reset)
	}
	for _, s := range a.Stubs {
		add("--stub", s)
	}
	for _, e := range a.Env {
		name, value, _ := strings.Cut(e, "=")
		if history.Mask(nil).Secret(name) {
			value = "…"
		}
		add("--env", name+"="+value)
	}
	for _, s := range a.Seed {
		add("--seed-sql", s)
	}
	for _, actor := range a.actors {
		if a.tape == "" && a.of == nil {
			add("--curl", actor.Name+"="+record.Shown(actor.Requests[0]).Curl())
		}
	}
	if a.Restart {
		b.WriteString(" --restart-between")
	}
	fmt.Fprintf(&b, " --lanes %s", strings.Join(lanes, ","))
	if schedule != "" {
		fmt.Fprintf(&b, " --schedule %q", schedule)
	}
	return b.String()
}

func shellQuote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`&|;<>(){}*?[]#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
