// Package explore is the driver that runs a few lanes through every
// interleaving of their statements on a real PostgreSQL, one schedule at a
// time, the tables put back in between, every statement recorded.
//
// It observes and does not judge: which outcomes are wrong is for the judges in
// analyzers/history to say, from the history that this package leaves. It
// creates nothing outside the sandbox schema that the caller made.
package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Options is what an exploration needs. Zero values of the lower half take the
// defaults named.
type Options struct {
	// Scenario gives the setup, the invariants and the parameters.
	Scenario *scenario.Scenario
	// Lanes are what takes part; ScriptLanes makes them from a scenario.
	Lanes []Lane
	// Stmts are the statements that lanes may run, as far as they are known.
	Stmts []*history.Stmt
	// Config returns a new configuration of a session: server, sandbox as
	// search_path, time-outs, application_name. It holds the password.
	Config func() *pgconn.Config
	// Replica is Config for the sessions on a standby of the server whose replay
	// ccheck may stop; nil without one.
	Replica func() *pgconn.Config
	// Tables describes the tables of the sandbox after the setup.
	Tables func(context.Context) ([]history.Table, error)
	// Header is the head of the history; Drive completes it. Another probe that
	// uses this driver has its name in it.
	Header history.Header
	// Path is the history file, which must not exist; Limit bounds its bytes.
	Path  string
	Limit int64
	// Stop, when closed, ends the exploration after the schedule at hand.
	Stop <-chan struct{}
	// Progress is called after each schedule.
	Progress func(Counts)

	Isolation scenario.Isolation // default: the scenario's, else read committed
	Seed      uint64
	Max       int // schedules; default 5000
	// Longest is how long schedules are run; 0 is without end.
	Longest time.Duration
	MaxRows int // of one table; default 2000
	// RealDeadlocks leaves it to the server to end a deadlock, which takes its
	// deadlock_timeout; otherwise each lane of the circle is the victim in turn.
	RealDeadlocks bool
	// Commute returns the relation that says which steps of two lanes give the
	// same result in either order; then one order is enough. It is given the
	// complete header. Nil runs all of them.
	Commute func(*history.Header) func(a, b Access) bool
	// Wire is the gate of the application's proxy, for lanes made by Wire.Lane.
	Wire *Wire
	// AsAlone are the actors of such lanes whose rows are those that they had alone:
	// the first of them to be called is answered as it was there.
	AsAlone []string
	// Stage is called with the tables after the setup; what it leaves is the state
	// that all schedules begin with. It returns the number of calls of each actor
	// that were accepted on the way, which the invariants count.
	Stage func(context.Context, []history.Table) (accepted map[string]int64, err error)
	// Between is called after each schedule when the tables are back, to bring
	// back what is outside of the database.
	Between func(context.Context) error
	// Effects tells what calls did outside of the database, in the same order
	// each time; it is compared as the tables are.
	Effects func(context.Context) ([]Effect, error)
	// Replay runs these schedules and no others.
	Replay []Schedule
	// Trace is called with each schedule that was run: its points are valid
	// during the call.
	trace func([]point, bool)
}

// Counts is how far an exploration is.
type Counts struct {
	Schedules int // that were run, without the serial orders
	Serial    int // runs of serial orders
	Broken    int // schedules after which an invariant did not hold
	Dropped   int // schedules in which a call ended with an error
	Deadlocks int // schedules in which lanes waited for each other
	Skipped   int // schedules left out because another one gives the same
	Missed    int // schedules that went another way when they were run again
	Starved   int // schedules in which the application's pool waited for itself
	Disturbed int // schedules and serial orders during which the application wrote by itself
	Open      int // sessions that requests left in a transaction
	Left      int // schedules known and not run
	Whole     bool
	// How calls ended, in all schedules.
	Accepted, Refused, Failed int64
	Steps                     int64
	Polls                     int64 // looks at who waits
	Elapsed                   time.Duration
	First                     Schedule // the first broken one, which has the fewest switches
	Cut                       string   // why not all were run
	Aside                     []string // tables that the application writes by itself: they were not compared
	// FirstSteps are the statements of First, Violations what the invariants
	// returned after it.
	FirstSteps, Violations []string
	// Ends counts the schedules in which a call was refused, or ended with an
	// error: "refused", or the SQLSTATE.
	Ends map[string]int
}

// End is an entry of Counts.Ends.
type End struct {
	Name string
	N    int
}

// EndsInOrder are the Ends, by name.
func (c *Counts) EndsInOrder() []End {
	var list []End
	for _, name := range slices.Sorted(maps.Keys(c.Ends)) {
		list = append(list, End{name, c.Ends[name]})
	}
	return list
}

// SetupError is an error of the scenario's own SQL: the user's to mend.
type SetupError = lab.SetupError

// explorer is one exploration.
type explorer struct {
	Options
	w         *history.Writer
	seats     []*Seat
	running   sync.WaitGroup // calls of lanes that ccheck itself makes
	names     []string
	admin     *pg.Conn
	tables    []history.Table
	rec       *history.Recorder
	detect    *detector
	world     *world
	replica   *replica // nil without one
	claims    *claims
	mixed     []string // tables that requests use and that the application has written by itself
	exec      *execution
	counts    Counts
	firstCost cost // of counts.First
	known     int  // branches so far
	begun     time.Time
	commute   func(a, b Access) bool
	waited    map[*history.Stmt]bool // in some schedule
	firsts    map[int]string         // how a lane was answered that was called first, by lane
	staged    map[string]int64       // accepted calls before the schedules, by actor
	dirty     string                 // SQL that brings the lanes' sessions back, "" when nothing can stick
}

const (
	defaultMax     = 5000
	defaultMaxRows = 2000
)

// Drive explores. An error means that the exploration could not be made or was
// broken off; a history is left all the same when anything was run.
func Drive(ctx context.Context, o Options) (Counts, error) {
	x := &explorer{Options: o, counts: Counts{Ends: map[string]int{}}, waited: map[*history.Stmt]bool{}}
	x.defaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer x.close()
	if err := x.prepare(ctx); err != nil {
		return x.counts, err
	}
	h := x.header()
	if x.Commute != nil {
		x.commute = x.Commute(&h)
	}
	w, err := history.Create(x.Path, h, x.Limit)
	if err != nil {
		return x.counts, err
	}
	x.w = w
	if err = x.record(ctx); err != nil {
		cancel()
		x.leave()
	}
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err != nil && x.counts.Serial == 0 && x.counts.Schedules == 0 {
		return x.counts, errors.Join(err, os.Remove(x.Path)) // nothing ran: there is nothing to read
	}
	return x.counts, err
}

// leave waits for the calls that a broken exploration has left behind: they use
// the connections and the history. What has no ear for the end of its context is
// not waited for for ever.
func (x *explorer) leave() {
	ended := make(chan struct{})
	go func() {
		x.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(leaveLimit):
	}
}

const leaveLimit = 10 * time.Second

func (x *explorer) defaults() {
	if x.Isolation == "" && x.Scenario != nil {
		x.Isolation = x.Scenario.Isolation
	}
	if x.Isolation == "" {
		x.Isolation = scenario.ReadCommitted
	}
	if x.Max == 0 {
		x.Max = defaultMax
	}
	if x.MaxRows == 0 {
		x.MaxRows = defaultMaxRows
	}
	if x.Wire != nil {
		x.RealDeadlocks = true // the application must see the server's own error
	}
	for _, l := range x.Lanes {
		x.names = append(x.names, l.Name)
	}
}

// prepare runs the scenario's setup in the sandbox.
func (x *explorer) prepare(ctx context.Context) (err error) {
	if n := len(x.Lanes); n < 1 || n > 16 {
		return fmt.Errorf("%d lanes: an exploration has 2 to 4 of them", n)
	}
	if x.admin, err = x.connect(ctx, pg.Simple); err != nil {
		return err
	}
	if x.Scenario != nil {
		for _, src := range x.Scenario.Setup {
			if err := lab.RunSource(x.admin, src, x.Scenario.Params, "setup"); err != nil {
				return err
			}
		}
	}
	if x.tables, err = x.Tables(ctx); err == nil && x.Stage != nil {
		x.staged, err = x.Stage(ctx, x.tables)
	}
	return err
}

func (x *explorer) connect(ctx context.Context, p pg.Protocol) (*pg.Conn, error) {
	conn, err := pg.Connect(ctx, hasty(x.Config()), nil, p)
	if err == nil {
		conn.Watch(ctx)
	}
	return conn, err
}

// hasty lets commits return before they are on disk: other sessions see them
// at the same moment either way, and a schedule need not outlive the server.
func hasty(cfg *pgconn.Config) *pgconn.Config {
	cfg.RuntimeParams["synchronous_commit"] = "off"
	return cfg
}

// header completes the head of the history.
func (x *explorer) header() history.Header {
	h := x.Header
	h.Probe, h.Seed, h.Start = cmp.Or(h.Probe, Probe.Name), x.Seed, time.Now()
	h.Target.Isolation, h.Tables = string(x.Isolation), x.tables
	if sc := x.Scenario; sc != nil {
		h.Scenario, h.Title = sc.FullName(), sc.Title
		h.Claims, h.Actors = claimsOf(sc), actorsOf(sc)
	}
	h.Params = append(h.Params,
		history.Parameter{Name: "lanes", Value: strings.Join(x.names, " ")},
		history.Parameter{Name: "clients", Value: fmt.Sprint(len(x.Lanes))},
		history.Parameter{Name: "max", Value: fmt.Sprint(x.Max)},
	)
	return h
}

func claimsOf(sc *scenario.Scenario) []history.Claim {
	var list []history.Claim
	for _, inv := range sc.Invariants {
		list = append(list, history.Claim{
			Name: inv.Name, Kind: history.Invariant, SQL: inv.SQL.Text, When: string(inv.When),
			Where: inv.Where.String(), Fixes: inv.Fixes,
		})
	}
	return list
}

func actorsOf(sc *scenario.Scenario) []history.Actor {
	var list []history.Actor
	for _, a := range sc.Actors {
		list = append(list, history.Actor{Name: a.Name, File: a.Path, Script: a.Text, Retry: a.Script.Retry, Refuse: a.Script.Refuse})
	}
	return list
}

// record does everything between the header of the history and its end.
func (x *explorer) record(ctx context.Context) error {
	if err := x.w.Define(x.Stmts...); err != nil {
		return err
	}
	x.rec = x.w.Recorder(history.Checker)
	if err := x.open(ctx); err != nil {
		return err
	}
	x.begun = time.Now()
	err := x.drive(ctx)
	if err == nil {
		err = x.proven()
	}
	if err == nil {
		err = x.end()
	}
	if flushErr := x.rec.Flush(); err == nil {
		err = flushErr
	}
	return err
}

// open seats the lanes and remembers the world.
func (x *explorer) open(ctx context.Context) error {
	if err := x.follow(ctx); err != nil {
		return err
	}
	events := make(chan event, len(x.Lanes))
	peeked := slices.ContainsFunc(x.Stmts, peeks)
	for i := range x.Lanes {
		s := &Seat{Lane: i, lane: &x.Lanes[i], rec: x.w.Recorder(i), waits: x.w.Recorder(i), events: events, release: make(chan struct{}), define: x.w.Define, peeked: peeked}
		x.seats = append(x.seats, s)
		if err := s.lane.Open(ctx, s); err != nil {
			return err
		}
		if x.replica != nil {
			x.replica.readers[i] = slices.ContainsFunc(s.sessions, func(c *Session) bool { return c.standby })
		}
	}
	side, err := x.connect(ctx, pg.Prepared)
	if err != nil {
		return err
	}
	x.detect = newDetector(side, x.seats)
	x.detect.wire = x.Wire
	if x.Wire != nil {
		x.Wire.Begin()
	}
	if x.world, err = newWorld(x.admin, x.rec, x.tables, x.MaxRows, x.Wire != nil); err != nil {
		return err
	}
	x.world.gate = x.Wire
	if x.world.triggers() {
		x.commute = nil // what a trigger touches is not known
	}
	if err := x.fit(); err != nil {
		return err
	}
	x.claims = &claims{conn: x.admin, rec: x.rec, sc: x.Scenario, staged: x.staged}
	x.exec = &execution{x: x, events: events, timer: time.NewTimer(time.Hour)}
	x.dirty = sticky(x.Stmts)
	return x.claims.first()
}

func (x *explorer) close() {
	for _, s := range x.seats {
		s.close()
	}
	if x.detect != nil {
		x.detect.conn.Close()
	}
	if x.replica != nil {
		x.replica.conn.Close()
	}
	if x.admin != nil {
		x.admin.Close()
	}
}
