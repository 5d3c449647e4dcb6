package clock

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/clock"
	"github.com/ccheck/ccheck/probes/history"
)

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	step, err := o.step()
	if err != nil {
		return err
	}
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer s.leave(ctx, o)
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	path, err := verdict.Path(o.Streams, o.History, s.run.ID)
	if err != nil {
		return err
	}
	code := exit.Clean
	err = show.During(ctx, func(ctx context.Context, sink report.Sink) error {
		all, err := o.judged(ctx, s, step, path, sink)
		if err != nil {
			return err
		}
		code = o.Outcome.Code(all.Summary.Verdict, all.Findings)
		for _, f := range all.Findings {
			if err := sink.Add(f); err != nil {
				return err
			}
		}
		return sink.End(all.Summary)
	})
	if err != nil {
		return err
	}
	return exit.Status(code)
}

// judged drives the probe and judges what it recorded. A run that was stopped is
// judged as far as it went.
func (o *Options) judged(ctx context.Context, s *subjects, step *clock.Step, path string, sink report.Sink) (*output.Recording, error) {
	h := o.header(s)
	if err := sink.Begin(verdict.Run(&h)); err != nil {
		return nil, err
	}
	err := clock.Drive(ctx, clock.Options{
		Header: h, Path: path, Sources: s.sources, Every: o.Every, Duration: o.Duration, Events: s.events, Token: o.token(), Step: step,
		Progress: func(c clock.Counts) {
			sink.Progress(report.Progress{Phase: c.Phase, Elapsed: c.Elapsed, Accepted: c.Answers - c.Failed, Unknown: c.Failed, Recorded: c.Recorded})
		},
	})
	if err != nil && ctx.Err() == nil {
		return nil, told(err, path)
	}
	sink.Progress(report.Progress{Phase: "judging"})
	f, err := history.Open(path)
	if err != nil {
		return nil, exit.Failedf("reading back the history: %w", err)
	}
	all, _, err := verdict.Again(context.WithoutCancel(ctx), f)
	if err != nil {
		return nil, exit.Failedf("judging the history: %w", err)
	}
	return all, nil
}

// told translates the errors of the probe.
func told(err error, path string) error {
	var date *clock.NoDateError
	var refused *clock.RefusedError
	var command *clock.CommandError
	switch {
	case errors.As(err, &date):
		return (&exit.Error{Code: exit.Failed, Msg: date.Error(), Err: err}).WithHint("name another URL of that server, or the server behind the cache")
	case errors.As(err, &refused):
		return (&exit.Error{Code: exit.Failed, Msg: refused.Error(), Err: err}).WithHint("is --token-secret that of the server, and does --token-header carry the token where it looks? Without one that is accepted a refusal says nothing")
	case errors.As(err, &command):
		hint := `it is to run for longer than --after, and to print "elapsed SECONDS" as a line`
		if text := strings.Join(strings.Fields(command.Output), " "); text != "" {
			hint += "; it printed " + strconv.Quote(text[:min(len(text), 200)])
		}
		return (&exit.Error{Code: exit.Failed, Msg: command.Error(), Err: err}).WithHint("%s", hint)
	}
	return exit.Failedf("%w", err).WithHint("%s", verdict.Kept(path))
}

// header is the head of the history.
func (o *Options) header(s *subjects) history.Header {
	var names []string
	for _, x := range s.sources {
		names = append(names, x.Name)
	}
	h := history.Header{Run: s.run.ID, Probe: clock.Probe.Name, Version: build.Version(), Scenario: o.parts(s), Target: s.target}
	if s.place == nil {
		h.Target.Address = cmp.Or(strings.Join(names, ", "), hostOf(strings.TrimSpace(o.Token[strings.Index(o.Token, " ")+1:])), "this machine")
	}
	for _, p := range [][2]string{
		{"tolerance", o.Tolerance.String()}, {"leeway", o.Leeway.String()}, {"after", o.After.String()},
		{"events", strconv.Itoa(o.Events)}, {"skew", o.Skew.String()}, {"step", o.Step.String()}, {"measure", o.Measure}, {"duration", o.Duration.String()},
	} {
		h.Params = append(h.Params, history.Parameter{Name: p[0], Value: p[1]})
	}
	return h
}

// parts name what is looked at.
func (o *Options) parts(s *subjects) string {
	var all []string
	for _, p := range []struct {
		name string
		on   bool
	}{{"offset", len(s.sources) > 0}, {"order", s.events != nil}, {"token", o.Token != ""}, {"step", o.Step != 0}} {
		if p.on {
			all = append(all, p.name)
		}
	}
	return strings.Join(all, "+")
}
