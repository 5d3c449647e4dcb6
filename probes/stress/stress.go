// Package stress is the driver that runs a scenario at full speed: many lanes,
// one connection each, opened and warmed before a start gate, every statement
// recorded while it runs.
//
// It observes and does not judge: whether anything is wrong is for the judges
// in analyzers/history to say, from the history that this package leaves. It
// creates nothing outside the sandbox schema that the caller made.
package stress

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options is what a run needs. Zero values of the lower half leave the choice
// to the scenario and then to the defaults named.
type Options struct {
	Scenario *scenario.Scenario
	// Config returns a new configuration of a session: server, sandbox as
	// search_path, time-outs, application_name. It holds the password.
	Config func() *pgconn.Config
	// Replica is the same for a replica of the server, for statements after
	// "-- @on replica"; nil for none.
	Replica func() *pgconn.Config
	// Tables describes the tables of the sandbox after the setup.
	Tables func(context.Context) ([]history.Table, error)
	// Header is the head of the history; Run completes Scenario, Claims, Actors,
	// Tables, Start and the isolation.
	Header history.Header
	// Path is the history file, which must not exist; Limit bounds its bytes.
	Path  string
	Limit int64
	// Shard makes the run a part of one that several processes make; nil for none.
	Shard *Shard
	// Guard ends the run when the server is in trouble: for servers that others use.
	Guard bool
	// Stop, when closed, ends the run in good order: no new calls.
	Stop <-chan struct{}
	// Progress is called about ten times a second, and once at the end.
	Progress func(Snapshot)

	Clients      int           // default: the scenario's, else 8
	Duration     time.Duration // 0: no limit in time
	Transactions int64         // calls per lane; 0: no limit by count
	Rate         float64       // calls per second in all; 0: closed loop
	Think        scenario.Think
	Isolation    scenario.Isolation // default: the scenario's, else read committed
	Protocol     pg.Protocol        // default: prepared
	Scale        int                // pgbench's :scale; default 1
	Seed         uint64
	MaxTries     int           // default: the scenario's, else 10
	CheckEvery   time.Duration // pause between two looks at the invariants; default 500 ms
	Vars         []scenario.Param
}

// Result is what the run counted. What it means is in the history.
type Result struct {
	Path  string
	Final Snapshot
	// Cut tells why the run ended before its time, "" when it did not.
	Cut string
}

// CutOnRequest is Result.Cut of a run that was asked to stop.
const CutOnRequest = "ended on request, before its time"

// MaxClients bounds the lanes of a run. Each is a process of the server.
const MaxClients = 4000

const (
	// drain is how long calls that have begun may go on after the end.
	drain = 2 * time.Second
	// patience is how long the connections beside the lanes may take when calls
	// had to be cut off: a server that is paused, or behind a network that
	// swallows everything, would never answer them.
	patience = 2 * time.Minute
)

// ErrSilent is the end of a run whose server stopped answering.
var ErrSilent = fmt.Errorf("the server did not answer for %v after the end of the run", patience)

// SetupError is an error of the scenario's own SQL: the user's to mend.
type SetupError = lab.SetupError

// run is one run.
type run struct {
	Options
	sc     *scenario.Scenario
	w      *history.Writer
	meter  *meter
	admin  *pg.Conn // set-up, table contents, reset
	tables []history.Table
	check  *checker
	lanes  []*lane

	rec      *history.Recorder // of the admin connection
	begun    time.Time
	begunAt  time.Duration // begun, as the history counts
	arrivals atomic.Int64  // calls that are due, in an open loop
	stopped  atomic.Bool
	killed   atomic.Bool   // what lanes did was cut off
	ready    chan struct{} // closed when the lanes begin
	failing  chan struct{} // closed when the run is to end because of an error
	giveUp   func()        // ends everything that waits for the server
	mu       sync.Mutex
	cut      string
	fatal    error
}

// Run runs the scenario. An error means that the run could not be made or was
// broken off; the Result is not nil when a history was left all the same.
func Run(ctx context.Context, o Options) (*Result, error) {
	r := &run{Options: o, sc: o.Scenario, ready: make(chan struct{}), failing: make(chan struct{})}
	r.defaults()
	if r.Clients > MaxClients {
		return nil, fmt.Errorf("%d clients are more than the %d that a run can have", r.Clients, MaxClients)
	}
	r.part()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.giveUp = func() { cancel(ErrSilent) }
	go r.earlyStop(ctx, cancel)
	if err := r.prepare(ctx); err != nil {
		return nil, early(ctx, err)
	}
	defer r.admin.Close()
	w, err := history.Create(r.Path, r.header(), r.Limit)
	if err != nil {
		return nil, err
	}
	r.w = w
	err = r.record(ctx)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err != nil && r.begun.IsZero() {
		return nil, errors.Join(err, os.Remove(r.Path)) // nothing ran: there is nothing to read
	}
	return &Result{Path: r.Path, Final: r.snapshot("done"), Cut: r.cut}, err
}

func (r *run) defaults() {
	load := r.sc.Load
	if r.Clients == 0 {
		r.Clients = load.Clients
	}
	if n := lanesOf(r.sc); n > 0 {
		r.Clients = n // each lane has its actor
	}
	if r.Clients == 0 {
		r.Clients = 8
	}
	if r.Think == (scenario.Think{}) {
		r.Think = load.Think
	}
	if r.Isolation == "" {
		r.Isolation = r.sc.Isolation
	}
	if r.Isolation == "" {
		r.Isolation = scenario.ReadCommitted
	}
	if r.MaxTries == 0 {
		r.MaxTries = r.sc.MaxTries
	}
	if r.MaxTries == 0 {
		r.MaxTries = 10
	}
	if r.Protocol == "" {
		r.Protocol = pg.Prepared
	}
	if r.CheckEvery == 0 {
		r.CheckEvery = 500 * time.Millisecond
	}
	r.Scale = max(r.Scale, 1)
}

// errEarly is the end of a run that was asked to stop before any lane ran.
var errEarly = fmt.Errorf("stopped before the lanes began: %w", context.Canceled)

// earlyStop ends the set-up when the run is asked to stop during it.
func (r *run) earlyStop(ctx context.Context, cancel context.CancelCauseFunc) {
	select {
	case <-r.Stop:
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.begun.IsZero() {
			cancel(errEarly)
		}
	case <-r.ready:
	case <-ctx.Done():
	}
}

// early names the reason when an error came from stopping early.
func early(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errEarly) {
		return errEarly
	}
	return err
}

// record does everything between the header of the history and its end.
func (r *run) record(ctx context.Context) error {
	if err := r.w.Define(r.stmts()...); err != nil {
		return err
	}
	r.meter = newMeter(r.sc, r.Duration)
	r.rec = r.w.Recorder(history.Checker)
	if err := r.open(ctx); err != nil {
		return early(ctx, err)
	}
	defer r.close()
	if err := r.check.first(); err != nil {
		return early(ctx, err)
	}
	if err := r.recordState("before"); err != nil {
		return early(ctx, err)
	}
	if err := r.meet(ctx); err != nil {
		return early(ctx, err)
	}
	if ctx.Err() != nil {
		return early(ctx, ctx.Err())
	}
	err := r.drive(ctx)
	if endErr := r.end(ctx); err == nil {
		err = endErr
	}
	return err
}

// stmts are all statements that lanes may run.
func (r *run) stmts() []*history.Stmt {
	var all []*history.Stmt
	for _, a := range r.sc.Actors {
		for _, st := range a.Script.Stmts {
			st.Actor, st.File = a.Name, a.Path
			all = append(all, &st.Stmt)
		}
	}
	return all
}

// drive opens the gate, watches the run, and returns when all lanes have ended.
func (r *run) drive(ctx context.Context) error {
	hard, kill := context.WithCancel(ctx)
	defer kill()
	for _, l := range r.lanes {
		l.watch(hard)
	}
	r.mu.Lock()
	mark := history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: gateMark}
	r.rec.Record(&mark)
	r.begun, r.begunAt = time.Now(), mark.Time
	r.mu.Unlock()
	if err := r.rec.Flush(); err != nil {
		r.fail(err)
	}
	close(r.ready)
	r.meter.begin(r.begun)

	lanesDone := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { r.tick(lanesDone) })
	if r.sc.Load.Mode != scenario.Rounds {
		beside.Go(func() { r.check.loop(lanesDone) })
	}
	beside.Go(func() { r.sampleWaits(hard, lanesDone) })
	if r.Guard {
		beside.Go(func() { r.guard(hard, lanesDone) })
	}
	go r.timekeeper(ctx, kill, lanesDone)

	if r.sc.Load.Mode == scenario.Rounds {
		r.rounds(hard)
	} else {
		r.loop(hard)
	}
	r.stopped.Store(true)
	close(lanesDone)
	beside.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fatal == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.fatal
}

// timekeeper ends the run: at its time, when asked to, or at once.
func (r *run) timekeeper(ctx context.Context, kill func(), lanesDone <-chan struct{}) {
	var end <-chan time.Time
	if r.Duration > 0 {
		t := time.NewTimer(r.Duration)
		defer t.Stop()
		end = t.C
	}
	select {
	case <-lanesDone:
		return
	case <-end:
	case <-r.Stop:
		r.cutShort(CutOnRequest)
	case <-r.failing:
	case <-ctx.Done():
	}
	r.stopped.Store(true)
	t := time.NewTimer(drain)
	defer t.Stop()
	select {
	case <-lanesDone:
	case <-ctx.Done():
	case <-t.C:
		r.cutShort("calls that did not end within 2 s of the end were cut off; their outcome is unknown")
		r.killed.Store(true)
		kill()
		time.AfterFunc(patience, r.giveUp)
	}
}

func (r *run) cutShort(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut == "" {
		r.cut = why
	}
}

// fail ends the run with an error; the first one counts.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fatal == nil {
		r.fatal = err
		close(r.failing)
	}
	r.stopped.Store(true)
}

// loop is the mode in which every lane makes one call after the other.
func (r *run) loop(ctx context.Context) {
	gate := make(chan struct{})
	var wg sync.WaitGroup
	for _, l := range r.lanes {
		wg.Go(func() {
			<-gate
			l.loop(ctx)
		})
	}
	close(gate)
	wg.Wait()
	if r.killed.Load() {
		return // by us: the calls did not end in time
	}
	if lost := r.lostLanes(); lost == len(r.lanes) {
		r.fail(fmt.Errorf("all %d connections were lost after %v: %w", lost, time.Since(r.begun).Round(time.Millisecond), r.lanes[0].lost))
	} else if lost > 0 {
		r.cutShort(fmt.Sprintf("%d of %d connections were lost", lost, len(r.lanes)))
	}
}

func (r *run) lostLanes() int {
	n := 0
	for _, l := range r.lanes {
		if l.lost != nil {
			n++
		}
	}
	return n
}

// tick reports progress ten times a second.
func (r *run) tick(done <-chan struct{}) {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-t.C:
			r.meter.tick(now)
			if r.Progress != nil {
				phase := "running"
				if r.stopped.Load() {
					phase = "draining"
				}
				r.Progress(r.snapshot(phase))
			}
		}
	}
}

func (r *run) snapshot(phase string) Snapshot {
	s := r.meter.snapshot(phase)
	s.Recorded = r.w.Size()
	if r.check != nil {
		s.Claims, s.Violations, s.Checks = r.check.state()
	}
	return s
}

// end looks at the invariants for the last time and writes what the tables hold.
func (r *run) end(ctx context.Context) error {
	if ctx.Err() != nil || (r.lostLanes() == len(r.lanes) && len(r.lanes) > 0) {
		return nil
	}
	if r.Progress != nil {
		r.Progress(r.snapshot("checking"))
	}
	if r.sc.Load.Mode == scenario.Rounds {
		return nil // each round had its own end
	}
	if err := r.leave(ctx); err != nil || r.Shard != nil && !r.Shard.First() {
		return err
	}
	if err := r.check.last(); err != nil {
		return err
	}
	return r.recordState("after")
}

func (r *run) close() {
	for _, l := range r.lanes {
		l.close()
	}
	if r.check != nil {
		r.check.conn.Close()
	}
}

// isMistake reports whether every call would meet the error again: it breaks
// the script's own rules, or is of SQLSTATE class 42, syntax error or access
// rule violation.
func isMistake(err error) bool {
	var server *pg.Error
	return !errors.As(err, &server) || strings.HasPrefix(server.Code, "42")
}

var _ script.DB = (*pg.Conn)(nil)
