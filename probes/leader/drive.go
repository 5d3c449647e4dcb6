package leader

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
	"github.com/ccheck/ccheck/probes/probe"
)

// Options say how an election is driven.
type Options struct {
	Backend *lease.Backend
	// Command makes the instances processes of the user's, and Watch has them run
	// somewhere; the Backend then is a target, and its store is theirs. With neither
	// they run here, over the Backend.
	Command   *Command
	Watch     *Watch
	Header    history.Header // Run, Version, Params and Scenario; the rest is filled in
	Path      string         // of the history, which must not exist
	TTL       time.Duration  // of a leadership, and the measure of all waiting
	Instances int            // at least 2
	Rounds    int            // of all faults, at least 1
	Seed      uint64
	// Progress is called some ten times a second with the counts so far.
	Progress func(lease.Counts)
}

// The marks of a lane beside those of package lease.
const (
	MarkKilled  = "killed"
	MarkStarted = "started"
	MarkCutOff  = "cut off"
	MarkJoined  = "joined"
	MarkCut     = "connection cut"
	MarkAlone   = "nobody took over"
	MarkEnded   = "ended"  // by itself
	MarkBroken  = "broken" // by a command of the user's
	MarkMended  = "mended"
)

// Claims are what must hold.
var Claims = []string{"at most one leader at a time", "each tick fires once", "a deposed leader does nothing"}

const (
	patience = 4 // times to live that a hand-over may take, and graceful more
	graceful = 2 * time.Second
	warmup   = 30 * time.Second
)

// driver is one run.
type driver struct {
	*lease.Tape
	o         *Options
	began     time.Time
	instances []member
	// What processes of the user's tell of: jobs, and that they ask for leave.
	works, asks atomic.Bool
	phase       atomic.Value // a string: what was done last
	answer      atomic.Value // a string: the last answer of a store that was neither yes nor no
}

// member is an instance as the driver sees it.
type member interface {
	// number is that of its lane.
	number() int
	// start lets it live, also again after kill.
	start(ctx context.Context) error
	// state is whether it leads, and when it last did a job.
	state() (leads bool, did time.Duration)
	// faults are what can be done to it.
	faults() []fault
	// trouble is why the run cannot go on, nil while it can.
	trouble() error
	// end ends it for good.
	end()
}

// fault is done to the leader.
type fault func(ctx context.Context, d *driver) error

// beat is the time between two turns of an instance, and a tick lasts two.
func (d *driver) beat() time.Duration { return d.o.TTL / 5 }

func (d *driver) tick() int64 { return int64(time.Since(d.began)/(2*d.beat())) + 1 }

// Drive runs the instances through the faults and records them. It returns what
// was counted also when it ends early.
func Drive(ctx context.Context, o Options) (counts lease.Counts, err error) {
	d := &driver{o: &o, began: time.Now()}
	w, err := history.Create(o.Path, d.header(), 0)
	if err != nil {
		return counts, err
	}
	d.Tape = &lease.Tape{Writer: w}
	defer func() {
		counts = d.Counts()
		err = errors.Join(err, d.Close())
	}()
	d.phase.Store("electing")
	stop := probe.Sample(ctx, o.Progress, d.counts)
	defer stop()
	if err := d.start(ctx); err != nil {
		d.end()
		return counts, err
	}
	err = d.faults(ctx)
	d.end()
	if err != nil {
		return counts, fmt.Errorf("driving the election: %w", err)
	}
	return counts, d.Mark(history.Checker, lease.MarkEnd)
}

// counts are those of the tape, with what was done last.
func (d *driver) counts() lease.Counts {
	c := d.Counts()
	c.Phase = d.phase.Load().(string)
	return c
}

// Mark notes what is done to a lane, and shows it.
func (d *driver) Mark(lane int, text string) error {
	d.phase.Store(text)
	return d.Tape.Mark(lane, text)
}

func (d *driver) header() history.Header {
	h := d.o.Header
	h.Probe, h.Target, h.Seed, h.Start, h.Actors = Probe.Name, d.o.Backend.Target, d.o.Seed, d.began, d.o.Backend.Calls
	if d.o.Command != nil || d.o.Watch != nil {
		h.Actors = toldCalls
	}
	for _, c := range Claims {
		h.Claims = append(h.Claims, history.Claim{Name: c, Kind: history.Property})
	}
	return h
}

// start starts all instances.
func (d *driver) start(ctx context.Context) error {
	for i := range d.o.Instances {
		in, err := d.make(i)
		if err != nil {
			return err
		}
		d.instances = append(d.instances, in)
		if err := in.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// make makes an instance of the kind that is asked for.
func (d *driver) make(i int) (member, error) {
	name := string(rune('A' + i))
	switch {
	case d.o.Command != nil:
		return d.newProcess(i, name)
	case d.o.Watch != nil:
		return d.newWatched(i, name), nil
	}
	return d.newInstance(i, name), nil
}

// end stops all instances.
func (d *driver) end() {
	var all sync.WaitGroup
	for _, in := range d.instances {
		all.Go(in.end)
	}
	all.Wait()
}

// faults does everything to the leader, one thing after the other.
func (d *driver) faults(ctx context.Context) error {
	for range d.o.Rounds {
		for i := range d.instances[0].faults() {
			in, err := d.leader(ctx, nil)
			if err == nil && in == nil {
				err = d.nobody()
			}
			if err == nil {
				err = in.faults()[i](ctx, d)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// nobody says that no instance was elected, with what the last one was answered.
func (d *driver) nobody() error {
	if last, ok := d.answer.Load().(string); ok {
		return fmt.Errorf("no instance was elected; the last answer of the store: %s", last)
	}
	return errors.New("no instance was elected")
}

// leader waits until an instance other than one leads and has done a job since;
// nil when that takes too long.
func (d *driver) leader(ctx context.Context, except member) (member, error) {
	since := d.Elapsed()
	until := time.Now().Add(d.patience(except))
	for time.Now().Before(until) {
		for _, in := range d.instances {
			if err := in.trouble(); err != nil {
				return nil, err
			}
			if leads, did := in.state(); in != except && leads && did > since {
				return in, nil
			}
		}
		select {
		case <-time.After(d.beat() / 4):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

// patience is how long an election may take. The program of an instance that
// runs elsewhere may need time to start.
func (d *driver) patience(except member) time.Duration {
	if except == nil && (d.o.Command != nil || d.o.Watch != nil) {
		return patience*d.o.TTL + warmup
	}
	return patience*d.o.TTL + graceful
}

// pass lets some ticks pass.
func (d *driver) pass(ctx context.Context, ticks int64) error {
	for until := d.tick() + ticks; d.tick() < until; {
		select {
		case <-time.After(d.beat()):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// successor waits for another leader, and notes when there is none.
func (d *driver) successor(ctx context.Context, in member) error {
	next, err := d.leader(ctx, in)
	if err == nil && next == nil {
		err = d.Mark(in.number(), MarkAlone)
	}
	return err
}
