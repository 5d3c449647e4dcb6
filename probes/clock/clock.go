package clock

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/probe"
)

// Options say which clocks are read and what else is tried.
type Options struct {
	Header   history.Header
	Path     string
	Sources  []Source
	Every    time.Duration // between two readings of a source
	Duration time.Duration
	Events   *Events // nil for none
	Token    *Token  // nil for none
	Step     *Step   // nil for none
	Progress func(Counts)
}

// Counts are the state of a run.
type Counts struct {
	Phase    string
	Answers  int64
	Failed   int64
	Elapsed  time.Duration
	Recorded int64
}

// Claims are what must hold.
const (
	ClaimOffset = "the clocks agree"
	ClaimOrder  = "stamps are in the order of the server"
	ClaimToken  = "a token is accepted in its time alone"
	ClaimStep   = "a duration does not depend on the wall clock"
)

// The marks, as notes in the history.
const MarkEnd = "end"

// driver is one run.
type driver struct {
	*history.Writer
	o               *Options
	answers, failed atomic.Int64
	phase           atomic.Value
}

// Drive reads, tries and records.
func Drive(ctx context.Context, o Options) (err error) {
	w, err := history.Create(o.Path, header(&o), 0)
	if err != nil {
		return err
	}
	d := &driver{Writer: w, o: &o}
	d.phase.Store("clocks")
	defer func() { err = errors.Join(err, w.Close()) }()
	stop := probe.Sample(ctx, d.o.Progress, d.counts)
	defer stop()
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"clocks", d.read}, {"events", d.events}, {"token", d.token}, {"step", d.step}} {
		d.phase.Store(part.name)
		if err := part.run(ctx); err != nil {
			return err
		}
	}
	r := w.Recorder(history.Checker)
	r.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: MarkEnd})
	return r.Flush()
}

func header(o *Options) history.Header {
	h := o.Header
	h.Probe, h.Start = Probe.Name, time.Now()
	for _, what := range []string{"reading", "event", "token", "timed"} {
		h.Actors = append(h.Actors, history.Actor{Name: what})
	}
	for _, c := range []struct {
		name string
		on   bool
	}{{ClaimOffset, len(o.Sources) > 0}, {ClaimOrder, o.Events != nil}, {ClaimToken, o.Token != nil}, {ClaimStep, o.Step != nil}} {
		if c.on {
			h.Claims = append(h.Claims, history.Claim{Name: c.name, Kind: history.Property})
		}
	}
	return h
}

// read reads all clocks side by side.
func (d *driver) read(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make([]error, len(d.o.Sources))
	for i, s := range d.o.Sources {
		wg.Go(func() { errs[i] = d.readings(ctx, i, s) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// readings reads one clock until the time is over. The first reading is not
// kept: it pays for connecting. A clock that cannot be read at all is an error;
// one that fails later is recorded.
func (d *driver) readings(ctx context.Context, lane int, s Source) error {
	if _, err := s.read(ctx); err != nil {
		return err
	}
	rec := d.Recorder(lane)
	over := time.Now().Add(d.o.Duration)
	for time.Now().Before(over) {
		if err := d.call(rec, "reading", func() (vars, error) {
			b, err := s.read(ctx)
			return text("source", s.Name, "kind", s.Kind).number("low_ns", int64(b.Low)).number("high_ns", int64(b.High)).
				number("wall_ns", time.Now().UnixNano()), err
		}); err != nil {
			return err
		}
		if err := sleep(ctx, d.o.Every); err != nil {
			return err
		}
	}
	return nil
}

// call records one call. What has no answer is recorded and no error.
func (d *driver) call(rec *history.Recorder, what string, do func() (vars, error)) error {
	rec.BeginCall(what)
	if err := rec.Flush(); err != nil {
		return err
	}
	v, err := do()
	outcome := history.Accepted
	d.answers.Add(1)
	if err != nil {
		outcome = history.Unknown
		d.failed.Add(1)
	}
	rec.EndCall(outcome, 1, v, err)
	return rec.Flush()
}

// vars are the variables of a call.
type vars []history.Var

func text(pairs ...string) vars {
	var v vars
	for i := 0; i < len(pairs); i += 2 {
		v = append(v, history.Var{Name: pairs[i], Value: history.Text(pairs[i+1])})
	}
	return v
}

func (v vars) number(name string, n int64) vars {
	return append(v, history.Var{Name: name, Value: history.Text(strconv.FormatInt(n, 10))})
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting: %w", ctx.Err())
	}
}

func (d *driver) counts() Counts {
	return Counts{Phase: d.phase.Load().(string), Answers: d.answers.Load(), Failed: d.failed.Load(), Elapsed: d.Elapsed(), Recorded: d.Size()}
}
