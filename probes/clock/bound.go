package clock

import "time"

// Bound is where an offset is for certain: how far another clock is ahead of
// this machine's.
type Bound struct{ Low, High time.Duration }

// between is the bound of a clock that showed a time in [first, last], read after
// sent and before got.
func between(first, last, sent, got time.Time) Bound {
	return Bound{Low: first.Sub(got), High: last.Sub(sent)}
}

// stopwatch is the local clock of one reading: the wall clock is read once, and
// the rest is counted on the monotonic one, so that a clock that is set in the
// middle makes no wrong bound.
type stopwatch struct {
	began time.Time // with its monotonic reading
	wall  time.Time // without
}

func start() stopwatch {
	now := time.Now()
	return stopwatch{began: now, wall: now.Round(0)}
}

// now is the wall clock of the start, run on.
func (s stopwatch) now() time.Time { return s.wall.Add(time.Since(s.began)) }
