package explore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/wire"
)

// Request is a call of an application from outside: what it is called, how it
// is made in a lane, and what it was seen to do alone.
type Request struct {
	Name string
	Call func(ctx context.Context, lane int) Ending
	// Alone is what it did alone; nil when that is not known.
	Alone *Trace
}

// webLane is a lane whose statements come through a Wire. All of it is guarded
// by the Wire's mutex.
type webLane struct {
	Request
	wire *Wire
	seat *Seat

	queue    []*arrival  // at the gate
	flight   []*arrival  // let go, and not answered yet
	withheld []*withheld // answered while another lane ran
	parked   bool        // it was waited for in vain: a pool or a mutex holds it
	ended    bool        // its request is answered
	ending   Ending
	at       int       // steps that were let go
	script   []*Traced // the steps that it makes alone
	refused  error     // the server's, to the last statement; nil when one has gone through since
	started  time.Time
	known    map[string]bool // fingerprints of what it does alone
	used     int             // of the wire, when it was parked
	over     int             // lanes that had ended, when it was parked
}

// withheld is an answer that the application does not have yet.
type withheld struct {
	link    *link
	sent    *sent
	deliver chan struct{}
}

// Lane makes a lane of a request to the application behind the gate.
func (w *Wire) Lane(name string, r Request) Lane {
	l := &webLane{Request: r, wire: w, known: map[string]bool{}}
	if r.Alone != nil {
		for _, t := range r.Alone.Sent {
			l.known[t.print] = true
		}
		l.script = r.Alone.steps()
	}
	return Lane{Name: name, Actor: r.Name, web: l, Open: l.open}
}

func (l *webLane) open(_ context.Context, s *Seat) error {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	l.seat = s
	if l.wire.stmts == nil || len(l.wire.lanes) == 0 {
		l.wire.stmts = &definitions{known: map[string]*history.Stmt{}}
	}
	l.wire.lanes = append(l.wire.lanes, l)
	s.onClose = l.close
	return nil
}

// close lets go what the lane still holds.
func (l *webLane) close() {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	for len(l.queue) > 0 {
		l.letLocked()
	}
	for _, h := range l.withheld {
		l.wire.deliver(h.link, h.sent)
		close(h.deliver)
	}
	l.withheld = nil
	l.wire.lanes = slices.DeleteFunc(l.wire.lanes, func(o *webLane) bool { return o == l })
	for _, link := range l.wire.links {
		if link.lane == l {
			link.lane = nil
		}
	}
}

// start sends the lane's request.
func (l *webLane) start(ctx context.Context) {
	l.wire.mu.Lock()
	l.wire.running = l
	l.queue, l.flight, l.withheld = nil, nil, nil
	l.parked, l.ended, l.ending, l.at, l.started = false, false, Ending{}, 0, time.Now()
	l.refused = nil
	l.seat.rec.BeginCall(l.Name)
	l.wire.mu.Unlock()
	go func() {
		e := l.Call(ctx, l.seat.Lane)
		l.wire.mu.Lock()
		defer l.wire.mu.Unlock()
		l.ended, l.ending = true, e
		l.wire.signal()
	}()
}

// let lets the lane's next step go.
func (l *webLane) let() {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	l.wire.running = l
	if l.answered() {
		l.hand()
		return
	}
	l.letLocked()
}

// answered reports whether the next step of the lane is to get an answer.
func (l *webLane) answered() bool { return l.wire.Split && len(l.withheld) > 0 }

func (l *webLane) letLocked() {
	a := l.queue[0]
	l.queue = l.queue[1:]
	l.flight = append(l.flight, a)
	l.at++
	l.wire.pass(a.link, a.batch, l).held = a
	close(a.let)
}

// hand gives the application an answer that was withheld.
func (l *webLane) hand() {
	l.wire.running = l
	h := l.withheld[0]
	l.withheld = l.withheld[1:]
	l.wire.deliver(h.link, h.sent)
	close(h.deliver)
}

// landed notes that a batch has been answered.
func (l *webLane) landed(s *sent) {
	l.flight = slices.DeleteFunc(l.flight, func(a *arrival) bool { return a == s.held })
}

func (l *webLane) forget(a *arrival) {
	l.queue = slices.DeleteFunc(l.queue, func(o *arrival) bool { return o == a })
}

// expects reports whether the statement is the one that the lane would send
// next if it did what it does alone.
func (l *webLane) expects(print string) bool {
	t := l.coming()
	return t != nil && t.print == print
}

// beside reports whether the statement is the one that the lane sends alone
// without waiting for the answers to those that it has at the gate.
func (l *webLane) beside(print string) bool {
	t := l.coming()
	return t != nil && t.Beside && (print == "" || t.print == print)
}

// coming is the statement that comes after those at the gate, in what the lane
// does alone; nil when that is not known.
func (l *webLane) coming() *Traced {
	n := l.at + len(l.queue)
	if n >= len(l.script) {
		return nil
	}
	return l.script[n]
}

// busy reports whether a connection is the lane's.
func (l *webLane) busy() bool { return l.owns() > 0 }

// unpark notes that a parked lane has gone on. When nothing had changed for it,
// it was not waited for long enough; when a connection was free again, all of
// the pool had been in use.
func (l *webLane) unpark() {
	l.parked = false
	switch {
	case l.wire.used() >= l.used && l.wire.overs() == l.over:
		l.wire.late++
	default:
		l.wire.full = l.used
	}
}

// next is the step that the lane is at: at the gate, or on its way.
func (l *webLane) next() step {
	switch {
	case len(l.flight) > 0:
		return l.flight[len(l.flight)-1].step
	case len(l.queue) > 0:
		return l.queue[0].step
	}
	return l.seat.next
}

// finish records the end of the call.
func (l *webLane) finish() Ending {
	e := l.ending
	if e.Outcome == history.Failed && e.Err == nil && l.refused != nil {
		e.Err = l.refused // nobody started it over, and the caller was told of a failure
	}
	l.seat.rec.EndCall(e.Outcome, e.Tries, e.Vars, e.Err)
	return e
}

// ErrLeft means that a request was answered and its transaction is still open.
var ErrLeft = errors.New("the request was answered, and its transaction is still open")

// Trace is what a request did when nothing else ran.
type Trace struct {
	Sent   []*Traced
	Ending Ending
	Took   time.Duration
	Think  time.Duration // longest time between an answer and what came next
	Wants  int           // connections in use at one time, at most
	Nested bool          // it used a second one while a transaction was open
	// Stretch is how long each step was held back, so that what is sent at the
	// same time is seen to be.
	Stretch time.Duration

	begun time.Time
	quiet time.Time // since when the application had its answer
}

// Traced is a statement of a Trace.
type Traced struct {
	SQL   string
	Step  bool
	Tx    byte // status before it
	Other bool // it came on another connection than one with an open transaction
	// Beside says that it came before the statement before it was answered.
	Beside bool
	Rows   []string

	print string
	link  *link
	alive bool
}

// on is the last statement on a connection, nil when it is none of the request's.
func (t *Trace) on(l *link) *Traced {
	for _, s := range slices.Backward(t.Sent) {
		if s.link == l && s.alive {
			return s
		}
	}
	return nil
}

// Steps are the statements that make a step.
func (t *Trace) Steps() []string {
	var list []string
	for _, s := range t.steps() {
		list = append(list, s.SQL)
	}
	return list
}

// Merge adds what another trace of the same request has shown to be sent
// without waiting: a connection that had to be opened hides it.
func (t *Trace) Merge(o *Trace) {
	mine, theirs := t.steps(), o.steps()
	if len(mine) != len(theirs) {
		return
	}
	for i, s := range mine {
		s.Beside = s.Beside || theirs[i].Beside
	}
	t.Wants, t.Think = max(t.Wants, o.Wants), max(t.Think, o.Think)
}

func (t *Trace) steps() []*Traced {
	var list []*Traced
	for _, s := range t.Sent {
		if s.Step {
			list = append(list, s)
		}
	}
	return list
}

// Prints are the steps without their values.
func (t *Trace) Prints() []string {
	var list []string
	for _, s := range t.steps() {
		list = append(list, s.print)
	}
	return list
}

// Rest waits until no statement is on its way and no transaction is open, at
// most as long as limit: an application may commit after it has answered.
func (w *Wire) Rest(ctx context.Context, limit time.Duration) error {
	end := time.Now().Add(limit)
	for w.active() && time.Now().Before(end) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.changed:
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

func (w *Wire) active() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.links {
		if len(l.sent) > 0 || l.tx != 'I' {
			return true
		}
	}
	return false
}

// Observe makes a call with nothing held back, and returns what it sent.
func (w *Wire) Observe(ctx context.Context, lane int, call func(context.Context, int) Ending) *Trace {
	t := &Trace{begun: time.Now(), quiet: time.Now(), Stretch: stretch}
	w.mu.Lock()
	w.watched = t
	w.mu.Unlock()
	e := call(ctx, lane)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watched = nil
	t.Ending, t.Took = e, time.Since(t.begun)-time.Duration(len(t.steps()))*t.Stretch
	t.Think = max(t.Think, time.Since(t.quiet))
	return t
}

// stretch is longer than an application takes to send what it sends at once.
const stretch = 10 * time.Millisecond

// watch adds a batch to what is observed.
func (w *Wire) watch(l *link, b wire.Batch, st *wire.Statement) {
	t := w.watched
	t.Think = max(t.Think, time.Since(t.quiet))
	s := &Traced{Tx: b.Tx, Step: st != nil, link: l, alive: true}
	if len(b.Statements) > 0 {
		s.SQL = b.Statements[0].SQL
		s.print = sqltext.Fingerprint(s.SQL)
	}
	if st != nil {
		s.SQL = st.SQL
		s.print = sqltext.Fingerprint(st.SQL)
	}
	wants := map[*link]bool{l: true}
	for _, o := range t.Sent {
		if o.link == l {
			continue
		}
		if o.alive || o.link.tx != 'I' {
			wants[o.link] = true
		}
		s.Other = s.Other || o.link.tx != 'I'
		s.Beside = s.Beside || o.alive && o.Step
	}
	t.Wants = max(t.Wants, len(wants))
	t.Nested = t.Nested || s.Other && st != nil
	t.Sent = append(t.Sent, s)
}
