package stress

import (
	"context"
	"errors"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/target"
)

// session is where the runs of one command are made.
type session struct {
	o       *Options
	place   *place.Place
	replica *target.Target // for statements after "-- @on replica"; nil for none
}

// connect finds the server, starting one when none was named, and asks the
// rails. A server of its own keeps its data on disk: a long run makes much of
// it.
func connect(ctx context.Context, o *Options, lanes int) (*session, error) {
	p, err := o.Place.Find(ctx, o.Streams, lanes, postgres.Options{})
	if err != nil {
		return nil, err
	}
	if p.Server != nil {
		// The default second makes a run of deadlocks a run of waiting.
		p.Limits.Params = map[string]string{"deadlock_timeout": "200ms"}
	}
	if err := o.Place.Admit(ctx, p); err != nil {
		p.Close(ctx)
		return nil, err
	}
	return &session{o: o, place: p}, nil
}

// connections is what a run of the scenario with so many lanes opens: one for
// each lane, one more where a script speaks to another service, and those of
// the checker, the sampler, the guard, the set-up and one to spare.
func connections(sc *scenario.Scenario, clients int) int {
	n := clients
	for _, a := range sc.Actors {
		for _, st := range a.Script.Stmts {
			if st.Outside {
				return 2*clients + beside
			}
		}
	}
	return n + beside
}

const beside = 5

// lanes is the number of clients of a run. A number that the user typed is
// kept to or refused; the scenario's own gives way to the server's.
func (s *session) lanes(sc *scenario.Scenario) (int, error) {
	clients := s.o.wanted(sc)
	_, err := s.place.Facts.ConnectionCap(connections(sc, clients), s.o.Place.MaxConnections)
	if err == nil {
		return clients, nil
	}
	fits := clients
	for ; fits > 2; fits-- {
		if _, fit := s.place.Facts.ConnectionCap(connections(sc, fits), s.o.Place.MaxConnections); fit == nil {
			break
		}
	}
	if s.o.ClientsGiven || len(sc.Load.Lanes) > 0 || fits <= 2 {
		return 0, fewer(err, fits)
	}
	s.o.Streams.Warnf("%d clients instead of the scenario's %d: %v", fits, clients, err)
	return fits, nil
}

// fewer puts the number of clients that fit into the hint of the rail, which
// knows connections alone.
func fewer(err error, fits int) error {
	var rail *target.Error
	if !errors.As(err, &rail) {
		return err
	}
	_, rest, _ := strings.Cut(rail.Hint, ", or ")
	if fits <= 2 {
		return exit.Refusedf("%w", err).WithHint("close connections of others, or %s: ccheck needs some beside those of two lanes", rest)
	}
	return exit.Refusedf("%w", err).WithHint("use at most %d clients (each is a connection, and ccheck needs some beside them), or %s", fits, rest)
}

// wanted is the number of clients that is asked for.
func (o *Options) wanted(sc *scenario.Scenario) int {
	n := 0
	for _, l := range sc.Load.Lanes {
		n += l.Count
	}
	switch {
	case n > 0:
		return n
	case o.Clients > 0:
		return o.Clients
	case sc.Load.Clients > 0:
		return sc.Load.Clients
	}
	return 8
}
