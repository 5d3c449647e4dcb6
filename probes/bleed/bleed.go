package bleed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Request is one request; {{user}} in any part stands for the marker of the user.
type Request struct {
	Method, URL, Body string
	Headers           http.Header
}

// Options say what is sent and how often.
type Options struct {
	Request Request
	Login   *Request // nil for none
	Users   int      // each a lane, with cookies and connections of its own
	Each    int      // requests of each user in the part where all send at once
	Limit   time.Duration
	Header  history.Header
	Path    string // of the history, which must not exist
	// Progress is called after every answer, by the lane that has it.
	Progress func(Counts)
}

// Counts are the state of a run.
type Counts struct {
	Phase            string
	Answers, Without int64 // with and without an answer
	Elapsed          time.Duration
	Recorded         int64
}

// What the history says, for its judge.
const (
	// Actor is the name of the calls that are judged; LoginActor of those before.
	Actor, LoginActor = "request", "login"
	// MarkAlone and MarkTogether begin the two parts; MarkEnd ends the run.
	MarkAlone, MarkTogether, MarkEnd = "alone", "together", "end"
	// VarUser is the marker of the user who asked, VarSeen one marker that the
	// answer holds (as often as there are such), VarStatus the status of the answer,
	// VarAround the text around the first marker of another user.
	VarUser, VarSeen, VarStatus, VarAround = "user", "seen", "status", "around"
	// Claim is what must hold.
	Claim = "an answer holds the data of its own user alone"
)

// run is one run.
type run struct {
	*history.Writer
	o                *Options
	users            []*user
	answers, without atomic.Int64
}

// Run sends the requests and records what was answered. A ctx that is done ends
// it early, and the history says so by having no end.
func Run(ctx context.Context, o Options) (err error) {
	h := o.Header
	h.Claims = []history.Claim{{Name: Claim, Kind: history.Property}}
	h.Actors = []history.Actor{{Name: Actor, HTTP: o.Request.Method + " " + o.Request.URL}, {Name: LoginActor}}
	w, err := history.Create(o.Path, h, 0)
	if err != nil {
		return err
	}
	r := &run{Writer: w, o: &o}
	defer func() { err = errors.Join(err, w.Close()) }()
	for i := range o.Users {
		u, err := r.user(i)
		if err != nil {
			return err
		}
		defer u.client.CloseIdleConnections()
		r.users = append(r.users, u)
	}
	if err := r.alone(ctx); err != nil {
		return err
	}
	if err := r.together(ctx); err != nil {
		return err
	}
	return r.mark(MarkEnd)
}

// alone has every user log in and ask once, one after the other. An application
// that does not answer then is not worth a crowd.
func (r *run) alone(ctx context.Context) error {
	if err := r.mark(MarkAlone); err != nil {
		return err
	}
	for _, u := range r.users {
		if r.o.Login != nil {
			if err := u.ask(ctx, LoginActor, r.o.Login); err != nil {
				return err
			}
		}
		if err := u.ask(ctx, Actor, &r.o.Request); err != nil {
			return err
		}
		r.report(MarkAlone)
	}
	return nil
}

// together lets all users go at once. An answer that is missing here is part of
// what is observed.
func (r *run) together(ctx context.Context) error {
	if err := r.mark(MarkTogether); err != nil {
		return err
	}
	gate := make(chan struct{})
	var wg sync.WaitGroup
	errs := make([]error, len(r.users))
	for i, u := range r.users {
		wg.Go(func() {
			<-gate
			for n := 0; n < r.o.Each && ctx.Err() == nil; n++ {
				err := u.ask(ctx, Actor, &r.o.Request)
				if err != nil && !errors.As(err, new(*AnswerError)) {
					errs[i] = err
					return
				}
				r.report(MarkTogether)
			}
		})
	}
	close(gate)
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

func (r *run) mark(what string) error {
	rec := r.Recorder(history.Checker)
	rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: what})
	return rec.Flush()
}

func (r *run) report(phase string) {
	if r.o.Progress == nil {
		return
	}
	r.o.Progress(Counts{Phase: phase, Answers: r.answers.Load(), Without: r.without.Load(), Elapsed: r.Elapsed(), Recorded: r.Size()})
}

// user comes with cookies and connections of its own.
func (r *run) user(i int) (*user, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("making a cookie jar: %w", err)
	}
	return &user{
		run: r, rec: r.Recorder(i), marker: marker(r.o.Header.Run, i),
		client: &http.Client{Jar: jar, Timeout: r.o.Limit, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}},
	}, nil
}
