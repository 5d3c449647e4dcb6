package explore

import (
	"context"
	"sync/atomic"

	"github.com/ccheck/ccheck/probes/history"
)

// Lane is one participant of a schedule: a sequence of steps that some actor
// produces. What kind of actor it is, the scheduler does not know.
type Lane struct {
	// Name is unique among the lanes of an exploration; schedules are written
	// in these names. Actor is the actor's own.
	Name, Actor string
	// Open connects the lane, once for all schedules.
	Open func(ctx context.Context, s *Seat) error
	// Call makes the lane's one call from its start to its end. Everything that
	// it sends goes through the sessions of the seat, which hold it at the gate.
	Call func(ctx context.Context, s *Seat) Ending

	web *webLane // of a lane whose statements come through a Wire
}

// Ending is how a lane's call ended, as history.Recorder.EndCall wants it.
type Ending struct {
	Outcome history.Outcome
	Tries   int
	Vars    []history.Var
	Err     error
}

// phase is where a lane is.
type phase uint8

const (
	away    phase = iota // takes no part
	moving               // between two steps, or a step is on its way
	held                 // at the gate with its next step
	waiting              // its step waits for a lock
	parked               // it waits for what no server knows: a connection of its pool, a mutex
	over                 // its call has ended
)

// step is a statement at the gate.
type step struct {
	pid   uint32 // of the backend that will run it
	stmt  *history.Stmt
	args  []history.Value
	snap  bool // first statement of its transaction
	alone bool // and its last
}

// event is what a lane tells the scheduler.
type event struct {
	lane   int
	step   *step // the next one at the gate; nil when the call has ended
	ending Ending
}

// Seat is a lane's place in the exploration: its connections, its record and
// its gate. It is used by the lane's goroutine.
type Seat struct {
	Lane  int // from 0
	lane  *Lane
	rec   *history.Recorder
	waits *history.Recorder // of the scheduler, while the lane's step is on its way
	pids  []uint32

	sessions []*Session
	events   chan<- event
	release  chan struct{}
	onClose  func()
	define   func(...*history.Stmt) error
	peeked   bool // a lane looks at locks without waiting, and so sees a ROLLBACK

	// Of the schedule at hand, for the scheduler.
	phase    phase
	next     step
	blockers []int
	inside   []Access    // steps of the transaction so far
	victim   atomic.Bool // the answer that comes is that of a cancelled deadlock
	killed   atomic.Bool // the server has made the lane the victim of a deadlock

	committed atomic.Bool // a step has ended a transaction on the primary
}

// gate holds the lane until the scheduler lets its step go.
func (s *Seat) gate(ctx context.Context, st step) error {
	select {
	case s.events <- event{lane: s.Lane, step: &st}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-s.release:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run makes the call and tells how it ended.
func (s *Seat) run(ctx context.Context) {
	s.rec.BeginCall(s.lane.Actor)
	e := s.lane.Call(ctx, s)
	s.rec.EndCall(e.Outcome, e.Tries, e.Vars, e.Err)
	select {
	case s.events <- event{lane: s.Lane, ending: e}:
	case <-ctx.Done(): // nobody listens any more
	}
}

func (s *Seat) close() {
	for _, c := range s.sessions {
		c.close()
	}
	if s.onClose != nil {
		s.onClose()
	}
}
