package lease

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// loadTTL is long: under load nobody shall be late.
const loadTTL = 30 * time.Second

// load lets many clients take and give back few leases as fast as they can.
func (d *driver) load(ctx context.Context) error {
	if d.o.Duration <= 0 || d.o.Clients <= 0 {
		return nil
	}
	d.phase.Store(MarkLoad)
	lanes, err := d.crowd(ctx)
	defer func() {
		for _, a := range lanes {
			a.Client.Close()
		}
	}()
	if err != nil {
		return err
	}
	if err := d.Mark(history.Checker, MarkLoad); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, d.o.Duration)
	defer cancel()
	errs := make([]error, len(lanes))
	var wg sync.WaitGroup
	for i, a := range lanes {
		wg.Go(func() { errs[i] = d.hammer(ctx, a, rand.New(rand.NewPCG(d.o.Seed, uint64(a.lane)))) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// crowd opens the clients before the clock of the load starts.
func (d *driver) crowd(ctx context.Context) ([]*Lane, error) {
	var lanes []*Lane
	for i := range d.o.Clients {
		lane := len(d.owners) + i
		a := d.Lane(lane, Owner{Name: fmt.Sprintf("client-%d", i), Clock: time.Now, Random: rand.Uint64}, loadTTL)
		var err error
		if a.Client, err = d.o.Backend.Open(ctx, a.Owner); err != nil {
			return lanes, err
		}
		lanes = append(lanes, a)
	}
	return lanes, nil
}

func (d *driver) hammer(ctx context.Context, a *Lane, lots *rand.Rand) error {
	for ctx.Err() == nil {
		// A call that has begun is ended: its outcome must be known.
		h, err := a.Acquire(context.WithoutCancel(ctx), fmt.Sprintf("load-%d", lots.IntN(max(d.o.Names, 1))))
		if err == nil {
			if err = a.Release(context.WithoutCancel(ctx), h); err == nil {
				d.pairs.Add(1)
			}
		}
		if err := unlessRefused(err); err != nil {
			return fmt.Errorf("%s: %w", a.Owner.Name, err)
		}
	}
	return nil
}
