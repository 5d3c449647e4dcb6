package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Crowd is what came of many requests at once, each of which takes a second
// connection while it has a transaction open.
type Crowd struct {
	Lanes    int // requests that were started
	Pool     int // of them that held a transaction when no more got a connection
	Starved  bool
	Answered map[string]int // how the starved requests ended, by class
	Waited   time.Duration
}

// CrowdOptions is what a crowd is made of.
type CrowdOptions struct {
	Wire    *Wire
	Request Request
	Header  history.Header
	Path    string // of the history, which must not exist
	Most    int    // requests at most; 0 is 64
}

const defaultCrowd = 64

// RunCrowd starts requests one after the other and holds each at the last
// statement before it takes its second connection, until one gets no
// connection any more. Then all are let go: when every connection is held by a
// request that waits for another one, the pool waits for itself.
func RunCrowd(ctx context.Context, o CrowdOptions) (Crowd, error) {
	if o.Most == 0 {
		o.Most = defaultCrowd
	}
	h := o.Header
	h.Probe, h.Start = Probe.Name, time.Now()
	w, err := history.Create(o.Path, h, 0)
	if err != nil {
		return Crowd{}, err
	}
	c := &crowd{CrowdOptions: o, out: w, hold: o.Request.Alone.beforeSecond()}
	defer c.close()
	err = c.run(ctx)
	for _, l := range c.lanes {
		if flushErr := l.seat.rec.Flush(); err == nil {
			err = flushErr
		}
	}
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return c.Crowd, err
}

// beforeSecond is the number of steps that a request makes before it takes a
// second connection.
func (t *Trace) beforeSecond() int {
	n := 0
	for _, s := range t.Sent {
		if s.Other {
			return n
		}
		if s.Step {
			n++
		}
	}
	return n
}

// crowd is one being run.
type crowd struct {
	CrowdOptions
	Crowd
	out   *history.Writer
	lanes []*webLane
	hold  int // steps until the second connection
}

func (c *crowd) close() {
	for _, l := range c.lanes {
		l.close()
	}
}

func (c *crowd) run(ctx context.Context) error {
	for c.Lanes = 0; c.Lanes < c.Most; c.Lanes++ {
		got, err := c.add(ctx)
		if err != nil {
			return err
		}
		if !got {
			c.Lanes++
			break
		}
		c.Pool++
	}
	if c.Pool == c.Most {
		return nil // no end of the pool was seen
	}
	return c.release(ctx)
}

// add starts one more request and lets it run to the step before its second
// connection. False says that it got no connection.
func (c *crowd) add(ctx context.Context) (bool, error) {
	l := c.Wire.Lane(fmt.Sprintf("%s#%d", c.Request.Name, len(c.lanes)+1), c.Request).web
	seat := &Seat{Lane: len(c.lanes), lane: &Lane{Actor: c.Request.Name}, rec: c.out.Recorder(len(c.lanes)), define: c.out.Define}
	if err := l.open(ctx, seat); err != nil {
		return false, err
	}
	c.lanes = append(c.lanes, l)
	l.start(ctx)
	for steps := 0; ; steps++ {
		deadline := time.Now().Add(4*l.thinks() + 2*slack)
		for !c.Wire.atGate(l) {
			if err := c.hear(ctx, time.Until(deadline)); err != nil {
				return false, err
			}
			if time.Now().After(deadline) {
				return false, nil
			}
		}
		if steps >= c.hold-1 {
			return true, nil
		}
		l.let()
	}
}

func (w *Wire) atGate(l *webLane) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(l.queue) > 0
}

func (c *crowd) hear(ctx context.Context, wait time.Duration) error {
	t := time.NewTimer(max(wait, time.Microsecond))
	defer t.Stop()
	select {
	case <-c.Wire.changed:
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// release lets all go and everything through that still comes, and waits for
// the answers.
func (c *crowd) release(ctx context.Context) error {
	begun := time.Now()
	for _, l := range c.lanes {
		if c.Wire.atGate(l) {
			l.let()
		}
	}
	moved, told := 0, false
	patient := 4*c.Request.Alone.Think + 2*slack
	for {
		if open := c.pump(&moved); open == 0 {
			break
		}
		if !told && moved == 0 && time.Since(begun) > patient {
			told = true
			c.tell()
		}
		if err := c.hear(ctx, slack); err != nil {
			return err
		}
	}
	c.Waited = time.Since(begun)
	return c.judge(moved)
}

// tell records who waits for a connection.
func (c *crowd) tell() {
	for _, l := range c.lanes {
		if !c.Wire.answered(l) {
			c.Wire.note(l, &history.Op{Scope: history.ScopeWait, Kind: history.OK, Text: PoolWait})
		}
	}
}

func (w *Wire) note(l *webLane, o *history.Op) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l.seat.rec.Record(o)
}

// pump lets everything go that is at the gate, and returns how many requests
// have no answer yet. moved counts what was sent before the first gave up.
func (c *crowd) pump(moved *int) (open int) {
	for _, l := range c.lanes {
		if !c.Wire.answered(l) {
			open++
		}
		for c.Wire.atGate(l) {
			l.let()
			if !c.Wire.anyEnded(c.lanes) {
				*moved++
			}
		}
	}
	return open
}

func (w *Wire) answered(l *webLane) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range l.withheld {
		w.deliver(h.link, h.sent)
		close(h.deliver)
	}
	l.withheld = nil
	return l.ended
}

func (w *Wire) anyEnded(lanes []*webLane) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range lanes {
		if l.ended {
			return true
		}
	}
	return false
}

// judge tells how the requests ended. The pool waited for itself when nothing
// was sent by any of them until the first gave up, and some were not answered
// as one alone is.
func (c *crowd) judge(moved int) error {
	c.Answered = map[string]int{}
	alone := class(c.Request.Alone.Ending)
	other := 0
	for _, l := range c.lanes {
		e := l.finish()
		c.Answered[class(e)]++
		if class(e) != alone {
			other++
		}
	}
	c.Starved = moved == 0 && other > 0
	return nil
}
