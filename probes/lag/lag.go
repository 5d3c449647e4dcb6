package lag

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/probe"
)

// Policy is where a session reads that has written something, or heard of it.
type Policy string

// The policies; docs/probes/lag.md tells them.
const (
	Replica Policy = "replica"
	Primary Policy = "primary"
	Wait    Policy = "wait"
	Token   Policy = "token"
)

// Policies are all of them: the one that is wrong, then what mends it.
var Policies = []Policy{Replica, Primary, Wait, Token}

// Server is one server of the cluster, by the name that the history has for it.
type Server struct {
	Name string
	// Config opens a session whose search_path is the schema of the run.
	Config *pgconn.Config
}

// Partition is a way to cut a replica off and to mend it.
type Partition struct {
	Replica string // its name
	For     time.Duration
	Cut     func() error
	Mend    func() error
}

// Options say what is driven and how.
type Options struct {
	Primary  Server
	Replicas []Server
	Header   history.Header // Run, Version, Target and Params; the rest is filled in
	Path     string         // of the history, which must not exist
	Policy   Policy
	Every    time.Duration // between two rounds
	Duration time.Duration
	// Fixes is how long each other policy is tried afterwards; 0 for not at all.
	Fixes time.Duration
	// Patience is how long a read under Wait waits for a replica.
	Patience  time.Duration
	Partition *Partition
	// Progress is called some ten times a second.
	Progress func(Counts)
}

// Claims are what must hold, in the words of Terry et al., "Session Guarantees
// for Weakly Consistent Replicated Data" (1994), and of people.
var Claims = []string{
	"a session reads its own writes",
	"a session never reads backwards",
	"no effect is seen before its cause",
	"no money is spent twice on a stale balance",
}

// The marks, as notes in the history. A phase mark is followed by the policy.
const (
	MarkPhase = "phase "
	MarkCut   = "cut "
	MarkMend  = "mended "
	MarkEnd   = "end"
)

// PromotedError says that a replica became a primary in the middle of the run.
type PromotedError struct{ Server string }

func (e *PromotedError) Error() string {
	return e.Server + " was promoted while the run went on: it is a primary of its own now, and what it answers is no lag"
}

// driver is one run.
type driver struct {
	*tape
	o        *Options
	watchers []*watcher
	phase    atomic.Value
}

// Drive writes, reads and records, and returns what was counted also when it
// ends early.
func Drive(ctx context.Context, o Options) (counts Counts, err error) {
	d := &driver{o: &o}
	d.phase.Store("connecting")
	w, err := history.Create(o.Path, header(&o), 0)
	if err != nil {
		return counts, err
	}
	d.tape = &tape{Writer: w}
	defer func() {
		counts = d.counts()
		err = errors.Join(err, w.Close())
	}()
	stop := probe.Sample(ctx, o.Progress, d.counts)
	defer stop()
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watching, err := d.watch(running, cancel)
	if err != nil {
		return counts, err
	}
	err = d.phases(running)
	watching()
	if cause := context.Cause(running); cause != nil && ctx.Err() == nil {
		err = cause // why the others were stopped
	}
	if err != nil {
		return counts, err
	}
	return counts, d.mark(MarkEnd)
}

func header(o *Options) history.Header {
	h := o.Header
	h.Probe, h.Start = Probe.Name, time.Now()
	for _, what := range []string{"write", "read", "pay", "deposit"} {
		h.Actors = append(h.Actors, history.Actor{Name: what})
	}
	for _, c := range Claims {
		h.Claims = append(h.Claims, history.Claim{Name: c, Kind: history.Property})
	}
	return h
}

// phases runs the policy that was asked for, then the others, then the
// partition.
func (d *driver) phases(ctx context.Context) error {
	if err := d.setup(ctx); err != nil {
		return err
	}
	if err := d.during(ctx, d.atLeast(d.o.Duration), d.o.Policy); err != nil {
		return err
	}
	for _, p := range Policies {
		if p == d.o.Policy || d.o.Fixes == 0 {
			continue
		}
		if err := d.during(ctx, exactly(d.o.Fixes), p); err != nil {
			return err
		}
	}
	if d.o.Partition != nil {
		if err := d.partition(ctx); err != nil {
			return err
		}
	}
	return d.settle(ctx)
}

// span is how long sessions go on: for a time, and on a slow machine or behind a
// long lag until there were so many rounds, but not beyond the latest.
type span struct {
	until, latest time.Time
	rounds        int
}

// exactly is a span that ends on time.
func exactly(length time.Duration) span {
	end := time.Now().Add(length)
	return span{until: end, latest: end}
}

// roundsEach is how many rounds with each replica allow a judgement; a checker
// asks for three reads that could have gone wrong.
const roundsEach = 5

// atLeast is a span that ends late, at four times the length, when there was too
// little to judge by.
func (d *driver) atLeast(length time.Duration) span {
	s := exactly(length)
	s.latest = s.until.Add(3 * length)
	s.rounds = roundsEach * len(d.o.Replicas)
	return s
}

// open reports whether one more round is due after so many.
func (s span) open(rounds int) bool {
	now := time.Now()
	return now.Before(s.until) || rounds < s.rounds && now.Before(s.latest)
}

// during runs sessions under the policies side by side for a time.
func (d *driver) during(ctx context.Context, s span, policies ...Policy) error {
	d.phase.Store(string(policies[0]))
	if err := d.mark(MarkPhase + string(policies[0])); err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, 2*len(policies))
	for i, p := range policies {
		wg.Go(func() { errs[2*i] = d.talk(ctx, p, s) })
		wg.Go(func() { errs[2*i+1] = d.spend(ctx, p, s) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// partition cuts the replica off while sessions of every policy go on. It ends on
// time, whoever waits for the log.
func (d *driver) partition(ctx context.Context) error {
	p := d.o.Partition
	if err := p.Cut(); err != nil {
		return fmt.Errorf("cutting %s off: %w", p.Replica, err)
	}
	mended := make(chan error, 1)
	err := d.mark(MarkCut + p.Replica)
	go func() {
		_ = sleep(ctx, p.For) // a run that ends early mends as well
		mended <- errors.Join(p.Mend(), d.mark(MarkMend+p.Replica))
	}()
	err = errors.Join(err, d.during(ctx, exactly(p.For), Policies...))
	if mend := <-mended; mend != nil {
		return errors.Join(err, fmt.Errorf("mending the partition of %s: %w", p.Replica, mend))
	}
	return err
}

// settleLimit is how long the end of the run waits for what was written.
const settleLimit = 30 * time.Second

// settle waits until the replicas have what was written.
func (d *driver) settle(ctx context.Context) error {
	d.phase.Store("draining")
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for _, w := range d.watchers {
		for w.waits() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil // the watcher tells what it has not seen
			}
		}
	}
	return nil
}

func (d *driver) counts() Counts {
	c := d.tape.counts()
	c.Phase = d.phase.Load().(string)
	for _, w := range d.watchers {
		c.Replicas = append(c.Replicas, w.series())
	}
	return c
}
