package retry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/fault"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/wire"
)

// Fault is what goes wrong in a round.
type Fault string

// The faults.
const (
	Serialization Fault = "40001"
	AtCommit      Fault = "40001-commit"
	Twice         Fault = "40001-twice"
	Deadlock      Fault = "40P01"
	Answer        Fault = "answer"
)

// Faults are all of them, in the order in which they are tried.
var Faults = []Fault{Serialization, AtCommit, Twice, Deadlock, Answer}

// The phases of the notes that begin a round without a fault. Calm is one call,
// Double two of the same in a row; Again marks the second one of them, and of a
// call that was sent again. Done is the last note.
const (
	Calm   = "calm"
	Double = "double"
	Again  = "again"
	Done   = "done"
)

// How errors are brought about, as the parameter "by" of a history says it.
const (
	ByInjection  = "injection"
	ByContention = "contention"
)

// The claims of a call.
const (
	ClaimOver  = "40001 and 40P01 are started over"
	ClaimReads = "a retry starts from the read"
	ClaimOnce  = "nothing happens twice, and nothing is dropped"
)

// Caller makes one kind of call.
type Caller struct {
	Actor history.Actor
	// Call makes it, the same each time.
	Call func(ctx context.Context) Ending
}

// Ending is how a call ended for who made it.
type Ending struct {
	Outcome history.Outcome
	Tries   int
	Vars    []history.Var
	Err     error
}

// Subject is what makes the calls.
type Subject interface {
	// Prepare makes the tables, before the faults are put in.
	Prepare(ctx context.Context, admin *pg.Conn) error
	// Open begins, with a database that is reached by way of the proxy.
	Open(ctx context.Context, through *pgconn.Config) ([]Caller, error)
	// Effects are what calls did outside of the database since Reset, by name
	// and key.
	Effects() []Effect
	Reset(ctx context.Context) error
	Close()
}

// Effect is how often something outside of the database was called.
type Effect struct {
	Name, Key string
	Calls     int64
}

// Options are what a run needs.
type Options struct {
	Subject Subject
	// Config returns a configuration of a session in the schema of the tables, of
	// a role that may make triggers on them.
	Config func() *pgconn.Config
	Tables func(context.Context) ([]history.Table, error)
	Header history.Header
	Path   string // of the history, which must not exist
	Seed   uint64
	Faults []Fault
	// Contention has a rival transaction bring the errors about, which are then
	// of Contended; else the tables raise them.
	Contention bool
	MaxRows    int // of one table; default 2000
	Stop       <-chan struct{}
	Progress   func(Counts)
}

// Counts is how far a run is.
type Counts struct {
	Rounds   int
	Accepted int64
	Failed   int64
	Elapsed  time.Duration
	Phase    string
}

// driver is one run.
type driver struct {
	Options
	admin  *pg.Conn
	world  *world
	w      *history.Writer
	rec    *history.Recorder // of the checker
	call   *history.Recorder // of the caller
	proxy  *wire.Proxy
	plan   *fault.Plan
	gate   *gate
	rival  *rival // nil without contention
	counts Counts
	begun  time.Time
	cut    bool // not every round was made
}

const defaultMaxRows = 2000

// Drive makes the rounds and records them.
func Drive(ctx context.Context, o Options) (Counts, error) {
	if o.MaxRows == 0 {
		o.MaxRows = defaultMaxRows
	}
	d := &driver{Options: o, gate: &gate{}, begun: time.Now()}
	err := d.drive(ctx)
	if d.proxy != nil {
		err = errors.Join(err, d.proxy.Close())
	}
	d.Subject.Close()
	if d.w != nil {
		if err == nil {
			err = d.end()
		}
		err = errors.Join(err, d.w.Close())
	}
	if d.rival != nil {
		d.rival.close()
	}
	if d.admin != nil {
		d.admin.Close()
	}
	d.counts.Elapsed = time.Since(d.begun)
	return d.counts, err
}

func (d *driver) drive(ctx context.Context) (err error) {
	if d.admin, err = pg.Connect(ctx, d.Config(), nil, pg.Simple); err != nil {
		return err
	}
	if err := d.Subject.Prepare(ctx, d.admin); err != nil {
		return err
	}
	callers, err := d.open(ctx)
	if err != nil {
		return err
	}
	tables, err := d.Tables(ctx)
	if err != nil {
		return err
	}
	if d.world, err = newWorld(d.admin, tables, d.MaxRows); err != nil {
		return err
	}
	if err := d.record(tables, callers); err != nil {
		return err
	}
	if err := d.trouble(ctx, tables); err != nil {
		return err
	}
	for _, c := range callers {
		if err := d.subject(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// trouble gets ready what makes things go wrong.
func (d *driver) trouble(ctx context.Context, tables []history.Table) (err error) {
	if !d.Contention {
		return d.install(tables)
	}
	if d.rival, err = d.newRival(ctx); err != nil {
		return err
	}
	d.gate.before = d.rival.arrive
	return nil
}

// open starts the proxy, and what calls by way of it. What passes before the
// first round is not recorded.
func (d *driver) open(ctx context.Context) ([]Caller, error) {
	var err error
	if d.plan, err = fault.New(d.Seed); err != nil {
		return nil, err
	}
	certificate, _, err := wire.SelfSigned(time.Now()) // for applications that talk TLS alone
	if err != nil {
		return nil, err
	}
	d.proxy, err = wire.Listen(ctx, wire.Config{Upstream: d.Config(), Gate: d.gate, Faults: d.plan, TLS: certificate})
	if err != nil {
		return nil, err
	}
	through := d.Config()
	through.Host, through.Port, through.TLSConfig, through.Fallbacks = "127.0.0.1", uint16(d.proxy.Addr().Port), nil, nil
	return d.Subject.Open(ctx, through)
}

// record makes the history.
func (d *driver) record(tables []history.Table, callers []Caller) error {
	h := d.Header
	h.Probe, h.Seed, h.Start, h.Tables = Probe.Name, d.Seed, time.Now(), tables
	for _, c := range callers {
		h.Actors = append(h.Actors, c.Actor)
	}
	for _, c := range []string{ClaimOver, ClaimReads, ClaimOnce} {
		h.Claims = append(h.Claims, history.Claim{Name: c, Kind: history.Property})
	}
	var names []string
	for _, f := range d.Faults {
		names = append(names, string(f))
	}
	by := ByInjection
	if d.Contention {
		by = ByContention
	}
	h.Params = append(h.Params, history.Parameter{Name: "by", Value: by}, history.Parameter{Name: "faults", Value: strings.Join(names, " ")}, history.Parameter{Name: "clients", Value: "1"})
	var err error
	if d.w, err = history.Create(d.Path, h, 0); err != nil {
		return err
	}
	d.rec, d.call = d.w.Recorder(history.Checker), d.w.Recorder(0)
	d.gate.record(d.w)
	return nil
}

// subject makes the rounds of one caller.
func (d *driver) subject(ctx context.Context, c Caller) error {
	d.gate.begin()
	for n, phase := range []string{Calm, Calm, Double} {
		if err := d.round(ctx, c, phase, func(ctx context.Context) error {
			d.once(ctx, c)
			if phase == Double {
				d.note(Again, c.Actor.Name)
				d.once(ctx, c)
			}
			return nil
		}); err != nil {
			return err
		}
		if n == 0 && d.rival != nil {
			if err := d.rival.learn(d.world); err != nil {
				return err
			}
		}
		if n == 0 {
			if err := d.world.advance(); err != nil { // what is drawn from them is another value next time
				return err
			}
		}
	}
	for _, f := range d.Faults {
		if d.stopped(ctx) {
			d.cut = true
			return nil
		}
		if err := d.faulty(ctx, c, f); err != nil {
			return err
		}
	}
	return nil
}

// faulty makes the round of one fault.
func (d *driver) faulty(ctx context.Context, c Caller, f Fault) error {
	return d.round(ctx, c, string(f), func(ctx context.Context) error {
		if err := d.arm(f); err != nil {
			return err
		}
		end := d.once(ctx, c)
		if err := d.disarm(); err != nil {
			return err
		}
		if f == Answer && end.Outcome != history.Accepted {
			d.note(Again, c.Actor.Name)
			d.once(ctx, c)
		}
		return nil
	})
}

// round makes calls between a note and the state that they leave, and puts the
// tables back.
func (d *driver) round(ctx context.Context, c Caller, phase string, calls func(context.Context) error) error {
	d.note(phase, c.Actor.Name)
	if err := d.rec.Flush(); err != nil {
		return err
	}
	if err := calls(ctx); err != nil {
		return err
	}
	if err := d.gate.rest(ctx); err != nil {
		return err
	}
	if err := d.state(); err != nil {
		return err
	}
	d.counts.Rounds++
	d.counts.Elapsed, d.counts.Phase = time.Since(d.begun), c.Actor.Name+", "+phase
	if d.Progress != nil {
		d.Progress(d.counts)
	}
	if err := d.world.reset(); err != nil {
		return err
	}
	return d.Subject.Reset(ctx)
}

// once makes a call and records it.
func (d *driver) once(ctx context.Context, c Caller) Ending {
	d.call.BeginCall(c.Actor.Name)
	_ = d.call.Flush() // the writer keeps the error and tells it at the end
	end := c.Call(ctx)
	d.call.EndCall(end.Outcome, end.Tries, end.Vars, end.Err)
	_ = d.call.Flush()
	if end.Outcome == history.Accepted {
		d.counts.Accepted++
	} else {
		d.counts.Failed++
	}
	return end
}

// state records how the tables differ from those of before the round, and what
// was called outside.
func (d *driver) state() error {
	if err := d.world.record(d.rec); err != nil {
		return err
	}
	effects := map[string]*history.Op{}
	var names []string
	for _, e := range d.Subject.Effects() {
		o := effects[e.Name]
		if o == nil {
			o = &history.Op{Scope: history.ScopeState, Kind: history.OK, Text: "calls of " + e.Name, Phase: Added, Columns: []string{"key"}}
			effects[e.Name] = o
			names = append(names, e.Name)
		}
		for range e.Calls {
			o.Rows = append(o.Rows, []history.Value{history.Text(e.Key)})
		}
	}
	for _, name := range names {
		d.rec.Record(effects[name])
	}
	return d.rec.Flush()
}

func (d *driver) note(phase, text string) {
	d.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: phase, Text: text})
	_ = d.rec.Flush() // the writer keeps the error and tells it at the end
}

func (d *driver) end() error {
	if d.admin != nil && d.world != nil && d.rival == nil {
		if err := d.uninstall(); err != nil {
			return err
		}
	}
	if !d.cut {
		d.note(Done, fmt.Sprintf("%d rounds", d.counts.Rounds))
	}
	return d.rec.Flush()
}

func (d *driver) stopped(ctx context.Context) bool {
	select {
	case <-d.Stop:
		return true
	default:
		return ctx.Err() != nil
	}
}

// Known reports whether there is such a fault.
func Known(name string) bool { return slices.Contains(Faults, Fault(name)) }
