package lease

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	lock     = "job"    // the lease of the acts
	resource = "ledger" // the key that it protects
	// maxHolds bounds the requests of one call between which the owner is paused.
	maxHolds = 5
	patience = 5 // times to live that a rival waits, and graceful more
	graceful = 2 * time.Second
)

// errNeverOver means that a rival was refused for much longer than the time to
// live.
var errNeverOver = errors.New("the lease did not end")

// acts are the runs in which an owner is late.
func (d *driver) acts(ctx context.Context) error {
	a := d.owners[0]
	calls := []func(h held, value string) func(context.Context) error{
		func(h held, value string) func(context.Context) error {
			return func(ctx context.Context) error { return a.write(ctx, value, h) }
		},
		func(h held, _ string) func(context.Context) error {
			return func(ctx context.Context) error { return a.renew(ctx, h) }
		},
		func(h held, _ string) func(context.Context) error {
			return func(ctx context.Context) error { return a.release(ctx, h) }
		},
	}
	for range d.o.Rounds {
		for _, call := range calls {
			for at := 1; at <= maxHolds; at++ {
				reached, err := d.late(ctx, at, call)
				if err != nil {
					return err
				}
				if !reached {
					break
				}
			}
		}
		if err := d.restart(ctx); err != nil {
			return err
		}
	}
	return nil
}

// late is one run: A is paused in the middle of a call, B takes over, A goes on.
// It reports false when the call has no request of that number.
func (d *driver) late(ctx context.Context, at int, call func(held, string) func(context.Context) error) (bool, error) {
	a, b, c := d.owners[0], d.owners[1], d.owners[2]
	mine, err := d.take(ctx, a)
	if err != nil {
		return false, err
	}
	began := time.Now()
	if err := d.each(a.write(ctx, d.value(a), mine)); err != nil {
		return false, err
	}
	d.quick = time.Since(began)
	if err := d.each(a.renew(ctx, mine)); err != nil {
		return false, err
	}
	f, err := a.freeze(ctx, at, call(mine, d.value(a)))
	if err != nil || f == nil {
		return false, errors.Join(err, d.each(a.release(ctx, mine)))
	}
	hers, err := d.overtake(ctx, b, c)
	if err := errors.Join(err, a.thaw(f)); err != nil {
		return true, err
	}
	return true, d.aftermath(ctx, mine, hers)
}

// overtake lets C try at once and B until the lease is over; B then writes.
func (d *driver) overtake(ctx context.Context, b, c *actor) (held, error) {
	early, err := c.acquire(ctx, lock)
	if err == nil {
		defer func() { _ = c.release(ctx, early) }() // it should not have it; whether that works is recorded
	}
	if err := unlessRefused(err); err != nil {
		return held{}, err
	}
	hers, err := d.take(ctx, b)
	if err != nil {
		return held{}, err
	}
	return hers, d.each(b.write(ctx, d.value(b), hers), c.read(ctx))
}

// aftermath is what the late owner tries, and what its rival must still be able
// to do.
func (d *driver) aftermath(ctx context.Context, mine, hers held) error {
	a, b, c := d.owners[0], d.owners[1], d.owners[2]
	err := d.each(c.read(ctx), a.write(ctx, d.value(a), mine), c.read(ctx), a.renew(ctx, mine))
	if err != nil {
		return err
	}
	for range 2 { // before the late release, and after it
		in, err := c.acquire(ctx, lock)
		if err == nil {
			err = c.release(ctx, in)
		}
		if err := errors.Join(unlessRefused(err), d.each(a.release(ctx, mine))); err != nil {
			return err
		}
	}
	return d.each(b.renew(ctx, hers), b.write(ctx, d.value(b), hers), c.read(ctx), b.release(ctx, hers))
}

// restart begins every owner anew, as a deployment does, and takes turns.
func (d *driver) restart(ctx context.Context) error {
	if err := d.reopen(ctx); err != nil {
		return err
	}
	for _, o := range d.owners {
		h, err := d.take(ctx, o)
		if err != nil {
			return err
		}
		if err := d.each(o.write(ctx, d.value(o), h), o.read(ctx), o.release(ctx, h)); err != nil {
			return err
		}
	}
	return nil
}

// take acquires the lease, waiting while somebody holds it.
func (d *driver) take(ctx context.Context, a *actor) (held, error) {
	until := time.Now().Add(patience*d.o.TTL + graceful)
	for {
		h, err := a.acquire(ctx, lock)
		if err == nil || !refusal(err) {
			return h, err
		}
		if time.Now().After(until) {
			return held{}, errNeverOver
		}
		select {
		case <-time.After(d.o.TTL / 8):
		case <-ctx.Done():
			return held{}, ctx.Err()
		}
	}
}

// each returns the first error that is no answer.
func (d *driver) each(errs ...error) error {
	for _, err := range errs {
		if err := unlessRefused(err); err != nil {
			return err
		}
	}
	return nil
}

// value is one that nobody else writes: the owner and a number.
func (d *driver) value(a *actor) string {
	d.values++
	return fmt.Sprintf("%s%d", a.owner.Name, d.values)
}
