package heapgrowth

import (
	"math"
	"time"
)

// durationMinutes is a time in minutes that may be longer than a time.Duration.
type durationMinutes float64

func (m durationMinutes) duration() time.Duration {
	return time.Duration(math.Min(float64(m)*float64(time.Minute), math.MaxInt64/2))
}
