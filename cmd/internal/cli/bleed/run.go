package bleed

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/bleed"
	"github.com/ccheck/ccheck/probes/history"
)

// run does what was asked for. The flags were checked.
func run(ctx context.Context, o *Options) error {
	r, err := o.request()
	if err != nil {
		return err
	}
	login, err := o.login()
	if err != nil {
		return err
	}
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	opts := bleed.Options{Request: *r, Login: login, Users: o.Users, Each: o.Each, Limit: o.Limit, Header: o.header(r)}
	if opts.Path, err = verdict.Path(o.Streams, o.History, opts.Header.Run); err != nil {
		return err
	}
	code := exit.Clean
	err = show.During(ctx, func(ctx context.Context, sink report.Sink) (err error) {
		code, err = o.record(ctx, opts, sink)
		return err
	})
	if err != nil {
		return err
	}
	return exit.Status(code)
}

// record drives, judges and tells. A run that was stopped is judged as far as it
// went.
func (o *Options) record(ctx context.Context, opts bleed.Options, sink report.Sink) (int, error) {
	if err := sink.Begin(verdict.Run(&opts.Header)); err != nil {
		return 0, err
	}
	counts := make(chan bleed.Counts, 1)
	opts.Progress = func(c bleed.Counts) {
		select {
		case counts <- c:
		default: // the one before was not shown yet
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- bleed.Run(ctx, opts) }()
	if err := follow(counts, ended, sink); err != nil && ctx.Err() == nil {
		return 0, told(err)
	}
	f, err := history.Open(opts.Path)
	if err != nil {
		return 0, exit.Failedf("reading back the history: %w", err)
	}
	all, _, err := verdict.Again(context.WithoutCancel(ctx), f)
	if err != nil {
		return 0, exit.Failedf("judging the history: %w", err)
	}
	for i := range all.Findings {
		all.Findings[i].Repro.Command = o.again()
		if err := sink.Add(all.Findings[i]); err != nil {
			return 0, err
		}
	}
	return o.Outcome.Code(all.Summary.Verdict, all.Findings), sink.End(all.Summary)
}

// follow shows how far the run is until it has ended: a sink is used by one
// goroutine at a time.
func follow(counts <-chan bleed.Counts, ended <-chan error, sink report.Sink) error {
	const pause = 100 * time.Millisecond
	for {
		select {
		case err := <-ended:
			return err
		case c := <-counts:
			sink.Progress(report.Progress{Phase: c.Phase, Elapsed: c.Elapsed, Accepted: c.Answers, Unknown: c.Without, Recorded: c.Recorded})
			time.Sleep(pause)
		}
	}
}

// header is the head of the history. Headers and body may hold secrets, and are
// not in it.
func (o *Options) header(r *bleed.Request) history.Header {
	h := history.Header{Run: place.NewRun().ID, Probe: bleed.Probe.Name, Version: build.Version(), Scenario: r.Method + " " + r.URL, Start: time.Now()}
	h.Target.Kind = "http"
	if u, err := url.Parse(strings.ReplaceAll(r.URL, placeholder, "u")); err == nil {
		h.Target.Address = u.Host
	}
	h.Params = []history.Parameter{
		{Name: "clients", Value: strconv.Itoa(o.Users)}, {Name: "transactions", Value: strconv.Itoa(o.Each)},
	}
	return h
}

// again is the command that makes the run again; values that may be secret are
// left for the user to fill in.
func (o *Options) again() string {
	words := []string{"ccheck bleed", quoted(o.Request), "--users " + strconv.Itoa(o.Users), "--each " + strconv.Itoa(o.Each)}
	if o.Login != "" {
		words = append(words, "--login "+quoted(o.Login))
	}
	for _, h := range o.Headers {
		name, _, _ := strings.Cut(h, ":")
		words = append(words, "--header "+quoted(name+": …"))
	}
	if o.Body != "" {
		words = append(words, "--body …")
	}
	return strings.Join(words, " ")
}

// quoted is the word as a shell takes it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// told translates what ends a run before its time.
func told(err error) error {
	var answer *bleed.AnswerError
	if errors.As(err, &answer) {
		e := (&exit.Error{Code: exit.Failed, Msg: answer.Error(), Err: err}).WithHint("is the application up, and is it the right URL?")
		if answer.Status != "" {
			e.Hint = "one user alone must be answered: does it need a --header, a --login or a --body?"
		}
		return e
	}
	return exit.Failedf("%w", err).WithHint("name another place with --history")
}
