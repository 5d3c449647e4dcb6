package service

import (
	"context"
	"time"

	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
)

// Stage brings the application to another state and learns what requests do
// there: the rows of the first call of Stage are put back, prepare sends what
// leads to the state and returns the requests, and each of them runs alone. What
// was learnt before is forgotten.
func (s *Service) Stage(ctx context.Context, prepare func(context.Context) ([]*web.Actor, error)) error {
	if err := s.first(ctx); err != nil {
		return err
	}
	if s.keeper != nil {
		s.keeper.Close()
		s.keeper = nil
	}
	actors, err := prepare(ctx)
	if err != nil {
		return err
	}
	s.Actors, s.Learnt = actors, nil
	return s.Learn(ctx)
}

// first puts the rows of the first stage back, in an application that runs.
func (s *Service) first(ctx context.Context) (err error) {
	if s.base == nil {
		tables, err := s.Tables(ctx)
		if err != nil {
			return err
		}
		s.base, err = explore.KeepOrWatch(ctx, s.Config(), tables, s.MaxRows)
		return err
	}
	if s.app != nil && s.app.Ended() != "" {
		if s.app, err = s.app.Restart(ctx); err != nil {
			return err
		}
	}
	if err := s.Wire.Rest(ctx, time.Second); err != nil {
		return err
	}
	if _, err := s.base.Restore(); err != nil {
		return err
	}
	return s.Between(ctx)
}

// Send makes one call of an actor, outside of any lane.
func (s *Service) Send(ctx context.Context, a *web.Actor) (web.Answer, error) {
	answer, err := s.client.Call(ctx, a, 1)
	if err != nil {
		return answer, s.died(err)
	}
	return answer, nil
}
