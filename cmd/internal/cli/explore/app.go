package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/application"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/scenario"
)

// appFlags are the flags of an exploration of a running application.
type appFlags struct {
	application.Flags
	Longest time.Duration
	Secrets []string
	Pairs   int

	search time.Duration // for a boundary; 0 is the default
	tape   string        // its path, "" without one
	base   string        // of a tape: where the application listens

	secrets map[string]string
}

// stray refuses flags of an application where there is none: they would change
// nothing.
func (o *Options) stray(changed func(flag string) bool) (err error) {
	if o.App.Given() || o.tape != nil {
		return nil
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(appFlags).register(f)
	f.VisitAll(func(flag *pflag.Flag) {
		if err == nil && changed(flag.Name) {
			err = exit.Usagef("--%s is for an application, and %s is none", flag.Name, cmp.Or(o.Name, o.Replay)).WithHint("leave it out, or name requests with --curl")
		}
	})
	return err
}

// verb and between are what application.Flags say in help and errors.
const verb, between = "explore", "between schedules"

func (a *appFlags) register(f *pflag.FlagSet) {
	a.Register(f, verb, between)
	f.DurationVar(&a.Longest, "time-limit", 45*time.Second, "how long the schedules of one combination of requests are run at most; 0 is without limit")
	f.StringArrayVar(&a.Secrets, "secret", nil, "`NAME=value` of what a tape does not have, or NAME=env:VARIABLE")
	f.BoolVar(&a.Running, "running", false, "the application of a tape runs already, with a database of its own: requests are sent at one moment, answers alone are judged, and --reset-cmd brings back its state")
	f.IntVar(&a.Pairs, "pairs", 20, "pairs of requests of a tape that are explored, those with the highest risk first")
}

// resolveApp checks what can be checked before anything is started.
func (o *Options) resolveApp() error {
	a := &o.App
	switch {
	case a.Running:
		return exit.Usagef("--running: of an application with a database of its own no statement is seen, so there is no order to explore").WithHint("ccheck stress --running sends these requests at one moment; ccheck explore TAPE --running does it with every two of a tape")
	case o.Name != "" && a.Of == nil || o.Replay != "" || o.Save != "" || o.Variant != "" || o.Fix != "":
		return exit.Usagef("an application has no scenario: --app and --curl go without one, and without --replay, --save, --variant and --fix").WithHint("name the requests with --curl, or the scenario, not both")
	case o.Isolation.Text != "":
		return exit.Usagef("--isolation: the application chooses its level itself").WithHint("leave --isolation out")
	case o.Jobs > 1:
		return exit.Usagef("--jobs %d: one application runs at a time", o.Jobs).WithHint("leave --jobs out")
	}
	if err := a.Parse(verb); err != nil {
		return err
	}
	o.levels = []scenario.Isolation{scenario.ReadCommitted}
	var known []string
	for _, actor := range a.Actors {
		known = append(known, actor.Name)
	}
	for _, actor := range a.Commands {
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
		return exit.Usagef("--lanes %s: %s; a schedule needs 2 to %d of them", o.Lanes, count(n, "lane"), maxLanes).WithHint("name a request twice to run it beside itself")
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

// command is the command line that shows a schedule again, without secrets.
func (a *appFlags) command(lanes []string, schedule string) string {
	words := []string{"ccheck explore"}
	if a.tape != "" {
		words = append(words, flags.Quoted(a.tape))
	}
	words = append(append(words, a.Again()...), "--lanes "+strings.Join(lanes, ","))
	if schedule != "" {
		words = append(words, fmt.Sprintf("--schedule %q", schedule))
	}
	return strings.Join(words, " ")
}
