package series

import (
	"slices"
	"time"
)

// SumPauses says what pauses come to, over the time in which they were.
func SumPauses(all []time.Duration, took time.Duration) Pauses {
	p := Pauses{Count: int64(len(all))}
	if len(all) == 0 {
		return p
	}
	all = slices.Sorted(slices.Values(all))
	for _, d := range all {
		p.Total += d
	}
	p.P50, p.P99, p.Max = all[len(all)/2], all[(len(all)*99)/100], all[len(all)-1]
	if took > 0 {
		p.Share = float64(p.Total) / float64(took)
	}
	return p
}
