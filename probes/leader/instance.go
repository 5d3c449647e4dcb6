package leader

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccheck/ccheck/probes/lease"
)

// job is the name of what is led.
const job = "leader"

// instance is one instance of the service.
type instance struct {
	d     *driver
	lane  *lease.Lane
	index int
	line  *lease.Line

	cancel context.CancelFunc
	life   sync.WaitGroup

	leads atomic.Bool
	fired atomic.Int64 // the last tick whose job it was allowed to do
	did   atomic.Int64 // when that was, as a Duration of the run
	// pause is where its next job is frozen; it is taken out when it is.
	pause atomic.Pointer[chan *lease.Frozen]

	held     lease.Held
	deadline time.Time // of its leadership by its own clock; zero for that of a session
	tried    int64     // the last tick whose job it began
}

func (d *driver) newInstance(i int, name string) *instance {
	lots := rand.New(rand.NewPCG(d.o.Seed, uint64(i)))
	line := &lease.Line{}
	owner := lease.Owner{Name: name, Clock: time.Now, Random: lots.Uint64, Line: line}
	ttl := d.o.TTL
	if d.o.Backend.Session {
		ttl = lease.SessionTTL
	}
	return &instance{d: d, index: i, line: line, lane: d.Lane(i, owner, ttl)}
}

func (in *instance) number() int { return in.index }

func (in *instance) state() (leads bool, did time.Duration) {
	return in.leads.Load(), time.Duration(in.did.Load())
}

func (in *instance) trouble() error { return nil }

func (in *instance) faults() []fault {
	return []fault{kill(in, in.kill), pause(in, in.stop), partition(in, in.line.CutOff, in.line.Join), cut(in, in.line.Cut)}
}

// start lets the instance run. Its first connection must work.
func (in *instance) start(ctx context.Context) (err error) {
	if in.cancel == nil {
		if in.lane.Client, err = in.d.o.Backend.Open(ctx, in.lane.Owner); err != nil {
			return err
		}
	}
	ctx, in.cancel = context.WithCancel(ctx)
	in.life.Go(func() { in.run(ctx) })
	return nil
}

// kill ends it without a word to anybody.
func (in *instance) kill() error {
	in.cancel()
	in.line.Cut()
	in.life.Wait()
	in.leads.Store(false)
	in.drop()
	return nil
}

// end ends it in good order.
func (in *instance) end() {
	in.line.Join()
	if in.cancel != nil {
		in.cancel()
	}
	in.life.Wait()
	in.drop()
}

// stop stops it right before its next job.
func (in *instance) stop(ctx context.Context) (thaw func(context.Context) error, err error) {
	frozen := make(chan *lease.Frozen)
	in.pause.Store(&frozen)
	var f *lease.Frozen
	select {
	case f = <-frozen:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f == nil {
		return nil, errors.New("the leader could not be paused before its job")
	}
	return func(context.Context) error {
		_ = in.lane.Thaw(f) // the answer to its job; a connection may be gone
		return nil
	}, nil
}

// run is the life of the instance, until ctx ends.
func (in *instance) run(ctx context.Context) {
	tick := time.NewTicker(in.d.beat())
	defer tick.Stop()
	for {
		in.turn(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// turn is one look at the world.
func (in *instance) turn(ctx context.Context) {
	call, cancel := context.WithTimeout(ctx, in.d.o.TTL/2)
	defer cancel()
	if in.lane.Client == nil {
		c, err := in.d.o.Backend.Open(call, in.lane.Owner)
		if err != nil {
			in.d.answer.Store(err.Error())
			return // the next turn tries again
		}
		in.lane.Client = c
	}
	began := time.Now()
	if in.leads.Load() {
		in.keep(in.lane.Renew(call, in.held), began)
	} else {
		h, err := in.lane.Acquire(call, job)
		if err == nil {
			in.held, in.tried = h, in.fired.Load()
		}
		in.keep(err, began)
	}
	if in.leading() && in.lane.Client != nil { // without one the next turn connects first
		in.work(ctx)
	}
}

// keep takes in an answer to an election or a renewal.
func (in *instance) keep(err error, began time.Time) {
	switch {
	case err == nil:
		in.deadline = time.Time{}
		if in.held.TTL > 0 {
			in.deadline = began.Add(in.held.TTL)
		}
		in.leads.Store(true)
	case lease.Refusal(err):
		in.leads.Store(false)
	default:
		in.d.answer.Store(err.Error())
		in.drop()
	}
}

// leading is the leader's own look at its clock. One without a deadline leads as
// long as its session answers.
func (in *instance) leading() bool {
	late := !in.deadline.IsZero() && !time.Now().Before(in.deadline)
	if late {
		in.leads.Store(false)
	}
	return in.leads.Load()
}

// drop gives a connection up that did not answer. The leadership of a session
// goes with it; one with a time to live lasts until that is over.
func (in *instance) drop() {
	if in.lane.Client != nil {
		in.lane.Client.Close()
		in.lane.Client = nil
	}
	if in.held.TTL <= 0 {
		in.leads.Store(false)
	}
}

// work does the job of the tick when it is due.
func (in *instance) work(ctx context.Context) {
	tick := in.d.tick()
	if tick <= in.tried {
		return
	}
	in.tried = tick
	fire := func(ctx context.Context) error {
		err := in.lane.Fire(ctx, tick, in.held)
		if err == nil {
			in.fired.Store(tick)
			in.did.Store(int64(in.d.Elapsed()))
		}
		return err
	}
	if frozen := in.pause.Swap(nil); frozen != nil {
		in.freeze(ctx, *frozen, fire)
		return
	}
	call, cancel := context.WithTimeout(ctx, in.d.o.TTL/2)
	defer cancel()
	if err := fire(call); err != nil && !lease.Refusal(err) {
		in.drop()
	}
}

// freeze stops the instance right before it sends the job, and waits until
// somebody lets it go on.
func (in *instance) freeze(ctx context.Context, frozen chan *lease.Frozen, fire func(context.Context) error) {
	var wg sync.WaitGroup
	wg.Add(1)
	f, err := in.lane.Freeze(ctx, 1, func(ctx context.Context) error {
		defer wg.Done()
		return fire(ctx)
	})
	if err != nil {
		f = nil
	}
	select {
	case frozen <- f:
	case <-ctx.Done():
	}
	wg.Wait()
}
