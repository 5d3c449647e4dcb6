package service

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/actor/command"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/app"
)

// run makes a command's call in a lane: its templates filled in, and the proxy
// for its database.
func (s *Service) run(a *command.Actor) func(context.Context, int) explore.Ending {
	return func(ctx context.Context, lane int) explore.Ending {
		own := *a
		text, err := web.Fill(a.Command, lane+1)
		if err != nil {
			return explore.Ending{Outcome: history.Unknown, Tries: 1, Err: err}
		}
		own.Command, own.Env = text, s.commandEnvironment()
		ctx, cancel := context.WithTimeout(ctx, s.Timeout)
		defer cancel()
		answer, err := own.Call(ctx, lane+1)
		if err != nil {
			return explore.Ending{Outcome: history.Unknown, Tries: 1, Err: err}
		}
		return explore.Ending{Outcome: answer.Outcome, Tries: 1, Vars: answer.Fields}
	}
}

// commandEnvironment is ccheck's own with the database of the proxy and what
// the user set; of two settings of a variable the later one counts (os/exec).
func (s *Service) commandEnvironment() []string {
	env := os.Environ()
	for name, value := range app.Database(s.DSN()) {
		env = append(env, name+"="+value)
	}
	return slices.Concat(env, s.environment())
}

// ByLane reports whether calls of different lanes are different calls.
func ByLane(l *Learnt) bool {
	if l.Actor == nil {
		return strings.Contains(l.What, "{{lane}}") || strings.Contains(l.What, "CCHECK_LANE")
	}
	return slices.ContainsFunc(l.Actor.Requests, (*web.Request).ByLane)
}
