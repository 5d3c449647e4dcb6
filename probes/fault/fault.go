// Package fault says what is to go wrong on a connection, when, and how often.
// It decides and breaks nothing itself: what carries the statements asks the
// Plan at each point and does as it is told, so that every fault is recorded in
// the same history as the statements it hit.
//
// Anything in probes may import it; it imports the standard library only.
package fault

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// Kind is what goes wrong.
type Kind string

// The kinds.
const (
	Delay    Kind = "delay"    // waits between Min and Max, then goes on
	Cut      Kind = "cut"      // closes both sides as a process does that ends (FIN)
	Reset    Kind = "reset"    // closes both sides as a machine does that restarts (RST)
	Throttle Kind = "throttle" // lets Rate bytes a second through, each way
)

// Point is where on the way of a statement the fault waits.
type Point string

// The points.
const (
	Send   Point = "send"   // the statement has come from the client; the server has not seen it
	Answer Point = "answer" // the server has answered; the client does not know
)

// Fault is one thing that goes wrong.
type Fault struct {
	Kind  Kind
	Point Point
	// Verb is the first word of the statements it waits for, in upper case; ""
	// is every statement. END and ABORT count as COMMIT and ROLLBACK.
	Verb string
	// Nth is the one statement of those that it hits, from 1; 0 hits all.
	Nth      int
	Min, Max time.Duration // of a Delay
	Rate     int           // of a Throttle, bytes a second
}

// String is the fault as Parse reads it.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(string(f.Kind))
	switch f.Kind {
	case Delay:
		fmt.Fprintf(&b, " %v-%v", f.Min, f.Max)
	case Throttle:
		fmt.Fprintf(&b, " %d", f.Rate)
		return b.String()
	}
	fmt.Fprintf(&b, " at %s", f.Point)
	if f.Verb != "" {
		fmt.Fprintf(&b, " of %s", f.Verb)
	}
	if f.Nth > 0 {
		fmt.Fprintf(&b, " number %d", f.Nth)
	}
	return b.String()
}

// Action is what has to happen now. The zero Action is nothing.
type Action struct {
	Fault *Fault        // the one that decided; nil when nothing happens
	Wait  time.Duration // before anything else
	Close Kind          // Cut, Reset or ""
}

// Plan holds the faults of a run and counts what they have seen. It may be used
// by many connections at once. A nil Plan does nothing.
type Plan struct {
	faults []Fault
	rate   int

	mu   sync.Mutex
	rand *rand.Rand
	seen []int
}

// New makes a plan. The same seed gives the same delays for the same order of
// statements.
func New(seed uint64, faults ...Fault) (*Plan, error) {
	p := &Plan{faults: faults, seen: make([]int, len(faults)), rand: rand.New(rand.NewPCG(seed, 0))}
	for _, f := range faults {
		if err := f.check(); err != nil {
			return nil, err
		}
		if f.Kind == Throttle && (p.rate == 0 || f.Rate < p.rate) {
			p.rate = f.Rate
		}
	}
	return p, nil
}

func (f Fault) check() error {
	switch {
	case f.Kind == Throttle && f.Rate > 0:
		return nil
	case f.Kind == Throttle:
		return fmt.Errorf("fault %q: the rate must be at least 1 byte a second", f)
	case f.Kind != Delay && f.Kind != Cut && f.Kind != Reset:
		return fmt.Errorf("fault %q: unknown kind; the kinds are delay, cut, reset and throttle", string(f.Kind))
	case f.Point != Send && f.Point != Answer:
		return fmt.Errorf("fault %q: unknown point; the points are send and answer", f)
	case f.Kind == Delay && (f.Min < 0 || f.Max < f.Min):
		return fmt.Errorf("fault %q: the longest delay is shorter than the shortest", f)
	case f.Nth < 0:
		return fmt.Errorf("fault %q: statements are numbered from 1", f)
	}
	return nil
}

// Rate is the bytes a second that may pass each way of a connection, 0 for all.
func (p *Plan) Rate() int {
	if p == nil {
		return 0
	}
	return p.rate
}

// At says what happens to a statement with that first word. Delays add up; the
// first fault that closes the connection counts.
func (p *Plan) At(point Point, verb string) Action {
	var a Action
	if p == nil {
		return a
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.faults {
		f := &p.faults[i]
		if f.Kind == Throttle || f.Point != point || f.Verb != "" && f.Verb != verb {
			continue
		}
		p.seen[i]++
		if f.Nth > 0 && f.Nth != p.seen[i] || a.Close != "" {
			continue
		}
		a.Fault = f
		if f.Kind == Delay {
			a.Wait += f.Min + time.Duration(p.rand.Int64N(int64(f.Max-f.Min)+1))
			continue
		}
		a.Close = f.Kind
	}
	return a
}
