package deadlock

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

// Options are what a run needs.
type Options struct {
	Team      Team
	Isolation scenario.Isolation
	// Config returns a new configuration of a session in the sandbox; Tables
	// describes its tables after the setup.
	Config func() *pgconn.Config
	Tables func(context.Context) ([]history.Table, error)
	Header history.Header
	Path   string // of the history, which must not exist
	Seed   uint64
	Stop   <-chan struct{}

	Max int // schedules, of an exploration

	Clients  int           // of a load
	Duration time.Duration // of a load
}

// Result is what a run counted.
type Result struct {
	Schedules int   // of an exploration
	Calls     int64 // that ended
	Deadlocks int64 // schedules with one, or 40P01 of a load
	Failed    int64
	Cut       string
}

// Whole is the number of lanes up to which every interleaving is run.
const Whole = 3

// Explore runs the team in every interleaving of its statements; one of more
// lanes in the schedule of Team.InTurn.
func Explore(ctx context.Context, o Options) (Result, error) {
	lanes, stmts, err := explore.ScriptLanes(explore.ScriptOptions{
		Scenario: o.Team.Scenario, Config: o.Config, Isolation: o.Isolation, Seed: o.Seed,
	}, o.Team.Actors)
	if err != nil {
		return Result{}, err
	}
	opts := explore.Options{
		Scenario: o.Team.Scenario, Lanes: lanes, Stmts: stmts, Config: o.Config, Tables: o.Tables, Header: o.header("explore"),
		Path: o.Path, Stop: o.Stop, Isolation: o.Isolation, Seed: o.Seed, Max: o.Max,
	}
	if len(lanes) > Whole {
		opts.Header.Params = append(opts.Header.Params, history.Parameter{Name: "schedules", Value: "one"})
		opts.Replay = []explore.Schedule{o.Team.InTurn(steps(o.Team))}
	}
	c, err := explore.Drive(ctx, opts)
	return Result{
		Schedules: c.Schedules, Calls: c.Accepted + c.Refused + c.Failed, Deadlocks: int64(c.Deadlocks), Failed: c.Failed, Cut: c.Cut,
	}, err
}

// steps is more than any of the lanes takes.
func steps(t Team) int {
	most := 0
	for _, a := range t.Scenario.Actors {
		most = max(most, len(a.Script.Stmts))
	}
	return most
}

// Load runs the team at full speed, Clients lanes of it.
func Load(ctx context.Context, o Options) (Result, error) {
	sc := *o.Team.Scenario
	sc.Load = scenario.Workload{Mode: scenario.Loop, Clients: o.Clients, Think: scenario.Think{Max: 2 * time.Millisecond}}
	sc.Actors = slices.Clone(sc.Actors)
	for i := range sc.Actors {
		sc.Actors[i].Weight = 0
		for _, name := range o.Team.Actors {
			if name == sc.Actors[i].Name {
				sc.Actors[i].Weight++
			}
		}
	}
	res, err := stress.Run(ctx, stress.Options{
		Scenario: &sc, Config: o.Config, Tables: o.Tables, Header: o.header("load"), Path: o.Path, Stop: o.Stop,
		Clients: o.Clients, Duration: o.Duration, Isolation: o.Isolation, Seed: o.Seed,
	})
	if res == nil {
		return Result{}, err
	}
	return Result{
		Calls: res.Final.Total.Calls(), Deadlocks: res.Final.Errors["40P01"], Failed: res.Final.Total.Failed, Cut: res.Cut,
	}, err
}

func (o *Options) header(engine string) history.Header {
	h := o.Header
	h.Probe = Probe.Name
	h.Params = append(h.Params,
		history.Parameter{Name: "engine", Value: engine},
		history.Parameter{Name: "team", Value: strings.Join(o.Team.Actors, " ")},
	)
	return h
}

// Timed reports whether the team's scripts give up waiting by the clock, which
// does not pass in an exploration.
func (t Team) Timed() bool {
	return slices.ContainsFunc(t.Scenario.Actors, func(a scenario.Actor) bool {
		return slices.Contains(t.Actors, a.Name) && strings.Contains(strings.ToLower(a.Text), "lock_timeout")
	})
}
