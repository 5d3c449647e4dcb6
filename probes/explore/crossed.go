package explore

import (
	"slices"

	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// Requests that send the same statements are told apart by their turns alone.
// One that was slow and was parked may go on while another runs, and is taken for
// that one; from then on each makes steps of the other. It shows when a lane has
// more than alone: a step at the gate after its answer, or one more transaction.
// The lane that waits for it can do nothing before that is let go. The schedule is
// not the one that was asked for; it is run to its end, and run again.

// crossed is the lane that has what is a lane's own, nil when there is none.
func (w *Wire) crossed(l *webLane) *webLane {
	if l == nil || l.ended || len(l.queue)+len(l.flight)+len(l.withheld) > 0 {
		return nil
	}
	i := slices.IndexFunc(w.lanes, func(o *webLane) bool {
		return o != l && (l.at > 0 && o.outlasts(l) || l.owns() == 0 && o.spare() != nil)
	})
	if i < 0 {
		return nil
	}
	return w.lanes[i]
}

// outlasts reports whether a lane that has its answer, and is at rest then when it
// is alone, has steps at the gate that another one sends, too.
func (l *webLane) outlasts(o *webLane) bool {
	if !l.ended || len(l.queue) == 0 || len(l.flight)+len(l.withheld) > 0 || l.Alone == nil || l.Alone.Trails {
		return false
	}
	return o.known[sqltext.Fingerprint(l.queue[0].step.stmt.SQL)]
}

// spare is a connection in a transaction that the lane does not have when it is
// alone, nil when there is none.
func (l *webLane) spare() *link {
	var open []*link
	for _, link := range l.wire.links {
		if link.lane == l && link.tx == 'T' {
			open = append(open, link)
		}
	}
	if l.Alone == nil || len(open) <= l.wants() {
		return nil
	}
	slices.SortFunc(open, func(a, b *link) int { return int(b.conn.BackendPID) - int(a.conn.BackendPID) })
	i := slices.IndexFunc(open, func(link *link) bool {
		return !slices.ContainsFunc(l.flight, func(a *arrival) bool { return a.link == link })
	})
	if i < 0 {
		return nil
	}
	return open[i]
}

// uncross gives a lane what another has of it. It was not waited for long enough.
func (w *Wire) uncross(l, from *webLane) {
	spare := from.spare()
	for _, link := range w.links {
		if link.lane == from && (from.ended || link == spare) {
			link.lane = l
		}
	}
	theirs := func(a *arrival) bool { return a.link.lane == l }
	for _, a := range from.queue {
		if theirs(a) {
			l.queue = append(l.queue, a)
		}
	}
	from.queue = slices.DeleteFunc(from.queue, theirs)
	if !from.ended && len(from.queue)+len(from.flight)+len(from.withheld) == 0 {
		from.parked, from.used, from.over = true, w.used(), w.overs()
	}
	w.late++
	w.swapped = true
}

// stray reports whether what came for a lane is a timer's, though nobody has heard
// it before: the lane's own steps are at the gate under another's name. As a step
// of the lane it would be let go each time, and that of the other never.
func (w *Wire) stray(l *webLane, print string) bool {
	if l == nil || l.known[print] || w.crossed(l) == nil {
		return false
	}
	w.swapped = true
	return true
}
