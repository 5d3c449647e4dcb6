package stress

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
	"github.com/ccheck/ccheck/probes/target"
)

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	sc, err := o.open()
	if err != nil {
		return err
	}
	if o.Plan {
		return plan(ctx, o, sc)
	}
	s, err := connect(ctx, o, o.wanted(sc))
	if err != nil {
		return err
	}
	defer s.place.Close(ctx)
	if err := s.follow(ctx, sc); err != nil {
		return err
	}
	if o.Compare {
		return compare(ctx, s, sc)
	}
	levels := o.levelsOf(sc)
	if len(levels) > 1 {
		return several(ctx, s, sc, levels)
	}
	if o.shard != nil {
		return part(ctx, s, sc, levels[0])
	}
	return single(ctx, s, sc, levels[0])
}

// levelsOf are the levels to run at: those asked for, else the scenario's own, ""
// where it has none.
func (o *Options) levelsOf(sc *scenario.Scenario) []scenario.Isolation {
	if len(o.Isolation.Levels) > 0 {
		return o.Isolation.Levels
	}
	return []scenario.Isolation{sc.Isolation}
}

// done is one run with its verdict.
type done struct {
	header   *history.Header
	snap     stress.Snapshot
	verdict  driver.Result
	path     string
	cut      string
	note     string
	err      error // why the run was broken off
	findings []report.Finding
}

// once makes one run in a sandbox of its own and judges it. begin is called
// when the history has its header, progress while the run goes on.
func (s *session) once(ctx context.Context, sc *scenario.Scenario, level scenario.Isolation, path string, begin func(report.Run) error, progress func(stress.Snapshot)) (*done, error) {
	clients, err := s.lanes(sc)
	if err != nil {
		return nil, err
	}
	box, err := s.place.Sandbox(ctx)
	if err != nil {
		return nil, err
	}
	opts := s.stressOptions(sc, level, box, clients)
	if opts.Replica, err = s.replicaConfig(ctx, box, level); err != nil {
		box.Leave(ctx, s.o.Keep)
		return nil, err
	}
	opts.Stop, opts.Progress, opts.Guard = ctx.Done(), progress, s.place.Server == nil
	if opts.Path = path; path == "" {
		if opts.Path, err = historyPath(s.o.Streams.Env, box.Run.ID); err != nil {
			box.Leave(ctx, s.o.Keep)
			return nil, err
		}
	}
	if err := begin(s.head(sc, level, opts)); err != nil {
		box.Leave(ctx, s.o.Keep)
		return nil, err
	}
	res, runErr := stress.Run(context.WithoutCancel(ctx), opts)
	note := box.Leave(ctx, s.o.Keep)
	if runErr != nil {
		runErr = s.explain(runErr)
	}
	if res != nil && exit.Code(runErr) == exit.Usage {
		_ = os.Remove(res.Path) // the record of a mistake in the scenario is of no use
		res = nil
	}
	if res == nil {
		if note != "" {
			s.o.Streams.Warnf("%s", note)
		}
		return nil, runErr
	}
	d := &done{path: res.Path, snap: res.Final, cut: res.Cut, note: note, err: runErr}
	if err := d.judge(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	for i := range d.findings {
		d.findings[i].Repro.Command = s.o.again(d.findings[i].Repro.Command, sc)
	}
	return d, nil
}

// stressOptions is what the driver needs.
func (s *session) stressOptions(sc *scenario.Scenario, level scenario.Isolation, box *place.Sandbox, clients int) stress.Options {
	o := s.o
	return stress.Options{
		Scenario: sc, Config: box.Config, Header: box.Header(), Tables: box.Tables,
		Limit: o.Limit << 20, Clients: clients, Duration: o.Duration, Transactions: o.Transactions, Rate: o.Rate,
		Think: o.think, Isolation: level, Protocol: pg.Protocol(o.Protocol), Scale: o.Scale, Seed: o.Seed.Pick(),
		MaxTries: o.MaxTries, CheckEvery: o.CheckEvery, Vars: o.vars,
	}
}

// head is what sinks are told when the run begins.
func (s *session) head(sc *scenario.Scenario, level scenario.Isolation, opts stress.Options) report.Run {
	h := opts.Header
	h.Scenario, h.Title, h.Seed, h.Start, h.Probe = sc.FullName(), sc.Title, opts.Seed, time.Now(), stress.Probe.Name
	h.Target.Isolation = string(level)
	if level == "" {
		h.Target.Isolation = string(scenario.ReadCommitted)
	}
	r := verdict.Run(&h)
	r.Clients, r.Duration, r.Limit = opts.Clients, opts.Duration, opts.Transactions
	for _, inv := range sc.Invariants {
		r.Claims = append(r.Claims, inv.Name)
	}
	return r
}

// judge reads the history that the run left.
func (d *done) judge(ctx context.Context) error {
	f, err := history.Open(d.path)
	if err != nil {
		return exit.Failedf("reading back the history: %w", err)
	}
	d.header = f.Header
	if d.verdict, err = verdict.Judge(ctx, f); err != nil {
		return exit.Failedf("judging the history: %w", err)
	}
	d.findings = d.verdict.Findings
	for _, why := range []string{d.cut, broken(d.err)} {
		if why != "" {
			d.verdict.Reasons = append(d.verdict.Reasons, why)
		}
	}
	if d.err != nil || d.cut == stress.CutOnRequest {
		d.verdict.Verdict = report.Worse(d.verdict.Verdict, report.Unknown)
	}
	return nil
}

func broken(err error) string {
	if err == nil {
		return ""
	}
	return "the run was broken off: " + err.Error()
}

// summary ends the run for sinks.
func (d *done) summary() report.Summary {
	sum := verdict.Summary(d.header, d.snap, d.verdict, d.path)
	if d.note != "" {
		sum.Notes = append(sum.Notes, d.note)
	}
	return sum
}

// explain tells an error of the run as the user should see it.
func (s *session) explain(err error) error {
	var setup *stress.SetupError
	var file *fs.PathError
	switch {
	case errors.As(err, &setup):
		return mistake(err, setup)
	case errors.Is(err, history.ErrFull):
		return exit.Failedf("%w", err).WithHint("what was recorded so far can be read: free some space, name another place with --history, or raise --history-limit")
	case errors.Is(err, stress.ErrSilent):
		return exit.Failedf("%w", err).WithHint("is it paused, overloaded or cut off? When it is back, `ccheck clean --dsn … --force` removes what was left there")
	case errors.As(err, &file):
		return exit.Failedf("%w", err).WithHint("name another place with --history")
	case errors.As(err, new(*stress.TroubleError)):
		return exit.Failedf("%s", err).WithHint("what was recorded so far can be read; run it on a server of its own")
	case errors.Is(err, context.Canceled):
		return err
	case fromServer(err):
		e := *s.place.Target.Explain(err)
		switch {
		case e.Kind == target.Lost && s.place.Server != nil:
			e.Hint = "what was recorded so far can be read; a server that ccheck starts ends by itself when it is killed, or is out of memory or disk"
		case e.Hint == "":
			e.Hint = "is the server still up? Its log says why it ended the connections"
		}
		return &e
	}
	return err
}

// undefinedVariable is how pgbench, and so a script, says that nothing sets one.
var undefinedVariable = regexp.MustCompile(`undefined variable ":?(\w+)"`)

// mistake is an error of the scenario itself, with the server's hint where it
// has one.
func mistake(err error, setup *stress.SetupError) error {
	e := exit.Usagef("%w", err).WithHint("%s", setup.Hint)
	var server *pg.Error
	undefined := undefinedVariable.FindStringSubmatch(err.Error())
	switch {
	case e.Hint == "" && undefined != nil:
		e.Hint = fmt.Sprintf("give it a value with -D %s=…, or under params in ccheck.yaml", undefined[1])
	case e.Hint == "" && !errors.As(err, &server):
		e.Hint = "mend the script, or the values of its variables: params in ccheck.yaml, -D on the command line"
	case e.Hint != "":
	case server.Code == "42P01": // undefined_table
		e.Hint = "ccheck works in an empty schema of its own: make the table in the setup of the scenario; a script alone has none, so put it into a folder with a ccheck.yaml"
	case server.Hint != "":
		e.Hint = server.Hint
	default:
		e.Hint = "mend the SQL in the scenario; `ccheck scenario check` finds what can be found without a server"
	}
	return e
}

// fromServer reports whether the error is of the connection, not of the run.
func fromServer(err error) bool {
	var known *target.Error
	var connect *pgconn.ConnectError
	var answer *pgconn.PgError
	var lost *pg.LostError
	return errors.As(err, &known) || errors.As(err, &connect) || errors.As(err, &answer) || errors.As(err, &lost)
}
