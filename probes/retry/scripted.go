package retry

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

var _ Subject = (*Scripted)(nil)

// SetupError is an error of the scenario's own SQL: the user's to mend.
type SetupError = lab.SetupError

// Scripted is a subject whose calls are the scripts of a scenario.
type Scripted struct {
	Scenario  *scenario.Scenario
	Config    func() *pgconn.Config // past the proxy, for what another service does
	Isolation scenario.Isolation
	Seed      uint64
	Actors    []string // those that are called; nil is all

	through *pgconn.Config
	outside *pg.Conn
}

// Prepare runs the scenario's setup.
func (s *Scripted) Prepare(_ context.Context, admin *pg.Conn) error {
	for _, src := range s.Scenario.Setup {
		if err := lab.RunSource(admin, src, s.Scenario.Params, "setup"); err != nil {
			return err
		}
	}
	return nil
}

// Open makes a caller of each actor.
func (s *Scripted) Open(ctx context.Context, through *pgconn.Config) ([]Caller, error) {
	s.through = through
	if s.Isolation != "" {
		s.through.RuntimeParams["default_transaction_isolation"] = string(s.Isolation)
	}
	cfg := s.Config()
	cfg.RuntimeParams["ccheck.outside"] = "on"
	var err error
	if s.outside, err = pg.Connect(ctx, cfg, nil, pg.Prepared); err != nil {
		return nil, err
	}
	var list []Caller
	for i := range s.Scenario.Actors {
		a := &s.Scenario.Actors[i]
		if !s.wanted(a.Name) {
			continue
		}
		list = append(list, Caller{
			Actor: history.Actor{Name: a.Name, File: a.Path, Script: a.Text, Retry: a.Script.Retry, Refuse: a.Script.Refuse},
			Call:  func(ctx context.Context) Ending { return s.call(ctx, a) },
		})
	}
	return list, nil
}

func (s *Scripted) wanted(actor string) bool {
	for _, a := range s.Actors {
		if a == actor {
			return true
		}
	}
	return len(s.Actors) == 0
}

// call runs the script with a machine of its own, so that each call is the same;
// and on a connection of its own, since one may have been cut.
func (s *Scripted) call(ctx context.Context, a *scenario.Actor) Ending {
	conn, err := pg.Connect(ctx, s.through.Copy(), nil, pg.Prepared)
	if err != nil {
		return Ending{Outcome: history.Failed, Err: fmt.Errorf("connecting by way of the proxy: %w", err)}
	}
	defer conn.Close()
	defer conn.Watch(ctx)()
	same := script.ChooserState(s.Seed, 1, 0, false)
	m, err := script.NewMachine(script.Options{Clients: 1, Seed: s.Seed, Protocol: pg.Prepared, Random: &same})
	for _, v := range lab.Vars(a.Params) {
		if err == nil {
			err = m.Set(v.Name, v.Value)
		}
	}
	if err != nil {
		return Ending{Outcome: history.Failed, Err: err}
	}
	tries := s.Scenario.MaxTries
	if tries == 0 {
		tries = mostTries
	}
	res := m.Run(ctx, a.Script, &script.Env{DB: conn, Outside: s.outside}, tries)
	return Ending{Outcome: res.Outcome, Tries: res.Tries, Err: res.Err}
}

const mostTries = 10

// Effects are none: what another service does is in its tables.
func (s *Scripted) Effects() []Effect { return nil }

// Reset has nothing to bring back beside the tables.
func (s *Scripted) Reset(context.Context) error { return nil }

// Close ends the connection of the other service.
func (s *Scripted) Close() {
	if s.outside != nil {
		s.outside.Close()
	}
}
