package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/scenario"
)

// What a round of the history is; the note at its end has it as Phase and the
// schedule as Text.
const (
	// Serial is a serial order of some of the lanes, Repeated the same once more
	// with the sequences moved on: what differs between the two is chance.
	Serial, Repeated = "serial", "repeated"
	// Explored is a schedule like any other.
	Explored = "schedule"
	// Skipped is a schedule that turned out to differ from another one in the
	// order of steps that commute: nothing is to be judged.
	Skipped = "skipped"
	// Starved is a schedule in which calls waited for a connection of the
	// application's pool that none of them could give back: what they left says
	// nothing about the order of statements.
	Starved = "starved"
	// Disturbed is a schedule during which the application wrote by itself to
	// tables that its requests use.
	Disturbed = "disturbed"
	// Ended is the last note of a whole exploration: how many schedules were run
	// and why no more.
	Ended = "ended"
)

// resetMark is the note that begins a round.
const resetMark = "reset"

// drive runs the serial orders and then the schedules.
func (x *explorer) drive(ctx context.Context) error {
	if len(x.Replay) == 0 || len(x.seats) > 1 {
		if err := x.serial(ctx); err != nil || x.counts.Cut != "" {
			return err
		}
	}
	if len(x.Replay) > 0 {
		return x.replay(ctx)
	}
	return x.search(ctx)
}

// serial runs every serial order of every set of lanes, those of all lanes
// twice: a lane is told something else in another order, and what of it is
// chance shows only when that order is run again.
func (x *explorer) serial(ctx context.Context) error {
	for _, order := range orders(len(x.seats)) {
		phases := []string{Serial, Repeated}
		if len(order) < len(x.seats) {
			phases = phases[:1]
		}
		for _, phase := range phases {
			if err := x.round(ctx, phase, order, nil, inOrder(order)); err != nil {
				return err
			}
			if err := x.steady(order); err != nil {
				return err
			}
		}
	}
	if x.counts.Disturbed > 0 {
		x.counts.Cut = x.disturbance() // there is nothing to compare with
	}
	return nil
}

func (x *explorer) replay(ctx context.Context) error {
	for _, s := range x.Replay {
		if err := x.round(ctx, Explored, x.all(), s, stay); err != nil {
			return err
		}
		if x.exec.missed {
			x.counts.Missed++
		}
	}
	x.counts.Whole = false
	if x.counts.Disturbed > 0 {
		x.counts.Cut = x.disturbance()
	}
	return nil
}

func (x *explorer) all() []int {
	list := make([]int, len(x.seats))
	for i := range list {
		list[i] = i
	}
	return list
}

// round runs one schedule: the lanes, a look at the world, the reset. One that
// the application has disturbed by itself is run again.
func (x *explorer) round(ctx context.Context, phase string, lanes []int, prefix []Choice, policy func(*execution, []Choice) Choice) error {
	asleep := x.exec.asleep
	for range attempts {
		x.exec.asleep, x.exec.idle = asleep, false
		if phase == Repeated {
			if err := x.world.advance(); err != nil {
				return err
			}
		}
		x.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: resetMark})
		x.exec.inTurn = phase == Serial || phase == Repeated
		if err := x.exec.run(ctx, lanes, prefix, policy); err != nil {
			return err
		}
		disturbed, err := x.look(ctx, phase)
		if err != nil || !disturbed {
			return err
		}
	}
	x.counts.Disturbed++
	return nil
}

// attempts bounds how often a schedule is run that is disturbed.
const attempts = 6

// look records what a schedule has left, and puts the world back.
func (x *explorer) look(ctx context.Context, phase string) (disturbed bool, err error) {
	if err := errors.Join(x.lost(), x.tidy()); err != nil {
		return false, err
	}
	if err := x.effects(ctx); err != nil {
		return false, err
	}
	c, err := x.world.diff(true)
	if err != nil {
		return false, err
	}
	company := x.world.company
	x.mixed, x.counts.Aside = union(x.mixed, company.Mixed), union(x.counts.Aside, company.Aside)
	switch {
	case x.exec.hungry:
		phase = Starved
	case x.exec.idle:
		phase = Skipped
	case company.Disturbed():
		phase = Disturbed
	}
	broken, err := x.claims.look(x.exec.endings, x.seats)
	if err != nil {
		return false, err
	}
	x.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: phase, Text: x.schedule().Text(x.names)})
	x.count(phase, broken)
	if err := x.back(ctx, c); err != nil {
		return false, err
	}
	if len(company.Odd) > 0 {
		x.Wire.Doubt(ctx, company.Odd)
	}
	return phase == Disturbed, nil
}

// disturbance says why schedules are not judged.
func (x *explorer) disturbance() string {
	what := "statements of which it is not known which request sends them come in some of them"
	if len(x.mixed) > 0 {
		what = fmt.Sprintf("the application writes to %s by itself (a timer, a worker) while requests use it: switch that off", x.mixed[0])
	}
	return fmt.Sprintf("%d were disturbed each time that they were run; %s", x.counts.Disturbed, what)
}

// back puts everything back after a schedule.
func (x *explorer) back(ctx context.Context, c change) error {
	if err := x.world.reset(c); err != nil {
		return err
	}
	if x.replica != nil {
		if err := x.replica.replay(ctx); err != nil {
			return err
		}
	}
	if err := x.clean(); err != nil {
		return err
	}
	if x.Between != nil {
		if err := x.Between(ctx); err != nil {
			return err
		}
	}
	return x.flush()
}

func (x *explorer) schedule() Schedule {
	s := make(Schedule, len(x.exec.trace))
	for i, p := range x.exec.trace {
		s[i] = p.chosen
	}
	return s
}

// lost reports a lane that can make no other call.
func (x *explorer) lost() error {
	for i, e := range x.exec.endings {
		switch {
		case e.Err == nil:
		case lab.IsLost(e.Err):
			return fmt.Errorf("the connection of lane %s was lost: %w", x.names[i], e.Err)
		case e.Outcome == history.Unknown && !x.exec.hungry && x.Wire != nil:
			return fmt.Errorf("lane %s: %w", x.names[i], e.Err)
		case x.Wire == nil && limited(e, x.Stmts):
			return &EndlessError{Lane: x.names[i], Err: e.Err}
		case x.Wire == nil && x.exec.inTurn && i == x.exec.first && mistaken(e):
			return x.mistake(i, e.Err)
		}
	}
	return nil
}

// mistake tells of a call that no order of the lanes makes good. A table that is
// there already may be one that a lane has made.
func (x *explorer) mistake(lane int, err error) error {
	if same, err := x.world.sameForm(); err != nil || !same {
		return errors.Join(err, x.reformed())
	}
	e := &lab.SetupError{What: fmt.Sprintf("lane %s fails alone", x.names[lane]), Err: err}
	if x.Scenario != nil {
		if a := x.Scenario.Actor(x.Lanes[lane].Actor); a != nil {
			e.Where = scenario.Position{File: a.Script.File}
		}
	}
	return e
}

// tidy ends the sessions that requests have left in a transaction: their locks
// would keep the tables from being put back.
func (x *explorer) tidy() error {
	if x.Wire == nil {
		return nil
	}
	pids := x.Wire.left()
	x.counts.Open += len(pids)
	return x.detect.evict(pids)
}

// Effect is what calls did outside of the database, as rows of a table that is
// not there: how often a service was called with a key, what a later reader sees.
type Effect struct {
	Name    string
	Columns []string
	Rows    [][]history.Value
}

// effects records them.
func (x *explorer) effects(ctx context.Context) error {
	if x.Effects == nil {
		return nil
	}
	list, err := x.Effects(ctx)
	for _, e := range list {
		if len(e.Rows) > 0 {
			x.rec.Record(&history.Op{Scope: history.ScopeState, Kind: history.OK, Text: e.Name, Phase: Added, Columns: e.Columns, Rows: e.Rows})
		}
	}
	return err
}

func (x *explorer) count(phase string, broken bool) {
	x.counts.Steps += int64(len(x.exec.trace))
	x.counts.Polls = x.detect.polls
	x.counts.Elapsed = time.Since(x.begun)
	switch phase {
	case Disturbed:
		return
	case Skipped:
		x.counts.Skipped++
		return
	case Starved:
		x.counts.Starved++
		x.counts.Schedules++
		return
	case Serial, Repeated:
		x.counts.Serial++
		return
	}
	x.counts.Schedules++
	for _, p := range x.exec.trace {
		if p.chosen.Victim {
			x.counts.Deadlocks++
			break
		}
	}
	x.countEnds()
	if broken {
		if c := x.costOf(); x.counts.Broken == 0 || c.less(x.firstCost) {
			x.counts.First, x.firstCost = x.schedule(), c
			x.counts.FirstSteps, x.counts.Violations = x.steps(), x.claims.found
		}
		x.counts.Broken++
	}
	if x.trace != nil {
		x.trace(x.exec.trace, broken)
	}
	if x.Progress != nil {
		x.Progress(x.counts)
	}
}

// steps are the statements of the schedule that was just run.
func (x *explorer) steps() []string {
	list := make([]string, len(x.exec.trace))
	for i, p := range x.exec.trace {
		switch list[i] = p.sql; {
		case p.chosen.Victim:
			list[i] = "is the victim of the deadlock"
		case p.chosen.Replay:
			list[i] = "the replica replays what was committed"
		}
	}
	return list
}

// countEnds counts how calls ended that did not go through.
func (x *explorer) countEnds() {
	seen := map[string]bool{}
	if slices.ContainsFunc(x.exec.endings, func(e Ending) bool { return e.Outcome == history.Failed }) {
		x.counts.Dropped++
	}
	for _, e := range x.exec.endings {
		switch e.Outcome {
		case history.Accepted:
			x.counts.Accepted++
		case history.Refused:
			x.counts.Refused++
		case history.Failed:
			x.counts.Failed++
		}
		name := ""
		switch state := sqlState(e.Err); {
		case e.Outcome == history.Refused:
			name = string(history.Refused)
		case e.Outcome == history.Failed && state != "":
			name = state
		case e.Outcome == history.Failed:
			name = string(history.Failed)
		}
		if name != "" && !seen[name] {
			seen[name] = true
			x.counts.Ends[name]++
		}
	}
}

// sqlState is that of the server's error, "" for any other.
func sqlState(err error) string {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return state.SQLState()
	}
	return ""
}

// flush writes the round: a crash loses one schedule, which can be run again.
func (x *explorer) flush() error {
	for _, s := range x.seats {
		if err := s.rec.Flush(); err != nil {
			return err
		}
		if err := s.waits.Flush(); err != nil {
			return err
		}
	}
	return x.rec.Flush()
}

// end writes what the exploration was worth.
func (x *explorer) end() error {
	text := fmt.Sprintf("%d schedules", x.counts.Schedules)
	if x.counts.Cut != "" {
		text += ": " + x.counts.Cut
	}
	x.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: Ended, Text: text})
	return nil
}

// stopped reports whether the caller has asked for the end.
func (x *explorer) stopped() bool {
	select {
	case <-x.Stop:
		return true
	default:
		return false
	}
}
