package leader

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

// Options say how an election is driven.
type Options struct {
	Backend   *lease.Backend
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
)

// Claims are what must hold.
var Claims = []string{"at most one leader at a time", "each tick fires once", "a deposed leader does nothing"}

const (
	patience = 4 // times to live that a hand-over may take, and graceful more
	graceful = 2 * time.Second
)

// driver is one run.
type driver struct {
	*lease.Tape
	o         *Options
	began     time.Time
	instances []*instance
	cancel    []context.CancelFunc
	lives     []*sync.WaitGroup
}

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
	stop := lease.Sample(ctx, o.Progress, d.Counts)
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

func (d *driver) header() history.Header {
	h := d.o.Header
	h.Probe, h.Target, h.Seed, h.Start, h.Actors = Probe.Name, d.o.Backend.Target, d.o.Seed, d.began, d.o.Backend.Calls
	for _, c := range Claims {
		h.Claims = append(h.Claims, history.Claim{Name: c, Kind: history.Property})
	}
	return h
}

// start starts all instances. The first connection of each must work.
func (d *driver) start(ctx context.Context) error {
	for i := range d.o.Instances {
		lots := rand.New(rand.NewPCG(d.o.Seed, uint64(i)))
		line := &lease.Line{}
		owner := lease.Owner{Name: string(rune('A' + i)), Clock: time.Now, Random: lots.Uint64, Line: line}
		ttl := d.o.TTL
		if d.o.Backend.Session {
			ttl = lease.SessionTTL
		}
		in := &instance{d: d, index: i, line: line, lane: d.Lane(i, owner, ttl)}
		var err error
		if in.lane.Client, err = d.o.Backend.Open(ctx, owner); err != nil {
			return err
		}
		d.instances = append(d.instances, in)
		d.cancel, d.lives = append(d.cancel, nil), append(d.lives, nil)
		d.live(ctx, in)
	}
	return nil
}

// live lets an instance run.
func (d *driver) live(ctx context.Context, in *instance) {
	ctx, d.cancel[in.index] = context.WithCancel(ctx)
	wg := &sync.WaitGroup{}
	wg.Go(func() { in.run(ctx) })
	d.lives[in.index] = wg
}

// end stops all instances.
func (d *driver) end() {
	for i, in := range d.instances {
		in.line.Join()
		d.cancel[i]()
		d.lives[i].Wait()
		in.drop()
	}
}

// faults does everything to the leader, one thing after the other.
func (d *driver) faults(ctx context.Context) error {
	for range d.o.Rounds {
		for _, fault := range []func(context.Context, *instance) error{d.kill, d.pause, d.partition, d.cut} {
			in, err := d.leader(ctx, nil)
			if err == nil && in == nil {
				err = errors.New("no instance was elected")
			}
			if err == nil {
				err = fault(ctx, in)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// leader waits until an instance other than one leads and has done a job since;
// nil when that takes too long.
func (d *driver) leader(ctx context.Context, except *instance) (*instance, error) {
	since := d.tick()
	until := time.Now().Add(patience*d.o.TTL + graceful)
	for time.Now().Before(until) {
		for _, in := range d.instances {
			if in != except && in.leads.Load() && in.fired.Load() >= since {
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
func (d *driver) successor(ctx context.Context, in *instance) error {
	next, err := d.leader(ctx, in)
	if err == nil && next == nil {
		err = d.Mark(in.index, MarkAlone)
	}
	return err
}
