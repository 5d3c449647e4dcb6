package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// The bounds on how long a lane is waited for that thinks in its own code. One
// that is in no pool and behind no mutex is waited for as long as its request
// may take.
const (
	slack = 100 * time.Millisecond // on top of what it was seen to take
	brief = 2 * time.Millisecond   // when all connections of the pool are in use
)

// settleWeb returns when no lane is running: each is at the gate, over, waits
// for a lock, or is parked. The lane that was let run comes first; then those
// whose answers were withheld, one at a time; then those that wait for a
// connection, when one has become free.
func (e *execution) settleWeb(ctx context.Context) error {
	w := e.x.Wire
	for {
		if l := w.runner(); l != nil {
			if err := e.quiet(ctx, l); err != nil {
				return err
			}
			continue
		}
		if err := e.lookWeb(ctx); err != nil {
			return err
		}
		if !w.wake() {
			break
		}
	}
	for _, s := range e.x.seats {
		if s.phase != away {
			e.place(s)
		}
	}
	return nil
}

// runner is the lane that runs.
func (w *Wire) runner() *webLane {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running
}

// wake lets the next lane run that can: one with a withheld answer, or one
// that waits for a connection while there may be one.
func (w *Wire) wake() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lanes {
		if len(l.withheld) > 0 && !w.Split {
			l.hand()
			return true
		}
	}
	for _, l := range w.lanes {
		if l.parked && (w.used() < l.used || w.overs() > l.over) {
			l.unpark()
			w.running = l
			return true
		}
	}
	return false
}

// overs is the number of lanes whose request has been answered.
func (w *Wire) overs() (n int) {
	for _, l := range w.lanes {
		if l.ended {
			n++
		}
	}
	return n
}

// quiet returns when the lane that runs does not run any more.
func (e *execution) quiet(ctx context.Context, l *webLane) error {
	pause := e.patienceWeb(l)
	since := time.Now()
	for {
		state, pid := e.x.Wire.state(l, time.Since(since))
		switch state {
		case thinking:
			if _, err := e.hear(ctx, e.x.Wire.patience(l, time.Since(since))); err != nil {
				return err
			}
			continue
		case running:
			heard, err := e.hear(ctx, pause)
			if err != nil {
				return err
			}
			if heard {
				since = time.Now()
				continue
			}
			blocked, err := e.blocked(l, pid)
			if err != nil || blocked {
				return err
			}
			pause = min(2*pause, lastPause)
			continue
		}
		return nil
	}
}

// patienceWeb is the first pause before the server is asked about a statement.
func (e *execution) patienceWeb(l *webLane) time.Duration {
	if e.x.waited[l.seat.next.stmt] {
		return soonPause
	}
	return firstPause
}

// webState is what a lane is doing.
type webState uint8

const (
	still    webState = iota // over, at the gate, or parked
	running                  // a statement is on its way
	thinking                 // in its own code
)

// state looks at the lane, and stops it from running when it is still.
func (w *Wire) state(l *webLane, waited time.Duration) (webState, uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case l.answered():
	case len(l.flight) > 0:
		return running, l.flight[len(l.flight)-1].step.pid
	case len(l.queue) > 0 && l.beside("") && waited < slack:
		return thinking, 0 // more comes without anybody's doing
	case len(l.queue) > 0, l.ended && !l.busy():
	case waited < w.boundOf(l):
		return thinking, 0
	default:
		l.parked, l.used, l.over = true, w.used(), w.overs()
	}
	w.running = nil
	return still, 0
}

// patience is how much longer a lane that thinks is waited for.
func (w *Wire) patience(l *webLane, waited time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(w.boundOf(l)-waited, time.Microsecond)
}

// boundOf is how long a lane may think. When as many connections as all lanes
// want at most have been in use at one time, no pool can hold it; when it has
// all that it wants itself, only a mutex can.
func (w *Wire) boundOf(l *webLane) time.Duration {
	others, want := 0, 0
	for _, o := range w.lanes {
		if o.ended || o.started.IsZero() {
			continue
		}
		want += o.wants()
		if o != l {
			others++
		}
	}
	switch {
	case l.ended:
		return time.Second // its transaction ends after its answer
	case w.full > 0 && w.used() >= w.full && l.owns() < l.wants():
		return brief
	case w.most >= want, others == 0 && l.wants() == 1:
		return max(8*w.usual(l), time.Second)
	}
	return w.usual(l)
}

// usual is more than a lane was ever seen to think.
func (w *Wire) usual(l *webLane) time.Duration {
	return (4*l.thinks() + slack) << min(w.late, 4)
}

// owns is the number of connections that are the lane's.
func (l *webLane) owns() (n int) {
	for _, link := range l.wire.links {
		if link.lane == l {
			n++
		}
	}
	return n
}

func (l *webLane) wants() int {
	if l.Alone == nil {
		return 1
	}
	return max(l.Alone.Wants, 1)
}

func (l *webLane) thinks() time.Duration {
	if l.Alone == nil {
		return time.Second
	}
	return l.Alone.Think
}

// hear waits until something has happened.
func (e *execution) hear(ctx context.Context, pause time.Duration) (heard bool, err error) {
	e.timer.Reset(pause)
	defer e.timer.Stop()
	select {
	case <-e.x.Wire.changed:
		return true, nil
	case <-e.timer.C:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// blocked asks the server whether the lane's statement waits for a lock that
// will not be given up by itself.
func (e *execution) blocked(l *webLane, pid uint32) (bool, error) {
	s := l.seat
	blockers, err := e.x.detect.blockers(pid)
	if err != nil || len(blockers) == 0 {
		return false, err
	}
	for _, b := range blockers {
		if b == stranger {
			return false, nil
		}
	}
	w := e.x.Wire
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(l.flight) == 0 || len(l.withheld) > 0 {
		return false, nil // it was answered while the server was asked
	}
	if s.phase != waiting {
		s.blockers, s.next = blockers, l.next()
		e.x.waited[s.next.stmt] = true
		s.recordWait()
	}
	s.blockers, s.phase = blockers, waiting
	w.running = nil
	return true, nil
}

// longest is more than a statement of a request, or the end of a deadlock, takes.
const longest = time.Minute

// lookWeb returns when every lane with a statement on its way has been found
// waiting, or has been answered. While a deadlock is being ended one of them
// must be answered.
func (e *execution) lookWeb(ctx context.Context) error {
	begun := time.Now()
	for _, s := range e.x.seats {
		l := s.lane.web
		pause := soonPause
		for s.phase != away {
			if time.Since(begun) > longest {
				return fmt.Errorf("lane %s does not end: %s had no answer within %s", s.lane.Name, s.next.stmt.SQL, longest)
			}
			pid, flying := l.flying()
			if !flying {
				break
			}
			blocked, err := e.blocked(l, pid)
			if err != nil {
				return err
			}
			if blocked && !e.ending {
				break
			}
			if _, err := e.hear(ctx, pause); err != nil {
				return err
			}
			pause = min(2*pause, lastPause)
			if e.ending && e.x.Wire.anyAnswered() {
				e.ending = false
			}
		}
	}
	e.ending = false
	return nil
}

// flying returns the backend of a statement that is on its way and not answered.
func (l *webLane) flying() (pid uint32, ok bool) {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	if len(l.flight) == 0 || len(l.withheld) > 0 {
		return 0, false
	}
	return l.flight[len(l.flight)-1].step.pid, true
}

func (w *Wire) anyAnswered() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lanes {
		if len(l.withheld) > 0 {
			return true
		}
	}
	return false
}

// place tells the scheduler where the lane is.
func (e *execution) place(s *Seat) {
	w, l := e.x.Wire, s.lane.web
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case s.phase == over:
	case l.answered():
		s.phase, s.next = held, l.next()
	case len(l.flight) > 0 && len(l.queue) > 0 && s.byItself():
		// It waits for a lock of its own, and what it has at the gate may give that up.
		s.phase, s.next = held, l.queue[0].step
	case len(l.flight) > 0:
		s.phase, s.next = waiting, l.next()
	case len(l.queue) > 0:
		s.phase, s.next = held, l.next()
	case l.ended:
		s.phase = over
		e.endings[s.Lane] = l.finish()
	default:
		if s.phase != parked {
			s.waits.Record(&history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: ProcessWait})
		}
		s.phase, s.blockers = parked, nil
	}
}

// byItself reports whether the lane waits for nobody else: two of its connections
// want the same row, or one of them is another lane's that was parked for too long.
func (s *Seat) byItself() bool {
	return len(s.blockers) > 0 && !slices.ContainsFunc(s.blockers, func(b int) bool { return b != s.Lane })
}

// starved waits until a lane goes on that no other can help: all that have not
// ended wait for a connection, or for one that does. It may only have been slow;
// when it was not, the requests wait for each other until they give up.
func (e *execution) starved(ctx context.Context) (again bool, err error) {
	var waits []*Seat
	patient := time.Duration(0)
	for _, s := range e.x.seats {
		if s.phase == parked {
			waits = append(waits, s)
			patient = max(patient, e.x.Wire.patient(s.lane.web))
		}
	}
	if len(waits) == 0 {
		return false, nil
	}
	if e.hears(ctx, patient) {
		return true, e.settleWeb(ctx)
	}
	for _, s := range waits {
		s.waits.Record(&history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: PoolWait})
	}
	e.hungry = true
	if e.hears(ctx, time.Minute) {
		return true, e.settleWeb(ctx)
	}
	return false, errors.Join(ctx.Err(), errors.New("a request was not answered within a minute"))
}

func (w *Wire) patient(l *webLane) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.usual(l)
}

// hears waits until a parked lane has gone on, and reports whether one has.
func (e *execution) hears(ctx context.Context, limit time.Duration) bool {
	end := time.Now().Add(limit)
	for !e.x.Wire.moved() {
		if _, err := e.hear(ctx, max(time.Until(end), time.Microsecond)); err != nil || time.Now().After(end) {
			return e.x.Wire.moved()
		}
	}
	return true
}

// The texts of waits that the server does not see.
const (
	// PoolWait is one for a connection of the application's own pool that none
	// of the other lanes can give back.
	PoolWait = "pool"
	// ProcessWait is one for something in the application's process that another
	// lane has: a connection of its pool, a mutex.
	ProcessWait = "process"
)

// moved reports whether a parked lane has gone on by itself, and lets it run.
func (w *Wire) moved() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lanes {
		if l.parked && (l.ended || len(l.queue) > 0 || len(l.withheld) > 0) || len(l.withheld) > 0 {
			l.parked = false
			return true
		}
		// What it had at the gate it may have given up meanwhile, and its request.
		if !l.parked && (l.ended || len(l.queue) > 0) && l.seat.phase == parked {
			return true
		}
	}
	return false
}
