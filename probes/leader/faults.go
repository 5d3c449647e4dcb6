package leader

import (
	"context"
	"errors"

	"github.com/ccheck/ccheck/probes/lease"
)

// kill ends the leader as kill -9 does, and starts it again when another one
// leads.
func (d *driver) kill(ctx context.Context, in *instance) error {
	err := d.Mark(in.index, MarkKilled)
	d.cancel[in.index]()
	in.line.Cut()
	d.lives[in.index].Wait()
	in.leads.Store(false)
	in.drop()
	if err := errors.Join(err, d.successor(ctx, in), d.Mark(in.index, MarkStarted)); err != nil {
		return err
	}
	d.live(ctx, in)
	return nil
}

// pause stops the leader right before its next job.
func (d *driver) pause(ctx context.Context, in *instance) error {
	frozen := make(chan *lease.Frozen)
	in.pause.Store(&frozen)
	var f *lease.Frozen
	select {
	case f = <-frozen:
	case <-ctx.Done():
		return ctx.Err()
	}
	if f == nil {
		return errors.New("the leader could not be paused before its job")
	}
	err := d.successor(ctx, in)
	// Whether its job is answered in the end is recorded; a connection may be gone.
	_ = in.lane.Thaw(f)
	return err
}

// partition cuts the leader's network off.
func (d *driver) partition(ctx context.Context, in *instance) error {
	err := d.Mark(in.index, MarkCutOff)
	in.line.CutOff()
	err = errors.Join(err, d.successor(ctx, in), d.Mark(in.index, MarkJoined))
	in.line.Join()
	return err
}

// cut resets the leader's connections and lets it live.
func (d *driver) cut(ctx context.Context, in *instance) error {
	err := d.Mark(in.index, MarkCut)
	in.line.Cut()
	return errors.Join(err, d.pass(ctx, 5))
}
