package stress

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/application"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/source"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
	"github.com/ccheck/ccheck/probes/stress/volley"
	"github.com/ccheck/ccheck/probes/wire"
)

const appTitle = "requests to the application, all at one moment, round after round"

// leastRounds are more than the judges ask for before they call a run clean.
const leastRounds = 60

// runApp sends requests to an application.
func runApp(ctx context.Context, o *Options) error {
	own := *o
	a := &appRun{o: &own}
	err := application.Run(ctx, o.Streams, &own.Place, &own.Display, &own.Output, func(ctx context.Context, in application.Inside) error {
		own.Streams, a.place = in.Streams, in.Place
		return a.run(ctx, in.Sink)
	})
	if err != nil {
		return err
	}
	return own.code(a.done.verdict.Verdict, a.done.findings, a.done.err)
}

// appRun is one run of an application.
type appRun struct {
	o     *Options
	place *place.Place
	gate  *volley.Gate
	done  *done
}

func (a *appRun) run(ctx context.Context, sink report.Sink) error {
	svc, err := a.open(ctx)
	if err != nil {
		return a.explain(err)
	}
	defer svc.Close()
	if err := svc.Learn(ctx); err != nil {
		return a.explain(err)
	}
	a.alone(svc)
	opts, err := a.options(ctx, svc, sink)
	if err != nil {
		return err
	}
	if err := sink.Begin(a.head(opts)); err != nil {
		return err
	}
	if err := a.volleys(ctx, opts); err != nil {
		return err
	}
	for _, f := range a.done.findings {
		if err := sink.Add(f); err != nil {
			return err
		}
	}
	return sink.End(a.done.summary())
}

// open starts the application on a database of its own.
func (a *appRun) open(ctx context.Context) (*service.Service, error) {
	p, err := a.o.App.Database(ctx, a.o.Streams, &a.o.Place, a.place)
	if err != nil {
		return nil, err
	}
	opts, err := a.o.App.Options(a.o.Streams, p)
	if err != nil {
		return nil, err
	}
	opts.MaxRows = a.o.MaxRows
	opts.Gate = func(w *explore.Wire) wire.Gate {
		a.gate = volley.NewGate(w)
		return a.gate
	}
	return service.Open(ctx, opts)
}

// alone tells what each request was learnt to do.
func (a *appRun) alone(svc *service.Service) {
	for _, l := range svc.Learnt {
		changed := cmp.Or(strings.Join(l.Changed, ", "), "nothing")
		a.o.Streams.Sayf("%s alone: %s, %d statements in %s, changes %s", l.What, svc.Told(l.Alone.Ending), len(l.Alone.Steps()), l.Alone.Took.Round(time.Millisecond), changed)
		if l.Note != "" {
			a.o.Streams.Warnf("%s", l.Note)
		}
	}
}

func (a *appRun) options(ctx context.Context, svc *service.Service, sink report.Sink) (volley.Options, error) {
	o, run := a.o, place.NewRun()
	path := o.History
	if path == "" {
		var err error
		if path, err = historyPath(o.Streams.Env, run.ID); err != nil {
			return volley.Options{}, err
		}
	}
	opts := volley.Options{
		Service: svc, Gate: a.gate, Path: path, Limit: o.Limit << 20, Stop: ctx.Done(), Teams: o.teams(svc.Learnt),
		Duration: o.Duration, Rounds: o.Transactions, HTTP2: o.HTTP2, Delay: o.App.Delays, Seed: o.Seed.Pick(), MaxRows: o.MaxRows,
		Say:      func(text string) { o.Streams.Sayf("%s", text) },
		Progress: func(s stress.Snapshot) { sink.Progress(verdict.Progress(s, o.Duration)) },
		Header: history.Header{
			Run: run.ID, Version: build.Version(), Scenario: o.App.Title(), Title: appTitle, Params: o.App.Mask(),
			Target: history.Target{Kind: "postgresql", Version: a.place.Facts.Version, Address: a.place.Target.Address(), Schema: application.Schema, Throwaway: true},
		},
	}
	if of := o.App.Of; of != nil {
		opts.Scenario = of
	}
	if !o.DurationGiven {
		opts.Least = leastRounds
	}
	return opts, nil
}

// head is what sinks are told when the run begins.
func (a *appRun) head(opts volley.Options) report.Run {
	h := opts.Header
	h.Probe, h.Seed, h.Start = stress.Probe.Name, opts.Seed, time.Now()
	h.Target.Isolation = string(scenario.ReadCommitted)
	r := verdict.Run(&h)
	for _, team := range opts.Teams {
		r.Clients = max(r.Clients, len(team))
	}
	r.Duration, r.Limit = opts.Duration, opts.Rounds
	if opts.Scenario != nil {
		for _, inv := range opts.Scenario.Invariants {
			r.Claims = append(r.Claims, inv.Name)
		}
	}
	r.Claims = append(r.Claims, volley.Property)
	return r
}

// volleys makes the run and judges it.
func (a *appRun) volleys(ctx context.Context, opts volley.Options) error {
	res, err := volley.Run(context.WithoutCancel(ctx), opts)
	if err != nil {
		err = a.explain(err)
	}
	if res != nil && exit.Code(err) == exit.Usage {
		_ = os.Remove(res.Path) // the record of a mistake in the scenario is of no use
		res = nil
	}
	if res == nil {
		return err
	}
	a.done = &done{path: res.Path, cut: res.Cut, err: err, note: strings.Join(res.Notes, "; ")}
	return a.judge(context.WithoutCancel(ctx), opts.Seed)
}

func (a *appRun) judge(ctx context.Context, seed uint64) error {
	f, err := history.Open(a.done.path)
	if err != nil {
		return exit.Failedf("reading back the history: %w", err)
	}
	if a.done.snap, err = stress.Replay(f); err != nil {
		return exit.Failedf("reading back the history: %w", err)
	}
	if err := a.done.judge(ctx); err != nil {
		return err
	}
	code := source.Open(cmp.Or(a.o.App.Source, a.o.App.Dir, "."))
	for i := range a.done.findings {
		f := &a.done.findings[i]
		f.Repro.Command = a.o.againApp(seed)
		code.Tell(f)
	}
	return nil
}

// explain tells an error as the user should see it.
func (a *appRun) explain(err error) error {
	var claim *volley.ClaimError
	if told, known := application.Explain(a.place, err, between); known {
		return told
	}
	switch {
	case errors.As(err, &claim):
		return exit.Usagef("%w", err).WithHint("mend the query in the scenario: it runs in the application's database, after each round")
	case errors.Is(err, history.ErrFull):
		return exit.Failedf("%w", err).WithHint("what was recorded so far can be read: free some space, name another place with --history, or raise --history-limit")
	}
	return exit.Failedf("%w", err)
}
