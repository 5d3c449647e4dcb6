package service

import (
	"context"
	"errors"
	"slices"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
)

// seats is the number of lanes with a session of their own. In a crowd several
// lanes share one.
const seats = 4

// enter sends what comes before the requests, such as a login, for each lane.
// It is done before the rows are kept: a session that is in the tables is there
// for every schedule, and its statements are no steps of one.
func (s *Service) enter(ctx context.Context) error {
	s.sessions = map[*web.Actor][]*web.Session{}
	for _, a := range s.Actors {
		for lane := range seats {
			if len(a.Requests) == 1 {
				break
			}
			session, err := s.client.Prepare(ctx, a, lane+1)
			if err != nil {
				return s.unprepared(err)
			}
			s.sessions[a] = append(s.sessions[a], session)
		}
	}
	return nil
}

// unprepared tells an error of what comes before a request.
func (s *Service) unprepared(err error) error {
	var refused *web.RefusedError
	if !errors.As(err, &refused) {
		return s.died(err)
	}
	e := &AloneError{Request: refused.Request, Outcome: refused.Answer.Outcome, Answer: s.Told(s.Ending(refused.Answer, nil))}
	if s.app != nil && e.Outcome == history.Failed {
		e.Tail = s.app.Tail()
	}
	return e
}

// renew makes the sessions again that the application kept in its memory.
func (s *Service) renew(ctx context.Context) error {
	if !slices.ContainsFunc(s.Actors, func(a *web.Actor) bool { return len(a.Requests) > 1 }) {
		return nil
	}
	return s.enter(ctx)
}

// call makes an actor's call in a lane.
func (s *Service) call(a *web.Actor) func(context.Context, int) explore.Ending {
	return func(ctx context.Context, lane int) explore.Ending {
		answer, err := s.client.Finish(ctx, s.Session(a, lane), a, lane+1)
		return s.Ending(answer, err)
	}
}

// Session is what comes before a request in a lane: empty for one that stands
// alone.
func (s *Service) Session(a *web.Actor, lane int) *web.Session {
	if list := s.sessions[a]; len(list) > 0 {
		return list[lane%len(list)]
	}
	return &web.Session{}
}
