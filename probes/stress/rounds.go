package stress

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
)

// rounds is the mode for what happens once: all lanes make one call each,
// released together; then the invariants are looked at, the tables are reset,
// and the next round begins.
func (r *run) rounds(ctx context.Context) {
	reset, err := r.newReset()
	if err != nil {
		r.fail(err)
		return
	}
	for n := int64(0); !r.stopped.Load() && (r.Transactions == 0 || n < r.Transactions); n++ {
		if n > 0 {
			if err := r.nextRound(reset); err != nil {
				r.fail(err)
				return
			}
		}
		if !r.round(ctx) {
			return
		}
		r.meter.rounds.Add(1)
	}
}

// round makes one round and reports whether there can be another.
func (r *run) round(ctx context.Context) bool {
	gate := make(chan struct{})
	var wg sync.WaitGroup
	for _, l := range r.lanes {
		wg.Go(func() {
			<-gate
			if l.call(ctx, l.actor(), time.Now()) || l.reconnect(ctx) {
				if err := l.rec.Flush(); err != nil {
					r.fail(err)
				}
			}
		})
	}
	close(gate)
	wg.Wait()
	if r.killed.Load() {
		return false // by us: the calls did not end in time
	}
	for _, l := range r.lanes {
		if l.lost != nil {
			r.fail(fmt.Errorf("the connection of lane %d was lost: %w", l.id, l.lost))
			return false
		}
	}
	if ctx.Err() != nil {
		return false
	}
	err := r.check.last()
	if err == nil {
		err = r.recordState("after")
	}
	if err != nil {
		r.fail(err)
	}
	return err == nil
}

// nextRound puts the tables back.
func (r *run) nextRound(reset func() error) error {
	if err := reset(); err != nil {
		return err
	}
	r.meter.newRound()
	r.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: "reset"})
	return r.recordState("before")
}

// actor is what the lane does in a round: its own actor when the scenario
// gives lanes to actors, else one by weight.
func (l *lane) actor() int {
	id := l.id
	for _, share := range l.r.sc.Load.Lanes {
		if id < share.Count {
			for i := range l.r.sc.Actors {
				if l.r.sc.Actors[i].Name == share.Actor {
					return i
				}
			}
		}
		id -= share.Count
	}
	return l.chooser.Next()
}

// lanesOf is the number of lanes that a scenario with lanes for actors needs.
func lanesOf(sc *scenario.Scenario) int {
	n := 0
	for _, share := range sc.Load.Lanes {
		n += share.Count
	}
	return n
}
