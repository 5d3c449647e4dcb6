// Package volley is the driver that sends requests of many clients to an
// application at one moment, round after round: first the clients one after the
// other, so that it is known what serial orders give, and then all of them
// together, each round from the same rows.
//
// It observes and does not judge: whether a round ended as some serial order
// does is for the judges in analyzers/history to say, from the history that
// this package leaves. It starts no application and no server; package
// explore/service does. The commands import it.
package volley

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/fault"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

// Options is what a run needs. Zero values of the lower half take the defaults
// named.
type Options struct {
	// Service runs, and has learnt what its requests do alone. Gate is in front
	// of its Wire.
	Service *service.Service
	Gate    *Gate
	// Scenario gives the invariants and their parameters; nil for none.
	Scenario *scenario.Scenario
	// Header is the head of the history; Run completes it.
	Header history.Header
	// Path is the history file, which must not exist; Limit bounds its bytes.
	Path  string
	Limit int64
	// Stop, when closed, ends the run after the round at hand.
	Stop <-chan struct{}
	// Progress is called after each round.
	Progress func(stress.Snapshot)
	// Say takes one line for people at the beginning of each stage.
	Say func(string)

	Teams    [][]string // the actor of each client; default: DefaultTeams
	Duration time.Duration
	Rounds   int64 // of each team; 0: no limit by count
	// Least is the number of rounds that a stage has even when its time is over,
	// within four times of that: requests that queue take long, and a few rounds
	// prove nothing.
	Least   int64
	HTTP2   bool
	Delay   [2]time.Duration // of each statement, between the bounds
	Seed    uint64
	MaxRows int
}

// Result is what a run came to. What it means is in the history.
type Result struct {
	Path   string
	Cut    string // why the run ended before its time, "" when it did not
	Rounds int64
	Notes  []string
}

// Property is the claim that is judged without any specification.
const Property = "every round ends as some serial order of its requests does"

// AnyOrder is the parameter of a history whose rounds are compared with serial
// orders.
const AnyOrder = "oracle"

// run is one run.
type run struct {
	Options
	w      *history.Writer
	rec    *history.Recorder
	lanes  []*history.Recorder // of the clients
	conn   *pg.Conn            // for the invariants, and to see who waits
	keeper *explore.Keeper     // of the state that the rounds of a stage begin with
	volley *web.Volley
	begun  time.Time
	count  stress.Snapshot
	result Result

	company explore.Company  // of the round at hand
	resets  int              // in the history
	staged  map[string]int64 // calls that were accepted before the rounds, by actor
}

// Run makes the run. An error means that it could not be made or was broken off;
// the Result is not nil when a history was left all the same.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	r := &run{Options: o, result: Result{Path: o.Path}, count: stress.Snapshot{Outcomes: map[string]stress.Outcomes{}}}
	delays, err := o.delays()
	if err != nil {
		return nil, err
	}
	h, err := r.header(ctx)
	if err != nil {
		return nil, err
	}
	if r.conn, err = pg.Connect(ctx, o.Service.Config(), nil, pg.Simple); err != nil {
		return nil, err
	}
	defer r.conn.Close()
	if r.w, err = history.Create(o.Path, h, o.Limit); err != nil {
		return nil, err
	}
	r.rec = r.w.Recorder(history.Checker)
	for i := range r.clients() {
		r.lanes = append(r.lanes, r.w.Recorder(i))
	}
	o.Gate.Begin(r.w, r.clients(), delays)
	err = r.stages(ctx)
	o.Gate.End()
	if err == nil {
		err = r.end()
	}
	if closeErr := r.w.Close(); err == nil {
		err = closeErr
	}
	if err != nil && r.result.Rounds == 0 {
		return nil, errors.Join(err, os.Remove(o.Path)) // nothing ran together: there is nothing to judge
	}
	return &r.result, err
}

// delays are those of the statements.
func (o *Options) delays() (*fault.Plan, error) {
	if o.Delay[1] == 0 {
		return nil, nil
	}
	return fault.New(o.Seed, fault.Fault{Kind: fault.Delay, Point: fault.Send, Min: o.Delay[0], Max: o.Delay[1]})
}

// clients is the size of the largest team.
func (o *Options) clients() int {
	n := 0
	for _, team := range o.Teams {
		n = max(n, len(team))
	}
	return n
}

func (r *run) header(ctx context.Context) (history.Header, error) {
	h := r.Header
	tables, err := r.Service.Tables(ctx)
	if err != nil {
		return h, err
	}
	h.Probe = cmp.Or(h.Probe, stress.Probe.Name)
	h.Seed, h.Start, h.Tables, h.Actors = r.Seed, time.Now(), tables, r.Service.HistoryActors()
	h.Target.Isolation = string(scenario.ReadCommitted)
	h.Claims = append(claimsOf(r.Scenario), history.Claim{Name: Property, Kind: history.Property})
	h.Params = append(h.Params,
		history.Parameter{Name: "mode", Value: string(scenario.Rounds)},
		history.Parameter{Name: AnyOrder, Value: "serial"},
		history.Parameter{Name: "clients", Value: fmt.Sprint(r.clients())},
		history.Parameter{Name: "duration", Value: r.Duration.String()},
		history.Parameter{Name: "transactions", Value: fmt.Sprint(r.Rounds)},
		history.Parameter{Name: "delay", Value: fmt.Sprintf("%v-%v", r.Delay[0], r.Delay[1])},
		history.Parameter{Name: "apart", Value: fmt.Sprint(r.Service.Apart)},
		history.Parameter{Name: "alike", Value: strings.Join(r.alike(), " ")},
	)
	return h, nil
}

// alike are the actors whose calls are the same whichever client makes them.
func (r *run) alike() []string {
	var names []string
	for _, l := range r.Service.Learnt {
		if !service.ByLane(l) {
			names = append(names, l.Name)
		}
	}
	return names
}

// stages runs every team from the boundary of each of its actors.
func (r *run) stages(ctx context.Context) error {
	r.begun = time.Now()
	list := r.plan()
	for i, s := range list {
		if r.ended(ctx) {
			return nil
		}
		if err := r.stage(ctx, s, r.share(len(list)-i)); err != nil {
			return err
		}
	}
	return nil
}

// stage is a team and the request whose boundary its rounds begin at.
type stage struct {
	team  []string
	drive string
}

// plan are the stages. A request that writes nothing has no boundary.
func (r *run) plan() []stage {
	var list []stage
	for _, team := range r.Teams {
		drives := 0
		for _, name := range slices.Compact(slices.Sorted(slices.Values(team))) {
			if len(r.Service.Learned(name).Changed) > 0 {
				list = append(list, stage{team, name})
				drives++
			}
		}
		if drives == 0 {
			list = append(list, stage{team, team[0]})
		}
	}
	return list
}

// share is the time of the next stage: what is left, in equal parts, but some for
// each; 0 is without limit.
func (r *run) share(stages int) time.Duration {
	if r.Duration == 0 {
		return 0
	}
	left := r.Duration - time.Since(r.begun)
	return max(left/time.Duration(stages), r.Duration/time.Duration(4*stages))
}

func (r *run) ended(ctx context.Context) bool {
	select {
	case <-r.Stop:
		r.result.Cut = stress.CutOnRequest
		return true
	default:
		return ctx.Err() != nil
	}
}

// end writes that the run came to its end.
func (r *run) end() error {
	r.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: explore.Ended, Text: fmt.Sprintf("%d rounds", r.result.Rounds)})
	return r.rec.Flush()
}

// DefaultTeams are every actor that writes in as many clients as are asked for,
// also in a few where each client's call is another one, since of many that are all
// accepted no order can be run; and, when there are several, all of them together in a few: of those the
// serial orders can be run. apart says that what a request writes cannot be seen.
func DefaultTeams(learnt []*service.Learnt, clients int, apart bool) [][]string {
	var teams [][]string
	var names []string
	for _, l := range learnt {
		names = append(names, l.Name)
		if len(l.Changed) > 0 || apart && !l.Actor.Last().Safe() {
			teams = append(teams, slices.Repeat([]string{l.Name}, clients))
			if service.ByLane(l) && clients > mixedClients {
				teams = append(teams, slices.Repeat([]string{l.Name}, mixedClients))
			}
		}
	}
	if len(names) > 1 || len(teams) == 0 {
		teams = append(teams, mixed(names, min(clients, max(mixedClients, len(names)))))
	}
	return teams
}

// mixedClients is the size of a team of several actors: with two in two clients
// each there are six serial orders, with ten in all 252.
const mixedClients = 4

func mixed(names []string, n int) []string {
	team := make([]string, n)
	for i := range team {
		team[i] = names[i%len(names)]
	}
	return team
}
