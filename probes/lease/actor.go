package lease

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// The marks of a lane, as notes in the history.
const (
	MarkPaused  = "paused"
	MarkResumed = "resumed"
	MarkRestart = "restart"
	MarkLoad    = "load"
	MarkEnd     = "end"
)

// actor is an owner whose calls are recorded.
type actor struct {
	drive  *driver
	lane   int
	owner  Owner
	client Client
	rec    *history.Recorder
	ttl    time.Duration
}

// held is a grant, with its number in the history.
type held struct {
	Grant
	number int64
}

func (a *actor) acquire(ctx context.Context, name string) (held, error) {
	h := held{}
	err := a.call("acquire", func() ([]history.Var, error) {
		g, err := a.client.Acquire(ctx, name, a.ttl)
		vars := []history.Var{text("name", name), number("ttl", a.ttl.Milliseconds())}
		if err != nil {
			return vars, err
		}
		h = held{g, a.drive.grants.Add(1)}
		return append(vars, text("token", g.Token), number("grant", h.number)), nil
	})
	return h, err
}

func (a *actor) renew(ctx context.Context, h held) error {
	return a.call("renew", func() ([]history.Var, error) {
		return append(h.vars(), number("ttl", h.TTL.Milliseconds())), a.client.Renew(ctx, h.Grant)
	})
}

func (a *actor) release(ctx context.Context, h held) error {
	return a.call("release", func() ([]history.Var, error) { return h.vars(), a.client.Release(ctx, h.Grant) })
}

func (a *actor) write(ctx context.Context, value string, h held) error {
	return a.call("write", func() ([]history.Var, error) {
		return append(h.vars(), text("key", resource), text("value", value)), a.client.Write(ctx, resource, value, h.Grant)
	})
}

func (a *actor) read(ctx context.Context) error {
	return a.call("read", func() ([]history.Var, error) {
		value, err := a.client.Read(ctx, resource)
		return []history.Var{text("key", resource), text("value", value)}, err
	})
}

func (h held) vars() []history.Var {
	return []history.Var{text("name", h.Name), text("token", h.Token), number("grant", h.number)}
}

func text(name, value string) history.Var {
	return history.Var{Name: name, Value: history.Text(value)}
}

func number(name string, n int64) history.Var {
	return history.Var{Name: name, Value: history.Text(strconv.FormatInt(n, 10))}
}

// call records a call. An answer that is neither yes nor no leaves its outcome
// unknown for ever.
func (a *actor) call(what string, do func() ([]history.Var, error)) error {
	a.rec.BeginCall(what)
	if err := a.rec.Flush(); err != nil {
		return err
	}
	vars, err := do()
	outcome, told := history.Accepted, err
	switch {
	case refusal(err):
		outcome, told = history.Refused, nil
	case err != nil:
		outcome = history.Unknown
	}
	a.rec.EndCall(outcome, 1, vars, told)
	a.drive.count(outcome)
	if flush := a.rec.Flush(); flush != nil {
		return flush
	}
	return err
}

// refusal reports whether the error is an answer.
func refusal(err error) bool {
	return errors.Is(err, ErrHeld) || errors.Is(err, ErrLost) || errors.Is(err, ErrFenced)
}

// unlessRefused passes on what is no answer.
func unlessRefused(err error) error {
	if refusal(err) {
		return nil
	}
	return err
}

// mark notes something about the lane. It has a recorder of its own, since the
// lane may be in the middle of a call.
func (a *actor) mark(what string) error { return a.drive.mark(a.lane, what) }

// frozen is a call that is held in its middle.
type frozen struct {
	ended  chan error
	resume func() error
}

// freeze makes a call and stops the owner right before the request of that
// number, from 1. It returns nil when the call ended before there was one.
func (a *actor) freeze(ctx context.Context, at int, call func(context.Context) error) (*frozen, error) {
	f := &frozen{ended: make(chan error, 1)}
	if p, ok := a.client.(Pauser); ok {
		return a.stop(ctx, p, f, at, call)
	}
	gate := NewGate(at)
	go func() { f.ended <- call(gate.With(ctx)) }()
	select {
	case <-gate.Held():
		f.resume = func() error { gate.Open(); return nil }
		return f, a.mark(MarkPaused)
	case err := <-f.ended:
		return nil, unlessRefused(err)
	}
}

// stop stops a process: before it hears of the call, then later and later in its
// course.
func (a *actor) stop(ctx context.Context, p Pauser, f *frozen, at int, call func(context.Context) error) (*frozen, error) {
	f.resume = p.Resume
	if at == 1 {
		if err := p.Pause(); err != nil {
			return nil, err
		}
		err := a.mark(MarkPaused)
		go func() { f.ended <- call(ctx) }()
		return f, err
	}
	go func() { f.ended <- call(ctx) }()
	select {
	case err := <-f.ended:
		return nil, unlessRefused(err)
	case <-time.After(a.drive.quick * time.Duration(at-1) / maxHolds):
	}
	if err := p.Pause(); err != nil {
		return nil, err
	}
	select {
	case err := <-f.ended:
		return nil, errors.Join(unlessRefused(err), p.Resume())
	default:
	}
	return f, a.mark(MarkPaused)
}

// thaw lets the owner go on and waits for the end of its call.
func (a *actor) thaw(f *frozen) error {
	if err := errors.Join(a.mark(MarkResumed), f.resume()); err != nil {
		return err
	}
	return unlessRefused(<-f.ended)
}
