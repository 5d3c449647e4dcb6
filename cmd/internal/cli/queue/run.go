package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/queue"
	"github.com/ccheck/ccheck/probes/scenario"
)

// cell is one queue that is run.
type cell struct {
	name string
	sc   *scenario.Scenario // nil for an application
}

// producers add jobs, and beside are connections that are none of the lanes'.
const (
	producers = 4
	beside    = 4
)

// cells are the queues that were asked for.
func (o *Options) cells() ([]cell, error) {
	if o.URL != "" {
		return []cell{{name: "application"}}, nil
	}
	var list []cell
	for _, k := range queue.Kinds {
		if o.Name != "" && o.Name != k.Name {
			continue
		}
		sc, err := scenario.Open(strings.TrimSuffix(queue.Scenario+"/"+k.Variant, "/"))
		if err != nil {
			return nil, err
		}
		list = append(list, cell{k.Name, sc})
	}
	if len(list) > 0 {
		return list, nil
	}
	sc, err := flags.OpenBeside(o.Name, flags.Words{One: "kind of queue", Many: "kinds", Yours: "a queue of yours", All: kinds()})
	if err != nil {
		return nil, err
	}
	if err := queue.Check(sc); err != nil {
		return nil, exit.Usagef("%w", err).WithHint("one adds a job and leaves its key in :job, the other has -- @outside before the statement that does it; `ccheck scenario export queue` writes one to begin with")
	}
	return []cell{{o.Name, sc}}, nil
}

// session is one run of the command.
type session struct {
	o        *Options
	place    *place.Place // nil for an application
	began    time.Time
	table    report.Table
	findings []report.Finding
	reasons  []string
	notes    []string
	worst    report.Verdict
	history  string
	total    queue.Counts
}

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	cells, err := o.cells()
	if err != nil {
		return err
	}
	s := &session{began: time.Now(), worst: report.Clean, table: newTable()}
	if o.URL == "" {
		if s.place, err = o.Place.Open(ctx, o.Streams, o.Workers+producers+beside); err != nil {
			return err
		}
		defer s.place.Close(ctx)
	} else if err := o.address(); err != nil {
		return err
	}
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	own := *o
	own.Streams = show.Streams()
	s.o = &own
	return show.Judged(ctx, &o.Outcome, func(ctx context.Context, sink report.Sink) (*output.Recording, error) {
		return s.all(ctx, cells, sink)
	})
}

// url is --url, or the variable that it names.
func (o *Options) url() string {
	if name, ok := strings.CutPrefix(o.URL, "env:"); ok {
		return o.Streams.Env(name)
	}
	return o.URL
}

// address finds fault with that of an application.
func (o *Options) address() error {
	if o.url() == "" {
		return exit.Usagef("--url %s: the variable is not set", o.URL).WithHint("set it to the address of the application, such as http://localhost:3000/jobs")
	}
	if u, err := url.Parse(o.url()); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return exit.Usagef("--url %s is no address of an application", flags.Shown(o.URL)).WithHint("it looks like http://localhost:3000/jobs")
	}
	return nil
}

// all runs the queues one after the other.
func (s *session) all(ctx context.Context, cells []cell, sink report.Sink) (*output.Recording, error) {
	if err := sink.Begin(s.head()); err != nil {
		return nil, err
	}
	for _, c := range cells {
		if ctx.Err() != nil {
			break
		}
		s.o.Streams.Sayf("%s: %d jobs, %d workers, %d of them killed", c.name, s.o.Jobs, s.o.Workers, s.o.Kills)
		if err := s.one(ctx, c, sink); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		s.reasons, s.worst = append(s.reasons, "ended on request"), report.Worse(s.worst, report.Unknown)
	}
	slices.SortStableFunc(s.findings, func(a, b report.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	return &output.Recording{Findings: s.findings, Summary: s.summary()}, nil
}

// one runs a queue and judges it.
func (s *session) one(ctx context.Context, c cell, sink report.Sink) error {
	o := queue.Options{
		Scenario: c.sc, Seed: s.o.Seed.Pick(), Producers: producers, Workers: s.o.Workers, Jobs: s.o.Jobs, Kills: s.o.Kills,
		Patience: s.o.Patience, Stop: ctx.Done(), Header: s.header(), URL: s.o.url(),
		Progress: func(p queue.Counts) { sink.Progress(s.progress(c, p)) },
	}
	leave := func() {}
	if s.place != nil {
		box, err := s.place.Sandbox(ctx)
		if err != nil {
			return err
		}
		leave = func() {
			if note := box.Leave(ctx, false); note != "" {
				s.o.Streams.Warnf("%s", note)
			}
		}
		o.Config, o.Tables, o.Header = box.Config, box.Tables, box.Header()
	}
	o.Header.Scenario, o.Header.Title, o.Header.Params = c.name, title(c), s.o.command(c)
	var err error
	if o.Path, err = verdict.Path(s.o.Streams, "", o.Header.Run); err != nil {
		leave()
		return err
	}
	counts, err := queue.Drive(context.WithoutCancel(ctx), o)
	leave()
	if err != nil {
		_ = os.Remove(o.Path)
		return s.explain(err)
	}
	return s.judge(context.WithoutCancel(ctx), c, counts, o.Path)
}

// judge reads the history that was left, and keeps it when there is something
// to look at.
func (s *session) judge(ctx context.Context, c cell, counts queue.Counts, path string) error {
	v, err := verdict.Of(ctx, path)
	if err != nil {
		return err
	}
	s.take(c, counts, v)
	if len(v.Findings) == 0 {
		_ = os.Remove(path)
	} else if s.history == "" {
		s.history = path
	}
	return nil
}

// take adds what came of a queue.
func (s *session) take(c cell, counts queue.Counts, v driver.Result) {
	s.row(c, counts, v)
	s.total.Enqueued += counts.Enqueued
	s.total.Done += counts.Done
	s.total.Killed += counts.Killed
	s.worst = report.Worse(s.worst, v.Verdict)
	for _, why := range v.Reasons {
		s.reasons = append(s.reasons, c.name+": "+why)
	}
	for _, f := range v.Findings {
		f.Message = c.name + ": " + f.Message
		s.findings = append(s.findings, f)
	}
}

// command is how to see a finding again, as a parameter of the history.
func (o *Options) command(c cell) []history.Parameter {
	what := flags.Quoted(c.name)
	if o.URL != "" {
		what = "--url " + flags.Quoted(flags.Redacted(o.URL))
	}
	words := []string{"ccheck queue", what, fmt.Sprintf("--workers %d --jobs %d --kills %d --seed %d", o.Workers, o.Jobs, o.Kills, o.Seed.Pick())}
	return verdict.Command(append(words, o.Place.Again()...)...)
}

// explain tells an error as the user should see it.
func (s *session) explain(err error) error {
	var setup *queue.SetupError
	var answer *queue.AnswerError
	var server *pg.Error
	var lost *pg.LostError
	switch {
	case errors.As(err, &answer):
		return exit.Failedf("%w", err).WithHint("`ccheck explain queue` tells what the three endpoints are sent and have to answer")
	case errors.As(err, &setup):
		return exit.Usagef("%w", err).WithHint("mend the SQL in the scenario; `ccheck scenario check` finds what can be found without a server")
	case errors.As(err, &lost) && s.place != nil:
		return s.place.Target.Explain(err)
	case errors.As(err, &server):
		return exit.Usagef("a call ended with an error of the server: %w", err).WithHint("mend the SQL in the scenario")
	case errors.Is(err, context.Canceled):
		return err
	}
	return exit.Failedf("%w", err)
}
