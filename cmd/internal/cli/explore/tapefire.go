package explore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/pairing"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/record"
	"github.com/ccheck/ccheck/probes/stress/volley"
	"github.com/ccheck/ccheck/probes/wire"
)

// What a pair is worth whose statements nobody sees. One request beside itself has
// one serial order whatever the number of clients; two in two clients each have six.
const (
	apartRounds = 30
	sameClients = 6
	eachClients = 2
)

// fireTape sends the pairs of a tape at one moment, to an application whose
// statements do not come through the proxy. Answers that no serial order gives are
// a race; that there were none proves nothing.
func (s *session) fireTape(ctx context.Context, sink report.Sink) error {
	pairs := s.o.pairsOfTape()
	p, err := s.database(ctx)
	if err != nil {
		return err
	}
	opts, err := s.o.App.Options(s.o.Streams, p)
	if err != nil {
		return err
	}
	y := &player{session: s, play: record.NewPlayer(s.o.tape, s.o.App.base, s.o.App.secrets)}
	gate := new(*volley.Gate)
	opts.Gate = func(w *explore.Wire) wire.Gate {
		*gate = volley.NewGate(w)
		return *gate
	}
	opts.MaxRows = s.o.MaxRows
	if y.svc, err = service.Open(ctx, opts); err != nil {
		return s.explainApp(err)
	}
	defer y.svc.Close()
	y.report.fired = true
	cells := y.cells(pairs)
	s.table = newTable(cells)
	if err := sink.Begin(s.head(cells)); err != nil {
		return err
	}
	if err := y.each(ctx, pairs, func(p pairing.Pair, c *cell) error { return y.fire(ctx, *gate, p, c) }, cells); err != nil {
		return err
	}
	y.unfit()
	return y.end(sink, cells)
}

// fire sends one pair. What goes wrong with it is told, and the others go on.
func (y *player) fire(ctx context.Context, gate *volley.Gate, p pairing.Pair, c *cell) error {
	y.o.Streams.Sayf("%s beside %s", p.First, p.Second)
	found := len(y.findings)
	d, err := y.volley(ctx, gate, p, c)
	if err == nil {
		err = y.take(d)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case err != nil:
		y.skip(p, y.reason(err))
	case len(y.findings) > found:
		y.report.add(p, "RACE", y.findings[found].Message, true)
	default:
		y.report.unjudged(p, strings.Join(d.verdict.Reasons, "; "))
	}
	return nil
}

// volley makes the rounds of a pair and judges them.
func (y *player) volley(ctx context.Context, gate *volley.Gate, p pairing.Pair, c *cell) (*done, error) {
	if err := y.lay(ctx, p); err != nil {
		return nil, err
	}
	if err := y.svc.Learn(ctx); err != nil {
		return nil, err
	}
	run := place.NewRun()
	path, err := verdict.Path(y.o.Streams, "", run.ID)
	if err != nil {
		return nil, err
	}
	res, err := volley.Run(context.WithoutCancel(ctx), volley.Options{
		Service: y.svc, Gate: gate, Header: y.appHeader(run.ID), Path: path, Stop: ctx.Done(),
		Teams: [][]string{crowdOf(p)}, Rounds: apartRounds, Seed: y.o.Seed.Pick(), MaxRows: y.o.MaxRows,
	})
	if err != nil {
		return nil, err
	}
	d := &done{cell: c, path: path, counts: explore.Counts{Schedules: int(res.Rounds)}}
	if err := d.judge(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	for i := range d.verdict.Findings {
		d.verdict.Findings[i].Repro.Command = y.o.App.command(p.Names(), "")
	}
	return d, nil
}

// crowdOf are the clients of a pair.
func crowdOf(p pairing.Pair) []string {
	if p.A == p.B {
		return slices.Repeat([]string{p.A.Name}, sameClients)
	}
	return slices.Repeat(p.Names(), eachClients)
}

// lay has the service bring back the state of a pair before each round: the reset
// command, and what the tape has before the two. What they refer to, such as the
// number of a cart, is another one each time.
func (y *player) lay(ctx context.Context, p pairing.Pair) error {
	before := y.play.Before(min(p.First.N, p.Second.N))
	if p.First.N != p.Second.N {
		before = y.play.Before(max(p.First.N, p.Second.N), min(p.First.N, p.Second.N))
	}
	y.svc.Actors, y.svc.Learnt, y.svc.Lead = nil, nil, func(ctx context.Context) error {
		if err := y.lead(ctx, before); err != nil {
			return err
		}
		return y.renew(p)
	}
	return y.svc.Between(ctx)
}

// renew puts what was answered this time into the requests of the pair.
func (y *player) renew(p pairing.Pair) error {
	fresh, err := y.actors(p)
	if err != nil || len(y.svc.Actors) == 0 {
		y.svc.Actors = fresh
		return err
	}
	for i, a := range fresh {
		*y.svc.Actors[i] = web.Actor{Name: a.Name, Requests: a.Requests}
	}
	return nil
}

// end tells what became of the pairs.
func (y *player) end(sink report.Sink, cells []*cell) error {
	if err := y.tell(sink, true); err != nil {
		return err
	}
	sum := y.summary(cells)
	sum.Tables = []report.Table{y.report.Table()}
	return sink.End(sum)
}
