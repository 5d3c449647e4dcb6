package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/application"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
)

// runApp explores the requests of an application: work does it.
func runApp(ctx context.Context, o *Options, work func(*session, context.Context, report.Sink) error) error {
	own := *o
	s := &session{o: &own, broken: map[string]bool{}, worst: report.Clean}
	err := application.Run(ctx, o.Streams, &own.Place, &own.Display, &own.Output, func(ctx context.Context, in application.Inside) error {
		own.Streams, s.place, s.began = in.Streams, in.Place, time.Now()
		return work(s, ctx, in.Sink)
	})
	if err != nil {
		return err
	}
	return s.o.code(s.worst, s.findings)
}

// application starts the application and explores its requests.
func (s *session) application(ctx context.Context, sink report.Sink) error {
	p, err := s.database(ctx)
	if err != nil {
		return err
	}
	svc, err := s.open(ctx, p)
	if err != nil {
		return s.explainApp(err)
	}
	defer svc.Close()
	if err := svc.Learn(ctx); err != nil {
		return s.explainApp(err)
	}
	s.alone(svc)
	cells := s.appCells()
	s.table = newTable(cells)
	if err := sink.Begin(s.head(cells)); err != nil {
		return err
	}
	if err := s.crowds(ctx, svc); err != nil {
		return s.explainApp(err)
	}
	if err := s.teamsOf(ctx, svc, cells, sink); err != nil {
		return s.explainApp(err)
	}
	if err := s.tell(sink, false); err != nil {
		return err
	}
	return sink.End(s.summary(cells))
}

// database makes the database of the application.
func (s *session) database(ctx context.Context) (*place.Place, error) {
	return s.o.App.Database(ctx, s.o.Streams, &s.o.Place, s.place)
}

// open starts the service.
func (s *session) open(ctx context.Context, p *place.Place) (*service.Service, error) {
	a := &s.o.App
	opts, err := a.Options(s.o.Streams, p)
	if err != nil {
		return nil, err
	}
	opts.Delay, opts.Seeds, opts.MaxRows, opts.Search = a.Delays, s.o.Seed.Pick(), s.o.MaxRows, a.search
	return service.Open(ctx, opts)
}

// alone tells what each request was learnt to do.
func (s *session) alone(svc *service.Service) {
	for _, l := range svc.Learnt {
		s.o.Streams.Sayf("%s alone: %s, %s in %s, changes %s", l.What, svc.Told(l.Alone.Ending),
			count(len(l.Alone.Steps()), "statement"), l.Alone.Took.Round(time.Millisecond), orNothing(l.Changed))
		if l.Note != "" {
			s.notes = append(s.notes, l.Note)
		}
	}
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// appCells are the teams: the requests that were named, or each pair.
func (s *session) appCells() []*cell {
	var cells []*cell
	add := func(team ...string) {
		sc := &scenario.Scenario{Name: s.o.App.Title(), Title: appTitle}
		if of := s.o.App.Of; of != nil {
			sc.Invariants, sc.Params, sc.App = of.Invariants, of.Params, of.App
		}
		cells = append(cells, &cell{sc: sc, actors: team, level: scenario.ReadCommitted})
	}
	if names := s.o.laneNames(); len(names) > 0 {
		add(names...)
		return cells
	}
	var names []string
	for _, a := range s.o.App.Actors {
		names = append(names, a.Name)
	}
	for _, a := range s.o.App.Commands {
		names = append(names, a.Name)
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			add(a, b)
		}
	}
	for _, a := range names {
		add(a, a)
	}
	return cells
}

// crowds sends each request that needs two connections at once in as many
// lanes as the pool has connections.
func (s *session) crowds(ctx context.Context, svc *service.Service) error {
	for _, l := range svc.Learnt {
		if !l.Alone.Nested || ctx.Err() != nil {
			continue
		}
		s.o.Streams.Sayf("%s takes a second connection while its transaction is open: looking for the end of the pool", l.Name)
		run := place.NewRun()
		path, err := verdict.Path(s.o.Streams, "", run.ID)
		if err != nil {
			return err
		}
		c, err := svc.Crowd(ctx, l.Name, s.appHeader(run.ID), path)
		if err != nil {
			_ = os.Remove(path)
			return err
		}
		if err := s.crowd(ctx, l, c, path); err != nil {
			return err
		}
	}
	return nil
}

// crowd judges what came of one.
func (s *session) crowd(ctx context.Context, l *service.Learnt, c explore.Crowd, path string) error {
	f, err := history.Open(path)
	if err != nil {
		return exit.Failedf("reading back the history: %w", err)
	}
	res, err := driver.Judge(ctx, f, analyzers.Crowded)
	if err != nil {
		return exit.Failedf("judging the history: %w", err)
	}
	if len(res.Findings) == 0 {
		_ = os.Remove(path)
		s.notes = append(s.notes, fmt.Sprintf("%s takes a second connection while its transaction is open; %d at once did not use up the pool", l.Name, c.Pool))
		return nil
	}
	s.worst = report.Worse(s.worst, report.Faulty)
	if s.history == "" {
		s.history = path
	}
	for _, found := range res.Findings {
		found.Repro.Command = s.o.onServer(s.o.App.command([]string{l.Name, l.Name}, ""))
		s.findings = append(s.findings, found)
		s.keys, s.at = append(s.keys, found.Rule+l.Name), append(s.at, []string{l.Name})
		s.teams, s.levels = append(s.teams, ""), append(s.levels, scenario.ReadCommitted)
	}
	s.notes = append(s.notes, fmt.Sprintf("the pool of the application has %s: the next request got none", count(c.Pool, "connection")))
	return nil
}

// teamsOf explores each team from each state that its requests have.
func (s *session) teamsOf(ctx context.Context, svc *service.Service, cells []*cell, sink report.Sink) error {
	pulse := s.pulse(sink, len(cells))
	for _, c := range cells {
		before := s.counts
		for _, name := range slices.Compact(slices.Clone(c.actors)) {
			if ctx.Err() != nil {
				s.reasons = append(s.reasons, "ended on request")
				s.worst = report.Worse(s.worst, report.Unknown)
				return nil
			}
			err := s.boundary(ctx, svc, c, name, pulse.at)
			if errors.As(err, new(*explore.UnsteadyError)) && svc.Forget() {
				s.o.Streams.Sayf("%v: the application keeps state in memory; it is started again between schedules", err)
				if err = svc.Back(ctx); err == nil {
					err = s.boundary(ctx, svc, c, name, pulse.at)
				}
			}
			if err != nil {
				return err
			}
		}
		pulse.ended(since(before, s.counts))
	}
	return nil
}

// boundary explores a team from the boundary of a request.
func (s *session) boundary(ctx context.Context, svc *service.Service, c *cell, name string, progress func(explore.Counts)) error {
	st, err := svc.Drive(ctx, name)
	if err != nil || st.Of == "" && name != c.actors[0] { // the seed state has been explored
		return err
	}
	if err := s.from(ctx, svc, c, st, progress); err != nil {
		return err
	}
	return svc.Back(ctx)
}

// from explores a team from a state.
func (s *session) from(ctx context.Context, svc *service.Service, c *cell, st service.State, progress func(explore.Counts)) error {
	own := *c
	sc := *c.sc
	own.sc = &sc
	sc.Version = s.stateName(c, st)
	var err error
	if own.schedule, err = s.o.parseSchedule(c.actors); err != nil {
		return err
	}
	s.o.Streams.Sayf("exploring %s from %s", strings.Join(c.actors, " beside "), sc.Version)
	run := place.NewRun()
	path, err := verdict.Path(s.o.Streams, "", run.ID)
	if err != nil {
		return err
	}
	opts, err := s.appOptions(ctx, svc, &own, run.ID, path)
	if err != nil {
		return err
	}
	opts.Progress = progress
	if opts.AsAlone = c.actors; st.Of != "" {
		opts.AsAlone = []string{st.Of}
	}
	counts, err := explore.Drive(context.WithoutCancel(ctx), opts)
	if err != nil {
		_ = os.Remove(path)
		return err
	}
	d := &done{cell: &own, counts: counts, path: path}
	if err := d.judge(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	for i := range d.verdict.Findings {
		f := &d.verdict.Findings[i]
		_, schedule, _ := strings.Cut(f.Repro.Command, "--schedule ")
		f.Repro.Command = s.o.App.command(c.actors, strings.Trim(schedule, `"`))
	}
	return s.take(d)
}

// stateName tells where an exploration begins.
func (s *session) stateName(c *cell, st service.State) string {
	origin := cmp.Or(s.origin, "the seed rows")
	switch {
	case st.Boundary.Calls == 0:
		return origin
	case st.Of == "":
		s.notes = append(s.notes, fmt.Sprintf("%s was answered the same in %d calls, one after the other, so it was explored from %s", c.actors[0], st.Boundary.Calls, origin))
		return origin
	}
	return fmt.Sprintf("after %s of %s", count(st.Boundary.Calls, "call"), st.Of)
}

// reduceFrom is the number of schedules above which those are left out that
// cannot differ from another one.
const reduceFrom = 300

func (s *session) appOptions(ctx context.Context, svc *service.Service, c *cell, run, path string) (explore.Options, error) {
	lanes, err := svc.Lanes(c.actors)
	if err != nil {
		return explore.Options{}, err
	}
	opts := explore.Options{
		Lanes: lanes, Path: path, Stop: ctx.Done(), Isolation: c.level, Seed: s.o.Seed.Pick(), Max: s.o.Max, MaxRows: s.o.MaxRows,
		Header: s.appHeader(run), Longest: s.o.App.Longest,
	}
	svc.Fill(&opts)
	if len(c.sc.Invariants) > 0 {
		opts.Scenario = c.sc
	}
	if !s.o.Full && svc.Schedules(c.actors) > reduceFrom && svc.ReadCommitted() {
		opts.Commute = commute
	}
	if c.schedule != nil {
		for range s.o.Times {
			opts.Replay = append(opts.Replay, c.schedule)
		}
	}
	return opts, nil
}

func (s *session) appHeader(run string) history.Header {
	return history.Header{
		Run: run, Version: build.Version(), Scenario: s.o.App.Title(), Title: appTitle, Params: s.o.App.Mask(),
		Target: history.Target{Kind: "postgresql", Version: s.place.Facts.Version, Address: s.place.Target.Address(), Schema: application.Schema, Throwaway: true},
	}
}

const appTitle = "requests to the application, in every interleaving of their statements"

// explainApp tells an error as the user should see it.
func (s *session) explainApp(err error) error {
	if told, known := application.Explain(s.place, err, between); known {
		return told
	}
	return explain(s.place, err)
}
