package lease

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/probe"
)

// Options say how a store is driven.
type Options struct {
	Backend  *Backend
	Header   history.Header // Run, Version, Params and Scenario; the rest is filled in
	Path     string         // of the history, which must not exist
	TTL      time.Duration  // of the leases of the acts
	Rounds   int            // of the acts, at least 1
	Clients  int            // of the load
	Names    int            // that they lease
	Duration time.Duration  // of the load; 0 for none
	Seed     uint64
	// Progress is called some ten times a second with the counts so far.
	Progress func(Counts)
}

// Counts are the calls that have ended.
type Counts struct {
	Accepted, Refused, Unknown int64
	Pairs                      int64 // acquisitions of the load that were given back
	Phase                      string
	Elapsed                    time.Duration
	Recorded                   int64
}

// ClockSkew is how far the clocks of the owners B and C are off: behind and
// ahead.
const ClockSkew = time.Hour

// driver is one run.
type driver struct {
	*Tape
	o      *Options
	owners []*Lane
	values int

	pairs atomic.Int64
	phase atomic.Value
}

// Drive runs the acts and the load and records them. It returns what was counted
// also when it ends early.
func Drive(ctx context.Context, o Options) (counts Counts, err error) {
	d := &driver{o: &o}
	d.phase.Store("acts")
	h := d.header()
	w, err := history.Create(o.Path, h, 0)
	if err != nil {
		return counts, err
	}
	d.Tape = &Tape{Writer: w}
	defer func() {
		counts = d.counts()
		err = errors.Join(err, d.Close())
	}()
	stop := probe.Sample(ctx, o.Progress, d.counts)
	defer stop()
	if err := d.open(ctx); err != nil {
		return counts, err
	}
	defer d.leave()
	if err := d.acts(ctx); err != nil && !errors.Is(err, errNeverOver) {
		return counts, fmt.Errorf("driving the store: %w", err)
	}
	if err := d.load(ctx); err != nil {
		return counts, fmt.Errorf("driving the store with %d clients: %w", o.Clients, err)
	}
	return counts, d.Mark(history.Checker, MarkEnd)
}

// Claims are what must hold.
var Claims = []string{
	"at most one owner at a time",
	"every owner's token is greater than all before",
	"a late owner's write is refused",
	"only the owner renews and releases",
}

func (d *driver) header() history.Header {
	h := d.o.Header
	h.Probe, h.Target, h.Seed, h.Start, h.Actors = Probe.Name, d.o.Backend.Target, d.o.Seed, time.Now(), d.o.Backend.Calls
	for _, c := range Claims {
		h.Claims = append(h.Claims, history.Claim{Name: c, Kind: history.Property})
	}
	return h
}

// open opens the three owners. The clocks of the second and the third are wrong.
func (d *driver) open(ctx context.Context) error {
	for i, skew := range []time.Duration{0, -ClockSkew, ClockSkew} {
		lots := rand.New(rand.NewPCG(d.o.Seed, uint64(i)))
		a := d.Lane(i, Owner{
			Name: string(rune('A' + i)), Random: lots.Uint64, Clock: func() time.Time { return time.Now().Add(skew) },
		}, d.o.TTL)
		var err error
		if a.Client, err = d.o.Backend.Open(ctx, a.Owner); err != nil {
			return err
		}
		d.owners = append(d.owners, a)
	}
	return nil
}

func (d *driver) reopen(ctx context.Context) error {
	for _, a := range d.owners {
		a.Client.Close()
	}
	if err := d.Mark(history.Checker, MarkRestart); err != nil {
		return err
	}
	for _, a := range d.owners {
		var err error
		if a.Client, err = d.o.Backend.Open(ctx, a.Owner); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) leave() {
	for _, a := range d.owners {
		a.Client.Close()
	}
}

func (d *driver) counts() Counts {
	c := d.Counts()
	c.Pairs, c.Phase = d.pairs.Load(), d.phase.Load().(string)
	return c
}
