package leader

import (
	"context"
	"errors"

	"github.com/ccheck/ccheck/probes/lease"
)

// kill ends an instance as kill -9 does, and starts it again when another one
// leads.
func kill(in member, end func() error) fault {
	return func(ctx context.Context, d *driver) error {
		if err := errors.Join(d.Mark(in.number(), MarkKilled), end()); err != nil {
			return err
		}
		if err := errors.Join(d.successor(ctx, in), d.Mark(in.number(), MarkStarted)); err != nil {
			return err
		}
		return in.start(ctx)
	}
}

// pause stops an instance right before its next job, and lets it go on when
// another one leads. How that job ends is recorded and is no error here. Without a
// way to let it go on there was nothing to stop.
func pause(in member, freeze func(context.Context) (thaw func(context.Context) error, err error)) fault {
	return func(ctx context.Context, d *driver) error {
		thaw, err := freeze(ctx)
		if err != nil || thaw == nil {
			return err
		}
		d.phase.Store(lease.MarkPaused)
		return errors.Join(d.successor(ctx, in), thaw(ctx))
	}
}

// partition cuts an instance's network off.
func partition(in member, off, join func()) fault {
	return func(ctx context.Context, d *driver) error {
		err := d.Mark(in.number(), MarkCutOff)
		off()
		err = errors.Join(err, d.successor(ctx, in), d.Mark(in.number(), MarkJoined))
		join()
		return err
	}
}

// cut resets an instance's connections and lets it live.
func cut(in member, reset func()) fault {
	return func(ctx context.Context, d *driver) error {
		err := d.Mark(in.number(), MarkCut)
		reset()
		return errors.Join(err, d.pass(ctx, 5))
	}
}
