package stress

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
)

// Shard makes a run one part of a run that several processes make, on one machine
// or many. Options.Clients counts the lanes of all of them, of which each has its
// share: the same seed gives a lane the same calls however many shards there are.
// The first shard sets up, looks at the invariants and records what the tables
// hold. What a shard records is no history to judge: history.Merge puts them
// together.
type Shard struct {
	Index, Count int // Index from 1
	Meeting      *Meeting
}

// The parameters of a history of a shard.
const (
	ParamShard      = "shard"       // "2/4"
	ParamMeeting    = "meeting"     // the name
	ParamClock      = "clock"       // of the server at Header.Start, ns since 1970
	ParamClockError = "clock-error" // ns to both sides
)

// String is Index/Count.
func (s *Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// First reports whether it is the shard that sets up.
func (s *Shard) First() bool { return s.Index == 1 }

// share is the range of lanes of the shard.
func (s *Shard) share(clients int) (from, to int) {
	return clients * (s.Index - 1) / s.Count, clients * s.Index / s.Count
}

// share is the range of lanes of this process.
func (r *run) share() (from, to int) {
	if r.Shard == nil {
		return 0, r.Clients
	}
	return r.Shard.share(r.Clients)
}

// part is what a shard that is not the first has of the scenario: the actors. Its
// calls per second are its share of all.
func (r *run) part() {
	if r.Shard == nil {
		return
	}
	r.Rate /= float64(r.Shard.Count)
	if !r.Shard.First() {
		c := *r.sc
		c.Setup, c.Invariants = nil, nil
		r.sc = &c
	}
}

// params are those of the header of a shard.
func (s *Shard) params(start time.Time) []history.Parameter {
	at, within := s.Meeting.Clock(start)
	return []history.Parameter{
		{Name: ParamShard, Value: s.String()}, {Name: ParamMeeting, Value: s.Meeting.name},
		{Name: ParamClock, Value: fmt.Sprint(at)}, {Name: ParamClockError, Value: fmt.Sprint(within.Nanoseconds())},
	}
}

// meet waits until the lanes of all shards can begin.
func (r *run) meet(ctx context.Context) error {
	if r.Shard == nil {
		return nil
	}
	return r.Shard.Meeting.begin(ctx)
}

// part company: the counts of the lanes of the other shards are in the result,
// once those have ended. A shard that was lost makes the run one that was cut.
func (r *run) leave(ctx context.Context) error {
	if r.Shard == nil {
		return nil
	}
	m := r.Shard.Meeting
	others, lost, err := m.end(ctx, r.meter.counts())
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		r.cutShort(fmt.Sprintf("shard %s of %d was lost before its lanes had ended", join(lost), r.Shard.Count))
	}
	r.meter.others = others
	// Once more at the end: the two readings tell how far the clocks drifted.
	if err := m.measure(ctx); err != nil {
		return err
	}
	op := history.Op{Scope: history.ScopeNote, Kind: history.OK}
	at, within := m.Clock(time.Now())
	op.Text = fmt.Sprintf("%s%d %d", history.ClockMark, at, within.Nanoseconds())
	r.rec.Record(&op)
	return r.rec.Flush()
}

// sum adds the counts of other shards.
func sum(list, others []scenario.Count) []scenario.Count {
	for _, o := range others {
		i := slices.IndexFunc(list, func(c scenario.Count) bool { return c.Actor == o.Actor })
		if i < 0 {
			continue
		}
		list[i].OK += o.OK
		list[i].Refused += o.Refused
		list[i].Failed += o.Failed
		list[i].Unknown += o.Unknown
	}
	return list
}

func join(numbers []int) (text string) {
	for i, n := range numbers {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}
