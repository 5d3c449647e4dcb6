package explore

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/application"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/cmd/internal/pairing"
	"github.com/ccheck/ccheck/probes/record/tape"
	"github.com/ccheck/ccheck/probes/scenario"
)

// openTape reads the file that was named, when it is a tape.
func (o *Options) openTape() (err error) {
	if err := input.Check(o.Name); err != nil {
		return err
	}
	if o.Name == "" || !tape.Is(o.Name) {
		return nil
	}
	o.tape, err = tape.Open(o.Name)
	if errors.As(err, new(*tape.FormatError)) {
		return exit.Usagef("%w", err).WithHint("record it again; a newer ccheck may have written it")
	}
	if err == nil {
		o.App.tape, o.App.Masked = o.Name, append(o.App.Masked, o.tape.Masked...)
	}
	return err
}

// searchOfTape bounds the search for a boundary: a tape has many requests.
const searchOfTape = 3 * time.Second

// resolveTape checks what can be checked before anything is started.
func (o *Options) resolveTape() error {
	a := &o.App
	switch {
	case o.Save != "" || o.Variant != "" || o.Fix != "" || len(a.Curl) > 0:
		return exit.Usagef("a tape has its requests: it goes without --curl, --save, --variant and --fix").WithHint("--lanes picks two of its requests by name")
	case o.Isolation.Text != "":
		return exit.Usagef("--isolation: the application chooses its level itself").WithHint("leave --isolation out")
	case o.Jobs > 1:
		return exit.Usagef("--jobs %d: one application runs at a time", o.Jobs).WithHint("leave --jobs out")
	case a.Pairs < 1:
		return exit.Usagef("--pairs %d: at least one pair is explored", a.Pairs).WithHint("the default is 20")
	case a.Restart && a.App == "":
		return exit.Usagef("--restart-between needs --app: ccheck starts nothing again that it has not started").WithHint("add --app with the command that starts the application")
	}
	if err := a.CheckRunning(); err != nil {
		return err
	}
	if err := a.ParseWords(); err != nil {
		return err
	}
	if err := o.placeOfTape(); err != nil {
		return err
	}
	if err := a.parseSecrets(o.Streams.Env); err != nil {
		return err
	}
	a.search = searchOfTape
	o.levels = []scenario.Isolation{scenario.ReadCommitted}
	var known []string
	for _, k := range pairing.Kinds(o.tape) {
		if k.Why == "" {
			known = append(known, k.Name)
		}
	}
	if len(known) == 0 {
		return exit.Usagef("%s has no request that was accepted, so there is nothing to run", o.Name).WithHint("record it again while the application is used")
	}
	return o.resolveLanes(known)
}

// placeOfTape finds where the application listens: where it did.
func (o *Options) placeOfTape() error {
	a := &o.App
	u, err := url.Parse(o.tape.App)
	if err != nil || u.Host == "" {
		return exit.Usagef("%s does not say where the application listened", o.Name).WithHint("record it again")
	}
	if a.Port != 0 {
		u.Host = "localhost:" + strconv.Itoa(a.Port)
	}
	if !application.Near(u.Hostname()) {
		return exit.Refusedf("%s was recorded at %s, which is not on this machine or its network; explore sends each request hundreds of times", o.Name, u.Host).
			WithHint("run a copy of the application here, and give its --port")
	}
	a.base = "http://" + u.Host
	if a.Port, err = strconv.Atoi(u.Port()); err != nil && a.App != "" {
		return exit.Usagef("the port of the application is not known").WithHint("give it with --port")
	}
	if a.Ready == "" && a.App == "" {
		a.Ready = a.base + "/"
	}
	return nil
}

// parseSecrets reads the values of --secret.
func (a *appFlags) parseSecrets(env func(string) string) error {
	a.secrets = map[string]string{}
	for _, text := range a.Secrets {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" {
			return exit.Usagef("--secret %s has no value", flags.Shown(name)).WithHint("it looks like password=env:PASSWORD")
		}
		if variable, is := strings.CutPrefix(value, "env:"); is {
			if value = env(variable); value == "" {
				return exit.Usagef("--secret %s: the variable %s is not set", name, variable).WithHint("set it, or give the value itself")
			}
		}
		a.secrets[name] = value
	}
	return nil
}

// pairsOfTape are those that are worth a run, the ones with the highest risk
// first, or the one that --lanes names.
func (o *Options) pairsOfTape() []pairing.Pair {
	list := pairing.Pairs(o.tape, pairing.Kinds(o.tape))
	names := o.laneNames()
	if len(names) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(p pairing.Pair) bool {
		return !slices.Equal(names, p.Names()) && !slices.Equal(names, []string{p.B.Name, p.A.Name})
	})
}
