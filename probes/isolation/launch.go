package isolation

import (
	"context"
	"fmt"
	"time"
)

// flight is a step that was launched and is not reported as complete.
type flight struct {
	*Launch
	conn    *conn
	targets []int // for each marker, the notices its session must have seen
	waiting bool  // was reported as waiting
}

// launch sends the step and remembers from where notices count.
func (p *play) launch(l *Launch) (*flight, error) {
	c := p.sessions[l.Step.Session]
	if err := c.send(l.Step.SQL); err != nil {
		if gone := p.gone("step " + l.Step.Name); gone != nil {
			return nil, gone
		}
		return nil, fmt.Errorf("sending step %s: the connection of session %s is gone (%w); only the last step of a session may end its connection", l.Step.Name, c.name, err)
	}
	f := &flight{Launch: l, conn: c, targets: make([]int, len(l.Markers))}
	for i, m := range l.Markers {
		if m.Notices > 0 {
			f.targets[i] = m.Notices + p.sessions[m.Step.Session].notices
		}
	}
	c.active = f
	return f, nil
}

// try reports the step as complete if it is, and says so. With leave a step
// that waits for a lock is left and reported as waiting the first time; without
// it the answer is waited for, though not what the markers ask for.
func (p *play) try(ctx context.Context, f *flight, leave bool) (bool, error) {
	if !f.waiting && f.once() {
		p.reportWaiting(f)
		return false, nil
	}
	done, err := p.await(ctx, f, leave)
	if err != nil {
		return false, err
	}
	if !done || p.held(f) {
		p.reportWaiting(f)
		return false, nil
	}
	return true, p.complete(ctx, f)
}

func (f *flight) once() bool {
	for _, m := range f.Markers {
		if m.once() {
			return true
		}
	}
	return false
}

// await returns true when the step has its first result, and false when it is
// to be left.
func (p *play) await(ctx context.Context, f *flight, leave bool) (bool, error) {
	w := watch{watcher: p.watcher, of: f.conn}
	limit := p.limit(f)
	pause := soonest
	for {
		f.conn.fill(pause)
		if f.conn.look() {
			return true, p.broken(f)
		}
		if err := limit.check(ctx); err != nil {
			return false, err
		}
		pause = min(2*pause, slowest)
		if !leave {
			continue
		}
		waits, err := w.waits(ctx)
		if err != nil {
			return false, interrupted(ctx, away("step "+f.Step.Name, err))
		}
		if waits {
			f.conn.fill(instant) // what came before the wait, such as notices
			return f.conn.look(), p.broken(f)
		}
	}
}

// broken is the error of a session whose connection ended without a word of
// the server.
func (p *play) broken(f *flight) error {
	if f.conn.ready == nil || !f.conn.ready.lost {
		return nil
	}
	return away("step "+f.Step.Name, f.conn.lost)
}

// gone is the error that the server is, or nil. The control connection tells:
// no spec ends that one.
func (p *play) gone(during string) error {
	p.control.fill(instant)
	if p.control.lost == nil {
		return nil
	}
	return away(during, p.control.lost)
}

func away(during string, err error) error {
	return fmt.Errorf("the server went away during %s (%w); was it stopped or restarted?", during, err)
}

// interrupted prefers the end of the context to what followed from it.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// held says whether a marker keeps the step from being reported.
func (p *play) held(f *flight) bool {
	for i, m := range f.Markers {
		if m.once() {
			continue
		}
		other := p.sessions[m.Step.Session]
		if m.Notices > 0 && other.notices < f.targets[i] {
			return true
		}
		if m.Notices == 0 && other.active != nil && other.active.Step == m.Step {
			return true
		}
	}
	return false
}

// limit is the end of a step's patience: cancelled after one limit, given up
// after two.
type limit struct {
	play     *play
	flight   *flight
	begin    time.Time
	canceled bool
}

func (p *play) limit(f *flight) *limit { return &limit{play: p, flight: f, begin: time.Now()} }

func (l *limit) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	took, most := time.Since(l.begin), l.play.options.StepLimit
	if took > 2*most {
		return fmt.Errorf("step %s did not end in %v, and cancelling it did not help (permutation %v)", l.flight.Step.Name, 2*most, l.play.outcome.Permutation)
	}
	if took > most && !l.canceled {
		l.canceled = true
		l.play.reportCancel(l.flight, took)
		return l.play.cancel(ctx, l.flight.conn)
	}
	return nil
}
