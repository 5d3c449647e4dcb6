package tui

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Sink is the report.Sink of a Program: a mailbox. None of its methods waits for
// the screen, since sending to the event loop does wait and a run that is
// slowed down by its display measures the display. Of the progress only the
// latest is kept; what begins, ends or was found is kept in order.
type Sink struct {
	mu     sync.Mutex
	mail   []tea.Msg
	latest *report.Progress
	wake   chan struct{}
}

var _ report.Sink = (*Sink)(nil)

// The messages of the mailbox.
type (
	runMsg      report.Run
	progressMsg report.Progress
	findingMsg  report.Finding
	endMsg      report.Summary
)

func newSink() *Sink { return &Sink{wake: make(chan struct{}, 1)} }

// Begin implements report.Sink.
func (s *Sink) Begin(r report.Run) error {
	s.post(runMsg(r))
	return nil
}

// Add implements report.Sink.
func (s *Sink) Add(f report.Finding) error {
	s.post(findingMsg(f))
	return nil
}

// End implements report.Sink.
func (s *Sink) End(sum report.Summary) error {
	s.post(endMsg(sum))
	return nil
}

// Progress implements report.Sink. The slices are copied, because the engine
// may go on to fill them.
func (s *Sink) Progress(p report.Progress) {
	p = clone(p)
	s.mu.Lock()
	s.latest = &p
	s.mu.Unlock()
	s.ring()
}

func clone(p report.Progress) report.Progress {
	p.Errors = slices.Clone(p.Errors)
	p.Throughput = slices.Clone(p.Throughput)
	p.Bands = slices.Clone(p.Bands)
	p.Heat = slices.Clone(p.Heat)
	for i, h := range p.Heat {
		p.Heat[i] = slices.Clone(h)
	}
	p.Marks = slices.Clone(p.Marks)
	p.Claims = slices.Clone(p.Claims)
	p.Violations = slices.Clone(p.Violations)
	return p
}

func (s *Sink) post(m tea.Msg) {
	s.mu.Lock()
	s.mail = append(s.mail, m)
	s.mu.Unlock()
	s.ring()
}

// ring wakes the pump; one bell is enough for any amount of mail.
func (s *Sink) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take empties the mailbox. The state of the run goes before what ends it.
func (s *Sink) take() []tea.Msg {
	s.mu.Lock()
	defer s.mu.Unlock()
	mail := s.mail
	s.mail = nil
	if s.latest != nil {
		mail = append([]tea.Msg{progressMsg(*s.latest)}, mail...)
		s.latest = nil
	}
	return mail
}

// pump sends the mail to the event loop until ctx is done. After each delivery
// it rests for an interval, so that the screen is updated ten times a second
// however fast the engine reports.
func (s *Sink) pump(ctx context.Context, send func(tea.Msg)) {
	rest := time.NewTicker(interval)
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		for _, m := range s.take() {
			send(m)
		}
		select {
		case <-ctx.Done():
			return
		case <-rest.C:
		}
	}
}
