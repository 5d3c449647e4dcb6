package lease

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
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

// Tape is a history of owners and what it counts.
type Tape struct {
	*history.Writer
	grants                     atomic.Int64
	accepted, refused, unknown atomic.Int64
}

// Mark notes something about a lane, or about all (history.Checker).
func (t *Tape) Mark(lane int, what string) error {
	r := t.Recorder(lane)
	r.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: what})
	return r.Flush()
}

// count counts a call that has ended.
func (t *Tape) count(outcome history.Outcome) {
	switch outcome {
	case history.Accepted:
		t.accepted.Add(1)
	case history.Refused:
		t.refused.Add(1)
	default:
		t.unknown.Add(1)
	}
}

// Counts are the calls that have ended.
func (t *Tape) Counts() Counts {
	return Counts{
		Accepted: t.accepted.Load(), Refused: t.refused.Load(), Unknown: t.unknown.Load(),
		Elapsed: t.Elapsed(), Recorded: t.Size(),
	}
}

// Lane is an owner whose calls are recorded. It is used by one goroutine at a
// time, but for Mark.
type Lane struct {
	Owner  Owner
	Client Client

	tape  *Tape
	lane  int
	rec   *history.Recorder
	ttl   time.Duration
	quick time.Duration // the last write that nobody paused took that long
}

// Lane makes the lane of an owner. Its client is set by who opens it.
func (t *Tape) Lane(lane int, o Owner, ttl time.Duration) *Lane {
	return &Lane{Owner: o, tape: t, lane: lane, rec: t.Recorder(lane), ttl: ttl}
}

// Held is a grant, with its number in the history.
type Held struct {
	Grant
	number int64
}

// Hold numbers a grant.
func (t *Tape) Hold(g Grant) Held { return Held{g, t.grants.Add(1)} }

// Acquire records Client.Acquire.
func (a *Lane) Acquire(ctx context.Context, name string) (Held, error) {
	h := Held{}
	err := a.call("acquire", func() ([]history.Var, error) {
		g, err := a.Client.Acquire(ctx, name, a.ttl)
		if err != nil {
			return []history.Var{text("name", name), number("ttl", a.ttl.Milliseconds())}, err
		}
		h = a.tape.Hold(g)
		return append(h.vars(), number("ttl", g.TTL.Milliseconds())), nil
	})
	return h, err
}

// Renew records Client.Renew.
func (a *Lane) Renew(ctx context.Context, h Held) error {
	return a.call("renew", func() ([]history.Var, error) {
		return append(h.vars(), number("ttl", h.TTL.Milliseconds())), a.Client.Renew(ctx, h.Grant)
	})
}

// Release records Client.Release.
func (a *Lane) Release(ctx context.Context, h Held) error {
	return a.call("release", func() ([]history.Var, error) { return h.vars(), a.Client.Release(ctx, h.Grant) })
}

// Write records Client.Write.
func (a *Lane) Write(ctx context.Context, value string, h Held) error {
	return a.call("write", func() ([]history.Var, error) {
		return append(h.vars(), text("key", resource), text("value", value)), a.Client.Write(ctx, resource, value, h.Grant)
	})
}

// Read records Client.Read.
func (a *Lane) Read(ctx context.Context) error {
	return a.call("read", func() ([]history.Var, error) {
		value, err := a.Client.Read(ctx, resource)
		return []history.Var{text("key", resource), text("value", value)}, err
	})
}

// Fire records Firer.Fire.
func (a *Lane) Fire(ctx context.Context, tick int64, h Held) error {
	return a.call("fire", func() ([]history.Var, error) {
		f, ok := a.Client.(Firer)
		if !ok {
			return nil, errors.New("the store has no job to do")
		}
		return append(h.vars(), number("tick", tick)), f.Fire(ctx, tick, h.Grant)
	})
}

func (h Held) vars() []history.Var {
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
func (a *Lane) call(what string, do func() ([]history.Var, error)) error {
	a.rec.BeginCall(what)
	if err := a.rec.Flush(); err != nil {
		return err
	}
	vars, err := do()
	outcome, told := history.Accepted, err
	switch {
	case Refusal(err):
		outcome, told = history.Refused, nil
	case err != nil:
		outcome = history.Unknown
	}
	a.rec.EndCall(outcome, 1, vars, told)
	a.tape.count(outcome)
	if flush := a.rec.Flush(); flush != nil {
		return flush
	}
	return err
}

// Refusal reports whether the error is an answer.
func Refusal(err error) bool {
	return errors.Is(err, ErrHeld) || errors.Is(err, ErrLost) || errors.Is(err, ErrFenced)
}

// unlessRefused passes on what is no answer.
func unlessRefused(err error) error {
	if Refusal(err) {
		return nil
	}
	return err
}

// Mark notes something about the lane. It has a recorder of its own, since the
// lane may be in the middle of a call.
func (a *Lane) Mark(what string) error { return a.tape.Mark(a.lane, what) }

// Frozen is a call that is held in its middle.
type Frozen struct {
	ended  chan error
	resume func() error
}

// Freeze makes a call and stops the owner right before the request of that
// number, from 1. It returns nil when the call ended before there was one.
func (a *Lane) Freeze(ctx context.Context, at int, call func(context.Context) error) (*Frozen, error) {
	f := &Frozen{ended: make(chan error, 1)}
	if p, ok := a.Client.(Pauser); ok {
		return a.stop(ctx, p, f, at, call)
	}
	gate := NewGate(at)
	go func() { f.ended <- call(gate.With(ctx)) }()
	select {
	case <-gate.Held():
		f.resume = func() error { gate.Open(); return nil }
		return f, a.Mark(MarkPaused)
	case err := <-f.ended:
		return nil, unlessRefused(err)
	}
}

// stop stops a process: before it hears of the call, then later and later in its
// course.
func (a *Lane) stop(ctx context.Context, p Pauser, f *Frozen, at int, call func(context.Context) error) (*Frozen, error) {
	f.resume = p.Resume
	if at == 1 {
		if err := p.Pause(); err != nil {
			return nil, err
		}
		err := a.Mark(MarkPaused)
		go func() { f.ended <- call(ctx) }()
		return f, err
	}
	go func() { f.ended <- call(ctx) }()
	select {
	case err := <-f.ended:
		return nil, unlessRefused(err)
	case <-time.After(a.quick * time.Duration(at-1) / maxHolds):
	}
	if err := p.Pause(); err != nil {
		return nil, err
	}
	select {
	case err := <-f.ended:
		return nil, errors.Join(unlessRefused(err), p.Resume())
	default:
	}
	return f, a.Mark(MarkPaused)
}

// Thaw lets the owner go on and waits for the end of its call.
func (a *Lane) Thaw(f *Frozen) error {
	if err := errors.Join(a.Mark(MarkResumed), f.resume()); err != nil {
		return err
	}
	return unlessRefused(<-f.ended)
}
