package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// maxSteps bounds one schedule: a lane that goes on for longer does not end.
const maxSteps = 2000

// point is a moment of a schedule at which the scheduler chose: no lane was
// running, and each of options could go on.
type point struct {
	options []Choice
	chosen  Choice
	sql     string   // the step that was chosen
	waiting uint16   // lanes that waited, one bit each
	steps   []Access // of the options, when they are to be compared
}

// Access is a step as the conflict relation sees it.
type Access struct {
	Lane int
	Stmt *history.Stmt
	Args []history.Value
	// First says that the step takes the snapshot of its transaction, Alone that
	// it is a transaction of its own.
	First, Alone bool
	// Inside are the steps that its transaction has made before.
	Inside []Access
}

// execution is one schedule being run.
type execution struct {
	x       *explorer
	events  chan event
	timer   *time.Timer
	last    int // lane of the last choice
	trace   []point
	endings []Ending
	asleep  []Access // steps that need not come next: another branch has them
	idle    bool     // every option was asleep: the schedule is one that is run elsewhere
	missed  bool     // the prefix asked for a step that could not be made
	ending  bool     // a deadlock is being ended, and nothing was heard of it yet
	inTurn  bool     // a lane is started when the one before it has ended
	first   int      // lane that makes the first step
	later   []int    // lanes that have not been started
	hungry  bool     // lanes waited for a connection that none could give up

	committed bool // the step that was made last has ended a transaction on the primary
}

// run starts the lanes that take part and lets one step go after the other:
// those of the prefix, then what the policy picks, until all have ended.
func (e *execution) run(ctx context.Context, lanes []int, prefix []Choice, policy func(*execution, []Choice) Choice) error {
	e.last, e.trace, e.missed, e.ending, e.hungry, e.committed = -1, e.trace[:0], false, false, false, false
	e.endings = make([]Ending, len(e.x.seats))
	e.first = -1
	if len(lanes) > 0 {
		e.first = lanes[0]
	}
	for _, s := range e.x.seats {
		s.phase = away
	}
	if err := e.start(ctx, lanes); err != nil {
		return err
	}
	for len(e.trace) < maxSteps {
		options := e.options()
		if len(options) == 0 && len(e.later) > 0 && e.count(parked)+e.count(waiting) == 0 {
			if err := e.startNext(ctx); err != nil {
				return err
			}
			continue
		}
		if len(options) == 0 {
			again, err := e.starved(ctx)
			if again && err == nil {
				continue
			}
			return errors.Join(err, e.stuck(ctx))
		}
		c := e.choose(options, prefix, policy)
		if err := e.apply(ctx, c); err != nil {
			return err
		}
		if err := e.settle(ctx); err != nil {
			return err
		}
		e.nameVictim()
	}
	return fmt.Errorf("lane %s does not end: %d steps were run, and it goes on; lower --max-tries or give its loop an end", e.x.seats[max(e.last, 0)].lane.Name, maxSteps)
}

// start starts the lanes that take part. Requests to an application are started
// one after the other, since what arrives is that of the one that was started;
// and in a serial order only when the one before has ended, so that it is
// serial whatever the application does.
func (e *execution) start(ctx context.Context, lanes []int) error {
	if e.x.Wire != nil {
		e.later = lanes
		for len(e.later) > 0 {
			if err := e.startNext(ctx); err != nil || e.inTurn {
				return err
			}
		}
		return nil
	}
	for _, n := range lanes {
		s := e.x.seats[n]
		s.phase = moving
		e.x.running.Go(func() { s.run(ctx) })
	}
	return e.settle(ctx)
}

func (e *execution) startNext(ctx context.Context) error {
	s := e.x.seats[e.later[0]]
	e.later = e.later[1:]
	s.phase = moving
	s.lane.web.start(ctx)
	return e.settle(ctx)
}

// choose takes the next choice and remembers what else could have been.
func (e *execution) choose(options, prefix []Choice, policy func(*execution, []Choice) Choice) Choice {
	var c Choice
	n := len(e.trace)
	switch {
	case !e.missed && n < len(prefix) && slices.Contains(options, prefix[n]):
		c = prefix[n]
	case n < len(prefix):
		e.missed = true
		c = policy(e, options)
	default:
		c = policy(e, e.awake(options))
	}
	if n >= len(prefix) {
		e.doze(options, c)
	}
	p := point{options: options, chosen: c}
	if !c.Replay {
		p.sql = e.x.seats[c.Lane].next.stmt.SQL
	}
	for i, s := range e.x.seats {
		if s.phase == waiting {
			p.waiting |= 1 << i
		}
	}
	if e.x.commute != nil && !options[0].Victim {
		p.steps = e.steps(options)
	}
	e.trace = append(e.trace, p)
	return c
}

// steps are the statements of the options; a lane's arguments live in its
// machine and have to be copied.
func (e *execution) steps(options []Choice) []Access {
	var list []Access
	for _, c := range options {
		s := e.x.seats[c.Lane]
		list = append(list, s.access())
	}
	return list
}

// access is the lane's step at the gate. A step that begins a transaction has
// none before it.
func (s *Seat) access() Access {
	a := Access{Lane: s.Lane, Stmt: s.next.stmt, Args: slices.Clone(s.next.args), First: s.next.snap, Alone: s.next.alone}
	if !a.First {
		a.Inside = s.inside
	}
	return a
}

// options are the lanes that can go on. When none can and some wait, they wait
// for each other: then it is each lane of the circle that may be the victim.
func (e *execution) options() []Choice {
	var list []Choice
	for i, s := range e.x.seats {
		if s.phase == held {
			list = append(list, Choice{Lane: i})
		}
	}
	if len(list) > 0 {
		if e.behind() {
			list = append(list, Choice{Replay: true})
		}
		return list
	}
	for i := range e.x.seats {
		if e.circle(i) {
			list = append(list, Choice{Lane: i, Victim: true})
		}
	}
	return list
}

// circle reports whether the lane waits, over others, for itself.
func (e *execution) circle(lane int) bool {
	seen := map[int]bool{}
	var reach func(i int) bool
	reach = func(i int) bool {
		if i == stranger || seen[i] || e.x.seats[i].phase != waiting {
			return false
		}
		seen[i] = true
		return slices.ContainsFunc(e.x.seats[i].blockers, func(b int) bool { return b == lane || reach(b) })
	}
	return reach(lane)
}

// stuck is the end of a schedule: nil when every lane has ended.
func (e *execution) stuck(ctx context.Context) error {
	for _, s := range e.x.seats {
		if s.phase != waiting {
			continue
		}
		for _, b := range s.blockers {
			if b >= 0 && e.x.seats[b].phase == over {
				return &StuckError{s.lane.Name, e.x.seats[b].lane.Name, s.next.stmt.SQL}
			}
		}
		return fmt.Errorf("lane %s waits for a lock that no lane of the schedule holds: another session works in the sandbox", s.lane.Name)
	}
	return ctx.Err()
}

// StuckError says that a lane waits for ever for one whose call has ended.
type StuckError struct{ Waits, Holds, Statement string }

func (e *StuckError) Error() string {
	return fmt.Sprintf("lane %s waits for ever: %s needs a lock that lane %s has kept beyond the end of its call", e.Waits, e.Statement, e.Holds)
}

// apply lets a step go, ends a deadlock, or has the standby catch up.
func (e *execution) apply(ctx context.Context, c Choice) error {
	e.committed = false
	if c.Replay {
		return e.x.replica.replay(ctx)
	}
	s := e.x.seats[c.Lane]
	if !c.Victim {
		e.last = c.Lane
		s.phase = moving
		if e.x.commute != nil {
			a := s.access()
			s.inside = append(slices.Clone(a.Inside), a)
		}
		if s.lane.web != nil {
			s.lane.web.let()
			return nil
		}
		s.release <- struct{}{}
		return nil
	}
	s.phase, e.ending = moving, true
	if e.x.RealDeadlocks {
		return nil // the server will end one, whichever it likes
	}
	s.victim.Store(true)
	return e.x.detect.cancel(s.next.pid)
}

// nameVictim corrects the last choice where the server has picked the victim.
func (e *execution) nameVictim() {
	p := &e.trace[len(e.trace)-1]
	if !e.x.RealDeadlocks || !p.chosen.Victim {
		return
	}
	for i, s := range e.x.seats {
		if s.killed.Swap(false) {
			p.chosen.Lane = i
		}
	}
	p.options = []Choice{p.chosen}
}

// take notes what a lane told.
func (e *execution) take(ev event) {
	s := e.x.seats[ev.lane]
	e.ending = false
	e.committed = s.committed.Swap(false) || e.committed
	if ev.step == nil {
		s.phase = over
		e.endings[ev.lane] = ev.ending
		return
	}
	s.phase, s.next = held, *ev.step
}

// settle returns when no lane is running: each has ended, is at the gate with
// its next step, or waits for a lock. Lanes that waited are looked at again,
// since what was just done may have let them go.
func (e *execution) settle(ctx context.Context) error {
	if e.x.Wire != nil {
		return e.settleWeb(ctx)
	}
	for _, s := range e.x.seats {
		if s.phase == waiting {
			s.phase = moving
		}
	}
	pause := e.patience()
	begun := time.Now()
	sure := false // the last look found every moving lane waiting, too
	for {
		moved := e.drain()
		if e.count(moving) == 0 {
			return nil
		}
		if err := e.overdue(time.Since(begun)); err != nil {
			return err
		}
		if !sure && !moved {
			got, err := e.wait(ctx, pause)
			if err != nil {
				return err
			}
			if got {
				pause, sure = e.patience(), false
				continue
			}
		}
		settled, err := e.look(sure && !moved)
		if err != nil {
			return err
		}
		if settled {
			return nil
		}
		sure = e.allBlocked() && !moved
		if !sure {
			pause = min(2*pause, lastPause)
		}
	}
}

// A step takes milliseconds. One that takes longer than tooLong is ended, and
// longer than askedLong when the end of the exploration was asked for.
const (
	tooLong   = 20 * time.Second
	askedLong = time.Second
)

// overdue ends a step that takes too long.
func (e *execution) overdue(after time.Duration) error {
	switch {
	case after > askedLong && e.x.stopped():
		e.abandon()
		return context.Canceled
	case after > tooLong:
		return e.endless(after)
	}
	return nil
}

// patience is the first pause: short when a moving lane's statement is known to
// wait at times.
func (e *execution) patience() time.Duration {
	if slices.ContainsFunc(e.x.seats, func(s *Seat) bool { return s.phase == moving && e.x.waited[s.next.stmt] }) {
		return soonPause
	}
	return firstPause
}

// drain takes what lanes have told already.
func (e *execution) drain() (moved bool) {
	for {
		select {
		case ev := <-e.events:
			e.take(ev)
			moved = true
		default:
			return moved
		}
	}
}

// wait waits for a lane to tell something.
func (e *execution) wait(ctx context.Context, pause time.Duration) (got bool, err error) {
	e.timer.Reset(pause)
	defer e.timer.Stop()
	select {
	case ev := <-e.events:
		e.take(ev)
		return true, nil
	case <-e.timer.C:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (e *execution) count(p phase) (n int) {
	for _, s := range e.x.seats {
		if s.phase == p {
			n++
		}
	}
	return n
}

// allBlocked reports whether the last look found a blocker for every lane that moves.
func (e *execution) allBlocked() bool {
	return !slices.ContainsFunc(e.x.seats, func(s *Seat) bool { return s.phase == moving && len(s.blockers) == 0 })
}

// look asks the server about every moving lane. One lane that waits for lanes
// at the gate cannot be let go by anybody. Of several that move, one may have
// let another go after that was looked at; so all of them must be found waiting
// twice in a row, with nothing told in between.
func (e *execution) look(second bool) (settled bool, err error) {
	alone := e.count(moving) == 1
	for _, s := range e.x.seats {
		if s.phase != moving {
			continue
		}
		if s.blockers, err = e.x.detect.blockers(s.next.pid); err != nil {
			return false, err
		}
	}
	if e.ending || !e.allBlocked() || !alone && !second || slices.ContainsFunc(e.x.seats, e.byStranger) || e.drain() {
		return false, nil
	}
	for _, s := range e.x.seats {
		if s.phase == moving {
			s.phase = waiting
			e.x.waited[s.next.stmt] = true
			s.recordWait()
		}
	}
	return true, nil
}

// byStranger reports whether the lane waits for a session that will go on by
// itself, such as an autovacuum worker.
func (e *execution) byStranger(s *Seat) bool {
	return s.phase == moving && slices.Contains(s.blockers, stranger)
}

// recordWait notes in the history whom the lane waits for.
func (s *Seat) recordWait() {
	o := history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: "lock"}
	for _, b := range s.blockers {
		if b != s.Lane {
			o.Args = append(o.Args, history.Text(strconv.Itoa(b)))
		}
	}
	s.waits.Record(&o)
}
