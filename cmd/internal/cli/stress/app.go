package stress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/stress/volley"
)

// between is when the state outside of the database is brought back.
const between = "between rounds"

// strangers are the flags of scripts, which an application does not have.
var strangers = []string{
	"variant", "compare", "plan", "keep", "rate", "think", "isolation", "protocol", "scale", "max-tries", "define", "check-every", "replica", "shard", "meet",
}

// ofApps are the flags of applications, which scripts do not have.
var ofApps = []string{
	"app-dir", "port", "seed-sql", "env", "ready", "reset-cmd", "restart-between", "db-delay", "stub", "proxy", "source", "request-timeout", "http2", "max-rows", "running",
}

// openApp takes the application of the scenario that was named, when it has
// one. A scenario that cannot be read is told by whoever needs it.
func (o *Options) openApp() error {
	if o.Name == "" {
		return nil
	}
	sc, err := flags.AnyScenario(o.Name)
	if err != nil || sc.App == nil {
		return nil
	}
	return o.App.Fill(sc, o.Name, "stress")
}

// resolveApp checks what can be checked before the application is started.
func (o *Options) resolveApp(changed func(string) bool) error {
	if o.Name != "" && o.App.Of == nil {
		return exit.Usagef("%s is a scenario of scripts: --app and --curl go without one", o.Name).WithHint("name the requests with --curl, or the scenario, not both")
	}
	for _, name := range strangers {
		if changed(name) {
			return exit.Usagef("--%s is for scripts, and requests to an application have none", name).WithHint("leave --%s out; `ccheck stress --help` lists what an application takes", name)
		}
	}
	if o.ClientsGiven && len(o.lanes()) > 0 {
		return exit.Usagef("--clients %d: %s says itself how many clients send which request", o.Clients, o.App.Of.Name).WithHint("leave --clients out, or change load in ccheck.yaml")
	}
	if o.ClientsGiven && o.Clients < 2 {
		return exit.Usagef("--clients %d: one client alone races with nobody", o.Clients).WithHint("the default is %d", appClients)
	}
	if o.MaxRows < 1 {
		return exit.Usagef("--max-rows %d is no number of rows", o.MaxRows).WithHint("it is at least 1; the default is %d", appRows)
	}
	if o.App.Running {
		o.App.Known, o.Place.KnownAs = o.Place.KnownAs, "" // it names the host, not the database of ours
	}
	if o.App.Running && (changed("dsn") || changed("db-delay")) {
		return exit.Usagef("--dsn and --db-delay are of a database that ccheck sees, and --running has one of its own").WithHint("leave --running out, or leave them out")
	}
	return o.App.Parse("stress")
}

// lanes are the clients of each request, as the scenario says; empty when it
// does not.
func (o *Options) lanes() []string {
	if o.App.Of == nil {
		return nil
	}
	var team []string
	for _, l := range o.App.Of.Load.Lanes {
		team = append(team, slices.Repeat([]string{l.Actor}, l.Count)...)
	}
	return team
}

const (
	appClients = 20 // more than most pools have connections
	appRows    = 2000
)

// teams are the requests that are sent together.
func (o *Options) teams(learnt []*service.Learnt) [][]string {
	if team := o.lanes(); len(team) > 0 {
		return [][]string{team}
	}
	clients := appClients
	switch {
	case o.ClientsGiven:
		clients = o.Clients
	case o.App.Of != nil && o.App.Of.Load.Clients > 0:
		clients = o.App.Of.Load.Clients
	}
	return volley.DefaultTeams(learnt, clients, o.App.Running)
}

// againApp is the command that makes the run again.
func (o *Options) againApp(seed uint64) string {
	words := append([]string{"ccheck stress"}, o.App.Again()...)
	if o.ClientsGiven {
		words = append(words, fmt.Sprintf("--clients %d", o.Clients))
	}
	if o.App.Running && o.App.Known != "" {
		words = append(words, "--i-know-this-is "+flags.Quoted(o.App.Known))
	}
	if o.HTTP2 {
		words = append(words, "--http2")
	}
	words = append(words, fmt.Sprintf("--seed %d", seed))
	return strings.Join(append(words, o.Place.Again()...), " ")
}
