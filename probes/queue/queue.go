package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stub"
)

// Scenario is the built-in scenario that holds the kinds.
const Scenario = "queue"

// Kind is a queue that comes with ccheck.
type Kind struct {
	Name    string
	Variant string // of the scenario
	Holds   bool
}

// Kinds are all of them.
var Kinds = []Kind{
	{"select-then-mark", "", false}, {"one-statement", "one-statement", false}, {"no-recovery", "no-recovery", false},
	{"short-visibility", "short-visibility", false}, {"outbox-cursor", "outbox-cursor", false}, {"two-relays", "two-relays", false},
	{"skip-locked", "skip-locked", true}, {"visibility", "visibility", true}, {"outbox-marked", "outbox-marked", true},
}

// SetupError is an error of the scenario's own SQL: the user's to mend.
type SetupError = lab.SetupError

// Options say how a queue is driven.
type Options struct {
	// Scenario has the scripts; nil where URL names an application.
	Scenario *scenario.Scenario
	URL      string
	Config   func() *pgconn.Config
	Tables   func(context.Context) ([]history.Table, error)
	Header   history.Header
	Path     string // of the history, which must not exist
	Seed     uint64

	Producers, Workers int
	Jobs               int // in all
	Kills              int // of workers, half of them before the effect
	// Patience is how long nothing may have been done before the rest is given
	// up: longer than any visibility time-out of the queue.
	Patience time.Duration
	Stop     <-chan struct{}
	Progress func(Counts)
}

// Counts is how far a run is.
type Counts struct {
	Enqueued, Done, Killed int64 // Done counts effects
	Elapsed                time.Duration
	Recorded               int64
}

// The claims of a queue.
const (
	ClaimDone = "every job is done"
	ClaimOnce = "no job is done twice"
)

// The phases of the notes of workers that were killed; the text is the key.
const (
	KilledBefore = "killed before"
	KilledAfter  = "killed after"
)

// Drained is the phase of the last note of a run that was not broken off.
const Drained = "drained"

// Job is the variable that holds the key of a job.
const Job = "job"

// driver is one run.
type driver struct {
	Options
	w      *history.Writer
	stub   *stub.Server
	actors []history.Actor
	tables []history.Table

	enqueued, done, killed atomic.Int64
	last                   atomic.Int64 // when something was done, as the history counts
	produced               atomic.Bool  // all producers have ended
	stopped                atomic.Bool
	drained                bool // the run came to its end by itself

	mu             sync.Mutex
	seen           map[string]bool // keys that were done
	begun, planned int             // effects and kills so far
	err            error
}

// Drive runs the queue until it is drained, and records it.
func Drive(ctx context.Context, o Options) (Counts, error) {
	d := &driver{Options: o, seen: map[string]bool{}}
	if err := d.prepare(ctx); err != nil {
		return Counts{}, err
	}
	var err error
	if d.stub, err = stub.Start(stub.Options{Name: "effects", Key: "json:job", Delay: 2 * time.Millisecond}); err != nil {
		return Counts{}, err
	}
	defer d.stub.Close()
	if d.w, err = history.Create(o.Path, d.header(), 0); err != nil {
		return Counts{}, err
	}
	err = d.record(ctx)
	counts := d.counts()
	return counts, errors.Join(err, d.w.Close())
}

// prepare runs the setup and describes the tables.
func (d *driver) prepare(ctx context.Context) (err error) {
	if d.Scenario == nil {
		d.actors = []history.Actor{{Name: "enqueue", HTTP: "POST /enqueue"}, {Name: "work", HTTP: "POST /claim"}}
		return nil
	}
	conn, err := pg.Connect(ctx, d.Config(), nil, pg.Simple)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, src := range d.Scenario.Setup {
		if err := lab.RunSource(conn, src, d.Scenario.Params, "setup"); err != nil {
			return err
		}
	}
	for _, a := range d.Scenario.Actors {
		d.actors = append(d.actors, history.Actor{Name: a.Name, File: a.Path, Script: a.Text, Retry: a.Script.Retry, Refuse: a.Script.Refuse})
	}
	d.tables, err = d.Tables(ctx)
	return err
}

func (d *driver) header() history.Header {
	h := d.Header
	h.Probe, h.Seed, h.Start, h.Actors, h.Tables = Probe.Name, d.Seed, time.Now(), d.actors, d.tables
	if h.Target.Isolation == "" && d.Scenario != nil {
		h.Target.Isolation = string(scenario.ReadCommitted)
		if d.Scenario.Isolation != "" {
			h.Target.Isolation = string(d.Scenario.Isolation)
		}
	}
	for _, c := range []string{ClaimDone, ClaimOnce} {
		h.Claims = append(h.Claims, history.Claim{Name: c, Kind: history.Property})
	}
	for _, p := range []struct {
		name string
		n    int
	}{{"producers", d.Producers}, {"clients", d.Workers}, {"jobs", d.Jobs}, {"kills", d.Kills}} {
		h.Params = append(h.Params, history.Parameter{Name: p.name, Value: strconv.Itoa(p.n)})
	}
	h.Params = append(h.Params, history.Parameter{Name: "patience", Value: d.Patience.String()})
	return h
}

// record does everything between the header and the end.
func (d *driver) record(ctx context.Context) error {
	if err := d.w.Define(d.stmts()...); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lanes, err := d.open(ctx)
	if err != nil {
		return err
	}
	var producers, workers sync.WaitGroup
	for _, l := range lanes {
		if l.produces {
			producers.Go(func() { l.produce(ctx) })
		} else {
			workers.Go(func() { l.work(ctx) })
		}
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		d.watch(ctx)
	}()
	producers.Wait()
	d.last.Store(int64(d.w.Elapsed()))
	d.produced.Store(true)
	<-watched
	workers.Wait()
	return errors.Join(d.err, d.end())
}

// watch ends the run: when everything was done and nothing came for a moment,
// when nothing was done for long, or when it is asked to.
func (d *driver) watch(ctx context.Context) {
	const after = 300 * time.Millisecond
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !d.stopped.Load() {
		select {
		case <-tick.C:
		case <-d.Stop:
			d.stopped.Store(true)
		case <-ctx.Done():
			d.stopped.Store(true)
		}
		if d.Progress != nil {
			d.Progress(d.counts())
		}
		quiet := d.w.Elapsed() - time.Duration(d.last.Load())
		if d.produced.Load() && (d.everything() && quiet > after || quiet > d.Patience) {
			d.drained = true
			d.stopped.Store(true)
		}
	}
}

func (d *driver) everything() bool { return d.backlog() <= 0 }

// backlog is the number of jobs that were added and have no effect yet.
func (d *driver) backlog() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return int(d.enqueued.Load()) - len(d.seen)
}

// end writes what the service has counted.
func (d *driver) end() error {
	rec := d.w.Recorder(history.Checker)
	o := history.Op{Scope: history.ScopeState, Kind: history.OK, Text: "calls of effects", Phase: "after", Columns: []string{"job", "calls"}}
	for _, c := range d.stub.Counts() {
		o.Rows = append(o.Rows, []history.Value{history.Text(c.Key), history.Int(c.Calls)})
	}
	rec.Record(&o)
	if d.drained {
		rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: Drained, Text: "all was done, or nothing for long"})
	}
	return rec.Flush()
}

func (d *driver) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
	d.stopped.Store(true)
}

func (d *driver) counts() Counts {
	return Counts{
		Enqueued: d.enqueued.Load(), Done: d.done.Load(), Killed: d.killed.Load(),
		Elapsed: d.w.Elapsed(), Recorded: d.w.Size(),
	}
}

// Check finds out that a scenario is no queue, in one sentence.
func Check(sc *scenario.Scenario) error {
	producer, worker := roles(sc)
	switch {
	case worker == nil:
		return fmt.Errorf("scenario %s has no actor that does something outside of the database", sc.FullName())
	case producer == nil:
		return fmt.Errorf("scenario %s has no actor that adds a job", sc.FullName())
	}
	return nil
}

// roles are the actor that adds jobs and the one that does them: that with a
// statement outside of its transaction.
func roles(sc *scenario.Scenario) (producer, worker *scenario.Actor) {
	for i := range sc.Actors {
		outside := false
		for _, st := range sc.Actors[i].Script.Stmts {
			outside = outside || st.Outside
		}
		switch {
		case outside && worker == nil:
			worker = &sc.Actors[i]
		case !outside && producer == nil:
			producer = &sc.Actors[i]
		}
	}
	return producer, worker
}
