package retry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/retry"
	"github.com/ccheck/ccheck/probes/scenario"
)

const (
	// connections is what a run of a scenario opens, appConnections is room for
	// the pools of an application.
	connections    = 8
	appConnections = 100
	// appSchema is where an application's tables are by default.
	appSchema = "public"
)

// one finds out that more than one level was asked for.
func (o *Options) one() error {
	if err := o.Isolation.Parse(); err != nil {
		return err
	}
	if len(o.Isolation.Levels) > 1 {
		return exit.Usagef("--isolation %s: one level at a time", o.Isolation.Text).WithHint("name one: rc, rr or ser")
	}
	if len(o.Isolation.Levels) == 1 {
		o.level = o.Isolation.Levels[0]
	}
	return nil
}

// open reads the scenario.
func (o *Options) open() (*scenario.Scenario, error) {
	sc, err := flags.OpenScenario(o.Name)
	if err != nil || o.Variant == "" {
		return sc, err
	}
	return sc.Variant(o.Variant)
}

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	var sc *scenario.Scenario
	lanes := appConnections
	if o.App.Given() {
		o.Place.Throwaway = true // the application works on a server of its own
	} else {
		var err error
		if sc, err = o.open(); err != nil {
			return err
		}
		lanes = connections
	}
	p, err := o.Place.Open(ctx, o.Streams, lanes)
	if err != nil {
		return err
	}
	defer p.Close(ctx)
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	return show.Judged(ctx, &o.Outcome, func(ctx context.Context, sink report.Sink) (*output.Recording, error) {
		return o.drive(ctx, p, sc, sink)
	})
}

// drive makes the rounds and judges them.
func (o *Options) drive(ctx context.Context, p *place.Place, sc *scenario.Scenario, sink report.Sink) (*output.Recording, error) {
	opts, leave, err := o.target(ctx, p, sc)
	if err != nil {
		return nil, err
	}
	if opts.Path, err = verdict.Path(o.Streams, "", opts.Header.Run); err != nil {
		leave()
		return nil, err
	}
	h := opts.Header
	h.Probe, h.Seed, h.Start = retry.Probe.Name, opts.Seed, time.Now()
	run := verdict.Run(&h)
	run.Claims = []string{retry.ClaimOver, retry.ClaimReads, retry.ClaimOnce}
	if err := sink.Begin(run); err != nil {
		leave()
		return nil, err
	}
	opts.Stop = ctx.Done()
	opts.Progress = func(c retry.Counts) {
		sink.Progress(report.Progress{Phase: c.Phase, Elapsed: c.Elapsed, Accepted: c.Accepted, Failed: c.Failed})
	}
	counts, err := retry.Drive(context.WithoutCancel(ctx), opts)
	leave()
	if err != nil {
		_ = os.Remove(opts.Path)
		return nil, explain(p, err)
	}
	return o.judge(context.WithoutCancel(ctx), ctx.Err() != nil, opts.Path, counts)
}

// target is what is driven, and where.
func (o *Options) target(ctx context.Context, p *place.Place, sc *scenario.Scenario) (retry.Options, func(), error) {
	opts := retry.Options{Seed: o.Seed.Pick(), Faults: o.faults, Contention: o.By == retry.ByContention}
	if sc == nil {
		opts, err := o.application(p, opts)
		return opts, func() {}, err
	}
	box, err := p.Sandbox(ctx)
	if err != nil {
		return opts, nil, err
	}
	level := o.level
	if level == "" {
		level = sc.Isolation
	}
	opts.Config, opts.Tables, opts.Header = box.Config, box.Tables, box.Header()
	opts.Header.Scenario, opts.Header.Title, opts.Header.Target.Isolation = sc.FullName(), sc.Title, string(level)
	opts.Header.Params = o.again()
	opts.Subject = &retry.Scripted{Scenario: sc, Config: box.Config, Isolation: level, Seed: opts.Seed}
	return opts, func() {
		if note := box.Leave(ctx, false); note != "" {
			o.Streams.Warnf("%s", note)
		}
	}, nil
}

func (o *Options) application(p *place.Place, opts retry.Options) (retry.Options, error) {
	run := place.NewRun()
	opts.Config = func() *pgconn.Config {
		cfg := p.Target.Config(run, p.Limits)
		cfg.RuntimeParams["search_path"] = appSchema
		return cfg
	}
	opts.Tables = func(ctx context.Context) ([]history.Table, error) {
		conn, err := pgconn.ConnectConfig(ctx, opts.Config())
		if err != nil {
			return nil, p.Target.Explain(err)
		}
		defer conn.Close(context.WithoutCancel(ctx))
		return p.Target.Tables(ctx, conn, appSchema)
	}
	opts.Header = history.Header{
		Run: run.ID, Version: build.Version(), Scenario: "application", Title: "calls of an application",
		Target: history.Target{Kind: "postgresql", Version: p.Facts.Version, Address: p.Target.Address(), Schema: appSchema, Throwaway: true},
	}
	opts.Header.Params = o.again()
	app, err := subject(&o.App)
	opts.Subject = app
	return opts, err
}

// judge reads the history that was left.
func (o *Options) judge(ctx context.Context, cut bool, path string, counts retry.Counts) (*output.Recording, error) {
	all, err := verdict.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if cut {
		all.Summary.Reasons = append(all.Summary.Reasons, "ended on request")
		all.Summary.Verdict = report.Worse(all.Summary.Verdict, report.Unknown)
	}
	all.Summary.Notes = append(all.Summary.Notes, fmt.Sprintf("%d rounds, each with one call and at most one thing that went wrong", counts.Rounds))
	return all, nil
}

// again is how to see a finding again, as a parameter of the history.
func (o *Options) again() []history.Parameter {
	words := []string{"ccheck retry"}
	if o.App.Given() {
		words = append(words, o.App.Again()...)
	} else {
		words = append(words, flags.Quoted(o.Name))
	}
	if o.Variant != "" {
		words = append(words, "--variant "+o.Variant)
	}
	if o.Isolation.Text != "" {
		words = append(words, "--isolation "+o.Isolation.Text)
	}
	if o.By != retry.ByInjection {
		words = append(words, "--by "+o.By)
	}
	for _, f := range o.Faults {
		words = append(words, "--fault "+f)
	}
	words = append(words, fmt.Sprintf("--seed %d", o.Seed.Pick()))
	if !o.App.Given() {
		words = append(words, o.Place.Again()...)
	}
	return verdict.Command(words...)
}

// explain tells an error as the user should see it.
func explain(p *place.Place, err error) error {
	var setup *retry.SetupError
	var seed *retry.SeedError
	var large *retry.TooLargeError
	var port *retry.PortError
	var lost *pg.LostError
	switch {
	case errors.As(err, &setup):
		return exit.Usagef("%w", err).WithHint("mend the SQL in the scenario; `ccheck scenario check` finds what can be found without a server")
	case errors.As(err, &seed):
		return exit.Usagef("--seed-sql %w", err).WithHint("it runs when the application is ready, in the database that it uses")
	case errors.As(err, &large):
		return exit.Usagef("%w", err).WithHint("make the setup smaller, which finds the same")
	case errors.As(err, new(*retry.NotReadyError)):
		return exit.Failedf("%w", err).WithHint("it is given DATABASE_URL, PG* and PORT; --ready names a URL that it answers, --env sets more")
	case errors.As(err, &port):
		return exit.Failedf("%w", err).WithHint("end that program, or give the application another port with --port and in --curl")
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &lost):
		return p.Target.Explain(err)
	}
	return exit.Failedf("%w", err)
}
