package elapsed

import (
	"errors"
	"fmt"
	"time"
)

type ticks interface{ Millis() int64 }

type system struct{}

func (system) Millis() int64 { return time.Now().UnixMilli() } // want Millis:"tells the time"

type poll struct{ clock ticks }

var errOrder = errors.New("out of order")

func window(from, to int64) (int64, error) {
	if to < from { // want `two readings of the wall clock must come in order`
		return 0, fmt.Errorf("window to %d", to)
	}
	return from, nil
}

// Ask reads the clock through an interface, before and after.
func (p *poll) Ask(f func()) (int64, error) {
	from := p.clock.Millis()
	f()
	return window(from, p.clock.Millis())
}

func Batch(f func()) error {
	begin := time.Now().UnixNano()
	f()
	if end := time.Now().UnixNano(); begin > end { // want `two readings of the wall clock must come in order`
		return errOrder
	}
	return nil
}

// Near misses: a negative distance is none; a number is compared that no clock made.

func ordered(f func()) int64 {
	begin := time.Now().UnixNano()
	f()
	end := time.Now().UnixNano()
	if end < begin {
		end = begin
	}
	return end
}

func Later(limit int64) error {
	if time.Now().Unix() > limit {
		return errOrder
	}
	return nil
}
