package volley

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
)

// The notes of a history of volleys beside those of an exploration. A stage
// begins with rows of its own. A rehearsal is a volley of which nothing is to be
// judged. Decided, with the number of resets before a round, says that all serial
// orders that could explain the round were run.
const (
	Staged    = "stage"
	Rehearsed = "rehearsal"
	Decided   = "decided"
)

const (
	resetMark  = "reset"
	settleTime = time.Second           // after the answers, for transactions that are still open
	patient    = 4                     // times the share of a stage that has too few rounds
	earlyTime  = 20 * time.Millisecond // for an application that acts before a request is complete
)

// timeout bounds what comes back of a request; the service has the same.
func (r *run) timeout() time.Duration { return r.Service.Timeout }

// stage brings the application to the state, learns what the team does one
// after the other, and runs rounds until its time is over.
func (r *run) stage(ctx context.Context, s stage, share time.Duration) error {
	begun := time.Now()
	st, err := r.Service.Drive(ctx, s.drive)
	if err != nil {
		return err
	}
	from := r.describe(s.drive, st)
	r.Say(fmt.Sprintf("%s at once, from %s", crew(s.team), from))
	r.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: Staged, Text: from})
	r.staged = map[string]int64{st.Of: int64(st.Boundary.Calls)}
	tables, err := r.Service.Tables(ctx)
	if err != nil {
		return err
	}
	r.Service.Wire.Begin()
	if r.keeper, err = explore.KeepOrWatch(ctx, r.Service.Config(), tables, r.MaxRows); err != nil {
		return err
	}
	defer r.keeper.Close()
	r.volley = web.NewVolley(len(s.team), r.HTTP2, r.timeout())
	defer r.volley.Close()
	orders := newOrders(r, s.team)
	if err := orders.baseline(ctx); errors.Is(err, errDisturbed) {
		r.note(lonely)
		return r.Service.Back(ctx)
	} else if err != nil {
		return err
	}
	if err := r.rehearse(ctx, s.team); err != nil {
		return err
	}
	if err := r.rounds(ctx, s, orders, begun, share); err != nil {
		return err
	}
	if err := orders.again(ctx); err != nil && !errors.Is(err, errDisturbed) {
		return err
	}
	return r.Service.Back(ctx)
}

// describe tells where the rounds of a stage begin.
func (r *run) describe(name string, st service.State) string {
	switch {
	case r.Service.Apart:
		return "what --reset-cmd leaves"
	case st.Of == "" && st.Boundary.Calls > 0:
		return fmt.Sprintf("the seed rows, since %s was answered the same in %d calls", name, st.Boundary.Calls)
	case st.Of == "" || st.Boundary.Calls == 0:
		return "the seed rows"
	case st.Boundary.Calls == 1:
		return "after 1 call of " + st.Of
	}
	return fmt.Sprintf("after %d calls of %s", st.Boundary.Calls, st.Of)
}

// crew tells a team: "10 × buy", "2 × buy and 2 × cancel".
func crew(team []string) string {
	var parts []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(team))) {
		n := 0
		for _, other := range team {
			if other == name {
				n++
			}
		}
		parts = append(parts, fmt.Sprintf("%d × %s", n, name))
	}
	return strings.Join(parts, " and ")
}

// rounds fires volleys, at least one.
func (r *run) rounds(ctx context.Context, s stage, orders *orders, begun time.Time, share time.Duration) error {
	undone := 0
	for n := int64(0); ; n++ {
		spent := time.Since(begun)
		enough := n >= r.Least || r.count.Total.Failed > 0 // that is something to tell already
		late := share > 0 && (spent > share && enough || spent > patient*share)
		if n > 0 && (late || r.Rounds > 0 && n >= r.Rounds) || r.ended(ctx) {
			return ctx.Err()
		}
		ends, err := r.fire(ctx, s.team)
		if err != nil {
			return err
		}
		if err := r.look(ctx, s.team, ends); err != nil {
			return err
		}
		number := r.resets
		disturbed, err := r.restore(ctx, explore.Explored, crew(s.team))
		if err != nil {
			return err
		}
		if disturbed {
			if undone++; undone == maxUndone {
				r.note(lonely)
				return nil
			}
			n--
			continue
		}
		r.result.Rounds++
		if err := orders.explain(ctx, ends, number); err != nil {
			return err
		}
		r.tell(s.team, ends)
	}
}

// maxUndone bounds the rounds of a stage that the application disturbs.
const maxUndone = 100

// lonely tells why rounds were not judged.
const lonely = "rounds were not judged in which the application wrote by itself (a timer, a worker) to tables that requests use: switch that off"

// fire sends the requests of a team together and returns how they ended.
func (r *run) fire(ctx context.Context, team []string) ([]explore.Ending, error) {
	r.reset()
	ends := make([]explore.Ending, len(team))
	pool := r.watch(team)
	defer pool.close()
	told := func(i int, e explore.Ending) {
		pool.told(i)
		if e.Outcome == history.Failed && e.Err == nil {
			if blame := r.Gate.blame(); blame != nil {
				e.Err = blame
			} else {
				e.Err = fmt.Errorf("it was answered with %s", r.Service.Told(e))
			}
		}
		ends[i] = e
		r.lanes[i].EndCall(e.Outcome, 1, e.Vars, e.Err)
	}
	end := r.watchLocks()
	err := r.together(ctx, team, told)
	end()
	if err != nil {
		return nil, err
	}
	for i := range team {
		if err := r.lanes[i].Flush(); err != nil {
			return nil, err
		}
	}
	if err := r.Service.Alive(); err != nil {
		return nil, err
	}
	return ends, r.lost(ends)
}

// together makes the calls of all clients: requests as a volley, commands each
// as a process that waits for a gate.
func (r *run) together(ctx context.Context, team []string, told func(int, explore.Ending)) error {
	var shots []web.Shot
	var clients, commands []int
	for i, name := range team {
		if l := r.Service.Learned(name); l.Actor != nil {
			shots, clients = append(shots, r.shot(l, i)), append(clients, i)
		} else {
			commands = append(commands, i)
		}
	}
	if err := r.volley.Load(ctx, shots); err != nil {
		return r.because(err)
	}
	wait := r.crowd(ctx, team, commands, told)
	for _, i := range clients {
		r.lanes[i].BeginCall(team[i])
	}
	r.volley.Fire(func(k int, a web.Answer, err error) { told(clients[k], r.Service.Ending(a, err)) })
	wait()
	return nil
}

// shot is the request of a client, from the session of its lane.
func (r *run) shot(l *service.Learnt, client int) web.Shot {
	return web.Shot{Actor: l.Actor, Lane: client + 1, Session: r.Service.Session(l.Actor, client)}
}

// crowd prepares the calls of commands and returns what releases them and waits
// for their ends.
func (r *run) crowd(ctx context.Context, team []string, commands []int, told func(int, explore.Ending)) (release func()) {
	gate := make(chan struct{})
	var calls sync.WaitGroup
	for _, i := range commands {
		r.lanes[i].BeginCall(team[i])
		calls.Go(func() {
			<-gate
			told(i, r.Service.Learned(team[i]).Call(ctx, i))
		})
	}
	return func() {
		close(gate)
		calls.Wait()
	}
}

// rehearse fires a volley to learn whether the application acts before a request
// is complete: then the end of the header is held back with the body.
func (r *run) rehearse(ctx context.Context, team []string) error {
	var shots []web.Shot
	for i, name := range team {
		l := r.Service.Learned(name)
		if l.Actor == nil {
			return nil // commands are not sent
		}
		shots = append(shots, r.shot(l, i))
	}
	r.reset()
	if err := r.volley.Load(ctx, shots); err != nil {
		return r.because(err)
	}
	select {
	case <-time.After(earlyTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	r.volley.Whole = r.Gate.arrived() > 0
	if err := r.answered(shots); err != nil {
		return r.because(err)
	}
	_, err := r.restore(ctx, Rehearsed, crew(team))
	return err
}

// answered fires the volley, and returns an error when not every client is
// answered: the application takes fewer than there are.
func (r *run) answered(shots []web.Shot) error {
	errs := make([]error, len(shots))
	r.volley.Fire(func(i int, _ web.Answer, err error) { errs[i] = err })
	lost := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(lost) == 0 || len(lost) == len(shots) {
		return errors.Join(lost[:min(len(lost), 1)]...)
	}
	return &web.TooManyError{Host: "the application", Clients: len(shots), Limit: len(shots) - len(lost), Err: lost[0]}
}

// dying is how long an application takes at most to be seen to have ended, after
// its connections were.
const dying = time.Second

// because is the error of a connection, or why it was lost: that the application
// has ended.
func (r *run) because(err error) error {
	for end := time.Now().Add(dying); err != nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ended := r.Service.Alive(); ended != nil {
			return ended
		}
	}
	return err
}

// reset begins a round in the history.
func (r *run) reset() {
	r.resets++
	r.Gate.reset()
	r.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Text: resetMark})
}

// lost returns an error when no call of a round was answered: nobody is there
// any more.
func (r *run) lost(ends []explore.Ending) error {
	if slices.ContainsFunc(ends, func(e explore.Ending) bool { return e.Outcome != history.Unknown }) {
		return nil
	}
	return r.because(ends[0].Err)
}

// look records what a round has left, in the tables and outside of them.
func (r *run) look(ctx context.Context, team []string, ends []explore.Ending) error {
	if err := r.Service.Wire.Rest(ctx, settleTime); err != nil {
		return err
	}
	var err error
	if r.company, err = r.keeper.Record(r.rec, r.Service.Wire); err != nil {
		return err
	}
	for _, name := range r.company.Aside {
		r.note(fmt.Sprintf("not compared, since the application writes to it by itself: %s", name))
	}
	list, err := r.Service.Effects(ctx)
	for _, e := range list {
		if len(e.Rows) > 0 {
			r.rec.Record(&history.Op{Scope: history.ScopeState, Kind: history.OK, Text: e.Name, Phase: explore.Added, Columns: e.Columns, Rows: e.Rows})
		}
	}
	if err != nil {
		return err
	}
	return r.claims(team, ends)
}

// restore ends a round in the history and puts everything back. A round that the
// application has disturbed by itself is not judged.
func (r *run) restore(ctx context.Context, phase, text string) (disturbed bool, err error) {
	if err := r.Service.Wire.Rest(ctx, settleTime); err != nil {
		return false, err
	}
	odd := r.company.Odd
	if disturbed = r.company.Disturbed(); disturbed {
		phase = explore.Disturbed
	}
	r.company = explore.Company{}
	r.rec.Record(&history.Op{Scope: history.ScopeNote, Kind: history.OK, Phase: phase, Text: text})
	if err := r.rec.Flush(); err != nil {
		return false, err
	}
	if _, err := r.keeper.Restore(); err != nil {
		return false, err
	}
	if err := r.Service.Between(ctx); err != nil {
		return false, err
	}
	r.Service.Wire.Doubt(ctx, odd)
	return disturbed, nil
}

// note adds to what is told at the end, once.
func (r *run) note(text string) {
	if !slices.Contains(r.result.Notes, text) {
		r.result.Notes = append(r.result.Notes, text)
	}
}

// tell counts a round for the person who watches.
func (r *run) tell(team []string, ends []explore.Ending) {
	c := &r.count
	for i, e := range ends {
		o := c.Outcomes[team[i]]
		o.Add(e.Outcome)
		c.Outcomes[team[i]] = o
		c.Total.Add(e.Outcome)
	}
	c.Phase, c.Elapsed, c.Rounds, c.Recorded = "running", time.Since(r.begun), r.result.Rounds, r.w.Size()
	if s := c.Elapsed.Seconds(); s > 0 {
		c.Rate = float64(c.Total.Calls()) / s
	}
	if r.Progress != nil {
		r.Progress(*c)
	}
}
