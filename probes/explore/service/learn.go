package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
)

// Learnt is what a request did when it ran alone.
type Learnt struct {
	explore.Request
	Actor   *web.Actor // nil for a command
	What    string     // "POST /transfers", or "$ npm run payout"
	Changed []string   // tables
	// Note says what is odd about it: that the application keeps something in
	// memory. "" is nothing.
	Note string
}

// Learned is what is known about the request of that name, nil when there is
// none.
func (s *Service) Learned(name string) *Learnt {
	i := slices.IndexFunc(s.Learnt, func(l *Learnt) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return s.Learnt[i]
}

// SilentError says that a request sent no statement through the proxy.
type SilentError struct {
	Request   string
	Connected bool
}

func (e *SilentError) Error() string {
	if !e.Connected {
		return "the application has not connected to the proxy"
	}
	return e.Request + " sends no statement that could be put in another order"
}

// AloneError says that a request does not do alone what it is made for.
type AloneError struct {
	Request, Answer string
	Outcome         history.Outcome
	Tail            string // of the application's output
}

func (e *AloneError) Error() string {
	text := fmt.Sprintf("%s alone is %s: %s", e.Request, e.Outcome, e.Answer)
	if e.Tail != "" {
		text += "; the end of the application's output:\n" + e.Tail
	}
	return text
}

// StatefulError says that the answer to a request depends on what the
// application remembers from earlier ones.
type StatefulError struct{ Request, First, Then string }

func (e *StatefulError) Error() string {
	return fmt.Sprintf("%s is answered %s, and after the tables were put back %s: the application keeps state in memory", e.Request, e.First, e.Then)
}

// listen is how long the application is left alone, to learn what it sends by
// itself. A timer that is slower shows as a request that does now this, now that.
// What goes on sending something new is not waited for longer than starting.
const (
	listen   = 300 * time.Millisecond
	starting = 10 * time.Second
)

// warmups bounds how often a request runs alone until it does the same twice.
const warmups = 6

// Learn runs each request alone, from the rows as they are now, until it does
// the same twice, and puts the rows back each time.
func (s *Service) Learn(ctx context.Context) error {
	if !s.Apart {
		s.settle(ctx)
	}
	tables, err := s.Tables(ctx)
	if err != nil {
		return err
	}
	s.Wire.Know(tables)
	if s.Apart {
		if err := s.Between(ctx); err != nil { // there is no other beginning
			return err
		}
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	if s.keeper != nil {
		s.keeper.Close()
	}
	if s.keeper, err = explore.KeepOrWatch(ctx, s.Config(), tables, s.MaxRows); err != nil {
		return err
	}
	if names := s.keeper.Watched(); len(names) > 0 && !s.watching {
		s.watching = true
		s.Say(fmt.Sprintf("left as they are, since they have more than %d rows: %s", s.MaxRows, strings.Join(names, ", ")))
	}
	for _, l := range s.requests() {
		err := s.learn(ctx, l)
		var stateful *StatefulError
		if errors.As(err, &stateful) && s.app != nil && !s.Restart {
			err = s.afresh(ctx, l, stateful)
		}
		if err != nil {
			return err
		}
		s.Learnt = append(s.Learnt, l)
	}
	return nil
}

// afresh learns a request in processes that have just been started: what the
// application remembers goes with its process. Where it does there what it did
// last, it remembers nothing, and was still starting before.
func (s *Service) afresh(ctx context.Context, l *Learnt, e *StatefulError) error {
	warm := l.Alone
	s.Restart, s.Wire.Split = true, true // what it remembers may be wrong
	if err := s.Between(ctx); err != nil {
		return err
	}
	err := s.learn(ctx, l)
	if err == nil && sameSteps(l.Alone, warm) {
		s.Restart, s.Wire.Split = false, false
		return nil
	}
	s.Say(fmt.Sprintf("%v; it is started again between schedules", e))
	return err
}

// Forget has the application started again between schedules, for what it remembers
// goes with its process. False says that it is already, or cannot be.
func (s *Service) Forget() bool {
	if s.app == nil || s.Restart {
		return false
	}
	s.Restart, s.Wire.Split = true, true
	return true
}

// requests are the calls there are, of which nothing is known yet.
func (s *Service) requests() []*Learnt {
	var list []*Learnt
	for _, a := range s.Actors {
		what := a.Last().String()
		list = append(list, &Learnt{Actor: a, What: what, Request: explore.Request{Name: a.Name, Call: s.call(a)}})
	}
	for _, a := range s.Commands {
		list = append(list, &Learnt{What: "$ " + a.Command, Request: explore.Request{Name: a.Name, Call: s.run(a)}})
	}
	return list
}

func (s *Service) learn(ctx context.Context, l *Learnt) error {
	first, last, err := s.usual(ctx, l)
	if err != nil {
		return err
	}
	if len(last.Steps()) < len(first.Steps()) {
		s.Wire.Part(ctx, first, last)
	}
	l.Alone = last
	s.Wire.Own(last)
	name := l.What
	switch {
	case told(first.Ending) != told(last.Ending) && !s.Restart:
		return &StatefulError{Request: name, First: "with " + told(first.Ending), Then: "with " + told(last.Ending)}
	case len(last.Steps()) < len(first.Steps()) && !s.Restart:
		return &StatefulError{Request: name, First: "with " + count(len(first.Steps()), "statement"), Then: "with " + fmt.Sprint(len(last.Steps()))}
	case last.Ending.Err != nil:
		return last.Ending.Err
	case last.Ending.Outcome != history.Accepted:
		e := &AloneError{Request: name, Outcome: last.Ending.Outcome, Answer: s.Told(last.Ending)}
		if s.app != nil && e.Outcome == history.Failed {
			e.Tail = s.app.Tail()
		}
		return e
	case len(last.Steps()) == 0 && !s.Apart:
		return &SilentError{Request: name, Connected: s.Wire.Connections() > 0}
	case len(first.Steps()) != len(last.Steps()):
		l.Note = fmt.Sprintf("%s sent %s the first time and %d later", name, count(len(first.Steps()), "statement"), len(last.Steps()))
	}
	return nil
}

// usual runs a request alone until it does what it did before. What a timer sends
// meanwhile does not come twice.
func (s *Service) usual(ctx context.Context, l *Learnt) (first, last *explore.Trace, err error) {
	var traces []*explore.Trace
	for range warmups {
		t, changed, err := s.alone(ctx, l)
		if err != nil {
			return nil, nil, err
		}
		l.Changed = changed
		i := slices.IndexFunc(traces, func(o *explore.Trace) bool { return sameSteps(o, t) })
		if i >= 0 {
			t.Merge(traces[i])
			return first, t, nil
		}
		if first == nil {
			first = t
		}
		traces = append(traces, t)
	}
	last = traces[len(traces)-1]
	s.Wire.Part(ctx, last, traces[len(traces)-2])
	return first, last, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// alone runs the request once and puts everything back.
func (s *Service) alone(ctx context.Context, l *Learnt) (*explore.Trace, []string, error) {
	s.Wire.Begin()
	t := s.Wire.Observe(ctx, 0, l.Call)
	if err := s.Wire.Rest(ctx, time.Second); err != nil {
		return nil, nil, err
	}
	changed, err := s.keeper.Restore()
	if err != nil {
		return nil, nil, err
	}
	itself := s.Wire.ByItself(t)
	changed = slices.DeleteFunc(changed, func(name string) bool { return slices.Contains(itself, strings.ToLower(name)) })
	return t, changed, s.Between(ctx)
}

func sameSteps(a, b *explore.Trace) bool {
	x, y := a.Prints(), b.Prints()
	slices.Sort(x) // what is sent at the same time comes in any order
	slices.Sort(y)
	return slices.Equal(x, y) && told(a.Ending) == told(b.Ending)
}

// told is the class of an ending: outcome and status.
func told(e explore.Ending) string {
	if e.Err != nil {
		return "not at all"
	}
	for _, v := range e.Vars {
		if v.Name == web.Status {
			return v.Value.Text
		}
	}
	return string(e.Outcome)
}

// Told tells an answer in a few words, without secrets.
func (s *Service) Told(e explore.Ending) string {
	var parts []string
	for _, v := range e.Vars[:min(len(e.Vars), 5)] {
		parts = append(parts, strings.TrimPrefix(v.Name, web.Body+".")+" "+s.Mask.Show(v.Name, v.Value))
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ", ")
}

// State is where an exploration begins.
type State struct {
	Of       string // the request that was driven to its boundary; "" is the seed state
	Boundary explore.Boundary
}

// boundaryCalls and boundaryTime bound the search for a boundary.
const (
	boundaryCalls = 300
	boundaryTime  = 10 * time.Second
)

// Drive brings the application to the state just before the request of that
// name is answered otherwise. When it never is, the state is that of the seed.
func (s *Service) Drive(ctx context.Context, name string) (State, error) {
	if len(s.Learned(name).Changed) == 0 {
		return State{}, nil // however often it is sent, it meets the same rows
	}
	b, err := explore.FindBoundary(ctx, s.keeper, 0, s.Learned(name).Call, boundaryCalls, s.Search)
	if err == nil {
		err = s.Between(ctx)
	}
	if !b.Found {
		return State{Boundary: b}, err
	}
	return State{Of: name, Boundary: b}, err
}

// Back brings the seed state back.
func (s *Service) Back(ctx context.Context) error {
	if err := s.Wire.Rest(ctx, time.Second); err != nil {
		return err
	}
	if _, err := s.keeper.Restore(); err != nil {
		return err
	}
	return s.Between(ctx)
}

// Schedules estimates the number of interleavings of a team: the multinomial
// coefficient of the lanes' steps, up to a bound.
func (s *Service) Schedules(team []string) int {
	const most = 1 << 30
	total, product := 0, 1
	for _, name := range team {
		for k := 1; k <= len(s.Learned(name).Alone.Steps()); k++ {
			total++
			if product = product * total / k; product > most {
				return most
			}
		}
	}
	return product
}

// ReadCommitted reports whether no request was seen to ask for another
// isolation level.
func (s *Service) ReadCommitted() bool {
	for _, l := range s.Learnt {
		for _, t := range l.Alone.Sent {
			if strings.Contains(strings.ToLower(t.SQL), "isolation") {
				return false
			}
		}
	}
	return true
}

// Crowd sends a request that needs two connections at once in many lanes, and
// puts the rows back.
func (s *Service) Crowd(ctx context.Context, name string, h history.Header, path string) (explore.Crowd, error) {
	tables, err := s.Tables(ctx)
	if err != nil {
		return explore.Crowd{}, err
	}
	h.Tables, h.Actors = tables, s.HistoryActors()
	c, err := explore.RunCrowd(ctx, explore.CrowdOptions{Wire: s.Wire, Request: s.Learned(name).Request, Header: h, Path: path})
	if err != nil {
		return c, err
	}
	return c, s.Back(ctx)
}
