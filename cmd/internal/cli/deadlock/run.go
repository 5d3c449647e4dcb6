package deadlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// session is one run of the command.
type session struct {
	o        *Options
	place    *place.Place
	began    time.Time
	table    report.Table
	findings []report.Finding
	of       []string // the shape or scenario of each finding
	reasons  []string
	worst    report.Verdict
	history  string
	total    deadlock.Result
	sum      report.Evidence
}

// beside are connections that are none of the lanes'.
const beside = 6

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	cells, err := o.cells()
	if err != nil {
		return err
	}
	lanes := 0
	for _, c := range cells {
		if lanes = max(lanes, 2*len(c.team.Actors)); c.load {
			lanes = max(lanes, o.Clients)
		}
	}
	p, err := o.Place.Open(ctx, o.Streams, lanes+beside)
	if err != nil {
		return err
	}
	defer p.Close(ctx)
	if p.Server != nil {
		p.Limits.Params = map[string]string{"deadlock_timeout": "200ms"} // nobody else waits there
	}
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	own := *o
	own.Streams = show.Streams()
	s := &session{o: &own, place: p, began: time.Now(), worst: report.Clean, table: newTable()}
	return show.Judged(ctx, &o.Outcome, func(ctx context.Context, sink report.Sink) (*output.Recording, error) {
		return s.all(ctx, cells, sink)
	})
}

// all runs the cells one after the other.
func (s *session) all(ctx context.Context, cells []*cell, sink report.Sink) (*output.Recording, error) {
	if err := sink.Begin(s.head(cells)); err != nil {
		return nil, err
	}
	for _, c := range cells {
		if ctx.Err() != nil {
			s.reasons, s.worst = append(s.reasons, "ended on request"), report.Worse(s.worst, report.Unknown)
			break
		}
		s.o.Streams.Sayf("%s, %s: %s", c.name, c.version(), strings.Join(c.team.Actors, " beside "))
		if err := s.one(ctx, c); err != nil {
			return nil, err
		}
		sink.Progress(report.Progress{Phase: c.name, Elapsed: time.Since(s.began), Accepted: s.total.Calls - s.total.Failed, Failed: s.total.Failed})
	}
	slices.SortStableFunc(s.findings, func(a, b report.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	return &output.Recording{Findings: s.findings, Summary: s.summary()}, nil
}

// one runs a cell in a sandbox of its own and judges it.
func (s *session) one(ctx context.Context, c *cell) error {
	box, err := s.place.Sandbox(ctx)
	if err != nil {
		return err
	}
	path, err := verdict.Path(s.o.Streams, "", box.Run.ID)
	if err != nil {
		box.Leave(ctx, false)
		return err
	}
	clients, duration := s.load(c)
	h := box.Header()
	h.Params = s.o.command(c)
	res, err := drive(c)(context.WithoutCancel(ctx), deadlock.Options{
		Team: c.team, Isolation: s.o.level, Config: box.Config, Tables: box.Tables, Header: h, Path: path,
		Seed: s.o.Seed.Pick(), Stop: ctx.Done(), Max: s.o.Max, Clients: clients, Duration: duration,
	})
	if note := box.Leave(ctx, false); note != "" {
		s.o.Streams.Warnf("%s", note)
	}
	if err != nil {
		_ = os.Remove(path)
		return s.explain(err)
	}
	return s.judge(context.WithoutCancel(ctx), c, res, path)
}

// load is how hard the lanes run. A cure that nobody asked to see under load is
// shown with two lanes for each call, for a moment.
func (s *session) load(c *cell) (clients int, duration time.Duration) {
	if s.o.Load || len(c.team.Actors) > mostLanes {
		return s.o.Clients, s.o.Duration
	}
	return 2 * len(c.team.Actors), time.Second
}

func drive(c *cell) func(context.Context, deadlock.Options) (deadlock.Result, error) {
	if c.load {
		return deadlock.Load
	}
	return deadlock.Explore
}

// judge reads the history that was left, and keeps it when there is something
// to look at.
func (s *session) judge(ctx context.Context, c *cell, res deadlock.Result, path string) error {
	v, err := verdict.Of(ctx, path)
	if err != nil {
		return err
	}
	s.take(c, res, v)
	if len(v.Findings) == 0 || c.cure != "" {
		_ = os.Remove(path)
	} else if s.history == "" {
		s.history = path
	}
	return nil
}

// take adds what came of a cell.
func (s *session) take(c *cell, res deadlock.Result, v driver.Result) {
	s.row(c, res, v)
	s.total.Calls += res.Calls
	s.total.Failed += res.Failed
	s.total.Deadlocks += res.Deadlocks
	s.total.Schedules += res.Schedules
	s.count(v.Evidence)
	s.worst = report.Worse(s.worst, v.Verdict)
	for _, why := range v.Reasons {
		s.reasons = append(s.reasons, fmt.Sprintf("%s, %s: %s", c.name, c.version(), why))
	}
	if c.cure != "" {
		s.verify(c, res, v)
	}
	for _, f := range v.Findings {
		s.findings, s.of = append(s.findings, f), append(s.of, c.name)
	}
}

func (s *session) count(e report.Evidence) {
	s.sum.Calls += e.Calls
	s.sum.Transactions += e.Transactions
	s.sum.Statements += e.Statements
	s.sum.LockWaits += e.LockWaits
	s.sum.Conflicts += e.Conflicts
}

// verify writes beside the fixes of a shape what its cure has shown.
func (s *session) verify(c *cell, res deadlock.Result, v driver.Result) {
	if v.Verdict != report.Clean {
		return
	}
	for i := range s.findings {
		for k := range s.findings[i].Fixes {
			if f := &s.findings[i].Fixes[k]; s.of[i] == c.name && f.Verified == "" && mends(c.cure, f) {
				f.Verified = fmt.Sprintf("run as the version %s: %s", c.cure, outcome(res))
			}
		}
	}
}

// mends reports whether a version of a shape does what the fix says.
func mends(cure string, f *report.Fix) bool {
	switch cure {
	case "retry":
		return f.Kind == report.Retry && f.SQL == ""
	case "lock-timeout":
		return f.Kind == report.Retry && f.SQL != ""
	case "ordered":
		return f.Kind == report.Order
	}
	return f.Kind == report.Pessimistic
}

// command is how to see a finding again, as a parameter of the history.
func (o *Options) command(c *cell) []history.Parameter {
	words := []string{"ccheck deadlock", flags.Quoted(c.name)}
	if v := c.team.Scenario.Version; v != "" && !strings.HasSuffix(c.name, "/"+v) {
		words = append(words, "--variant "+v)
	}
	if o.Lanes != "" {
		words = append(words, "--lanes "+o.Lanes)
	} else if c.team.Scenario.Name != deadlock.Scenario {
		words = append(words, "--lanes "+strings.Join(c.team.Actors, ","))
	}
	if o.Load {
		words = append(words, fmt.Sprintf("--stress --clients %d --duration %v", o.Clients, o.Duration))
	}
	if o.Isolation.Text != "" {
		words = append(words, "--isolation "+o.Isolation.Text)
	}
	return verdict.Command(append(words, o.Place.Again()...)...)
}

// explain tells an error as the user should see it.
func (s *session) explain(err error) error {
	var setup *explore.SetupError
	var large *explore.TooLargeError
	var lost *pg.LostError
	switch {
	case errors.As(err, &setup):
		return exit.Usagef("%w", err).WithHint("mend the SQL in the scenario; `ccheck scenario check` finds what can be found without a server")
	case errors.As(err, &large):
		return exit.Usagef("%w", err).WithHint("make the setup smaller, or use --stress")
	case errors.As(err, new(*explore.StuckError)):
		return exit.Failedf("%w", err).WithHint("release session-level advisory locks before the end of the script, or take them with pg_advisory_xact_lock")
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &lost):
		return s.place.Target.Explain(err)
	}
	return exit.Failedf("%w", err)
}
