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
	calls := []func(h Held, value string) func(context.Context) error{
		func(h Held, value string) func(context.Context) error {
			return func(ctx context.Context) error { return a.Write(ctx, value, h) }
		},
		func(h Held, _ string) func(context.Context) error {
			return func(ctx context.Context) error { return a.Renew(ctx, h) }
		},
		func(h Held, _ string) func(context.Context) error {
			return func(ctx context.Context) error { return a.Release(ctx, h) }
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
func (d *driver) late(ctx context.Context, at int, call func(Held, string) func(context.Context) error) (bool, error) {
	a, b, c := d.owners[0], d.owners[1], d.owners[2]
	mine, err := d.take(ctx, a)
	if err != nil {
		return false, err
	}
	began := time.Now()
	if err := d.each(a.Write(ctx, d.value(a), mine)); err != nil {
		return false, err
	}
	a.quick = time.Since(began)
	if err := d.each(a.Renew(ctx, mine)); err != nil {
		return false, err
	}
	f, err := a.Freeze(ctx, at, call(mine, d.value(a)))
	if err != nil || f == nil {
		return false, errors.Join(err, d.each(a.Release(ctx, mine)))
	}
	hers, err := d.during(f, a, func() (Held, error) { return d.overtake(ctx, b, c) })
	if err != nil {
		return true, err
	}
	return true, d.aftermath(ctx, mine, hers)
}

// during does something while the owner is paused and lets it go on afterwards,
// or when that hangs: a process that was stopped inside a transaction or with a
// file locked may be what everybody waits for.
func (d *driver) during(f *Frozen, a *Lane, do func() (Held, error)) (Held, error) {
	var h Held
	ended := make(chan error, 1)
	go func() {
		var err error
		h, err = do()
		ended <- err
	}()
	select {
	case err := <-ended:
		return h, errors.Join(err, a.Thaw(f))
	case <-time.After(3*d.o.TTL + graceful/2):
		return h, errors.Join(a.Thaw(f), <-ended)
	}
}

// overtake lets C try at once and B until the lease is over; B then writes.
func (d *driver) overtake(ctx context.Context, b, c *Lane) (Held, error) {
	early, err := c.Acquire(ctx, lock)
	if err == nil {
		defer func() { _ = c.Release(ctx, early) }() // it should not have it; whether that works is recorded
	}
	if err := unlessRefused(err); err != nil {
		return Held{}, err
	}
	hers, err := d.take(ctx, b)
	if err != nil {
		return Held{}, err
	}
	return hers, d.each(b.Write(ctx, d.value(b), hers), c.Read(ctx))
}

// aftermath is what the late owner tries, and what its rival must still be able
// to do.
func (d *driver) aftermath(ctx context.Context, mine, hers Held) error {
	a, b, c := d.owners[0], d.owners[1], d.owners[2]
	err := d.each(c.Read(ctx), a.Write(ctx, d.value(a), mine), c.Read(ctx), a.Renew(ctx, mine))
	if err != nil {
		return err
	}
	for range 2 { // before the late release, and after it
		in, err := c.Acquire(ctx, lock)
		if err == nil {
			err = c.Release(ctx, in)
		}
		if err := errors.Join(unlessRefused(err), d.each(a.Release(ctx, mine))); err != nil {
			return err
		}
	}
	return d.each(b.Renew(ctx, hers), b.Write(ctx, d.value(b), hers), c.Read(ctx), b.Release(ctx, hers))
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
		if err := d.each(o.Write(ctx, d.value(o), h), o.Read(ctx), o.Release(ctx, h)); err != nil {
			return err
		}
	}
	return nil
}

// take acquires the lease, waiting while somebody holds it.
func (d *driver) take(ctx context.Context, a *Lane) (Held, error) {
	until := time.Now().Add(patience*d.o.TTL + graceful)
	for {
		h, err := a.Acquire(ctx, lock)
		if err == nil || !Refusal(err) {
			return h, err
		}
		if time.Now().After(until) {
			return Held{}, errNeverOver
		}
		select {
		case <-time.After(d.o.TTL / 8):
		case <-ctx.Done():
			return Held{}, ctx.Err()
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
func (d *driver) value(a *Lane) string {
	d.values++
	return fmt.Sprintf("%s%d", a.Owner.Name, d.values)
}
