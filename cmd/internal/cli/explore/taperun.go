package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/analyzers/rivals"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/pairing"
	"github.com/ccheck/ccheck/probes/actor/web"
	"github.com/ccheck/ccheck/probes/explore/service"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/record"
	"github.com/ccheck/ccheck/probes/record/tape"
	"github.com/ccheck/ccheck/probes/scenario"
)

// player explores the pairs of a tape.
type player struct {
	*session
	svc    *service.Service
	play   *record.Player
	reader *rivals.Reader
	report pairTable
}

// playTape explores the pairs of a tape, each from the state that its requests
// were sent in.
func (s *session) playTape(ctx context.Context, sink report.Sink) error {
	pairs := s.o.pairsOfTape()
	p, err := s.database(ctx)
	if err != nil {
		return err
	}
	svc, err := s.open(ctx, p)
	if err != nil {
		return s.explainApp(err)
	}
	defer svc.Close()
	s.origin = "the rows as on the tape"
	y := &player{session: s, svc: svc, play: record.NewPlayer(s.o.tape, s.o.App.base, s.o.App.secrets), reader: rivals.NewReader()}
	cells := y.cells(pairs)
	s.table = newTable(cells)
	if err := sink.Begin(s.head(cells)); err != nil {
		return err
	}
	if err := y.each(ctx, pairs, func(p pairing.Pair, c *cell) error { return y.pair(ctx, p, c, sink) }, cells); err != nil {
		return err
	}
	y.unfit()
	if err := s.tell(sink, true); err != nil {
		return err
	}
	sum := s.summary(cells)
	sum.Tables = append([]report.Table{y.report.Table()}, sum.Tables...)
	return sink.End(sum)
}

// cells are the pairs as explore knows them.
func (y *player) cells(pairs []pairing.Pair) []*cell {
	var cells []*cell
	for _, p := range pairs {
		sc := &scenario.Scenario{Name: y.o.App.Title(), Title: appTitle}
		cells = append(cells, &cell{sc: sc, actors: p.Names(), level: scenario.ReadCommitted})
	}
	return cells
}

// each runs the pairs, and notes what was left.
func (y *player) each(ctx context.Context, pairs []pairing.Pair, run func(pairing.Pair, *cell) error, cells []*cell) error {
	n := 0
	for i, p := range pairs {
		switch {
		case p.Risk == rivals.None && len(y.o.laneNames()) == 0:
			y.report.none++ // most are
		case ctx.Err() != nil:
			y.skip(p, "ended on request")
		case n >= y.o.App.Pairs:
			y.skip(p, fmt.Sprintf("it is beyond the first %d; --pairs takes more", y.o.App.Pairs))
		default:
			n++
			if err := run(p, cells[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// skip notes a pair that has no verdict.
func (y *player) skip(p pairing.Pair, why string) {
	y.report.unjudged(p, why)
	y.reasons = append(y.reasons, fmt.Sprintf("%s beside %s: %s", p.First, p.Second, why))
	y.worst = report.Worse(y.worst, report.Unknown)
}

// pair explores one. What goes wrong with it is told, and the others go on.
func (y *player) pair(ctx context.Context, p pairing.Pair, c *cell, sink report.Sink) error {
	y.o.Streams.Sayf("%s beside %s, risk %s: %s", p.First, p.Second, p.Risk, p.Why)
	err := y.stage(ctx, p)
	if err == nil && y.apart(p) {
		y.report.apart(p, "seen alone, nothing that one writes is touched by the other")
		return nil
	}
	y.latest = nil
	found := len(y.findings)
	if err == nil {
		y.alone(y.svc)
		err = y.crowds(ctx, y.svc)
	}
	if err == nil {
		err = y.teamsOf(ctx, y.svc, []*cell{c}, sink)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case err != nil:
		y.skip(p, y.reason(err))
	default:
		y.report.judged(p, y.latest, y.findings[found:])
	}
	return nil
}

// reason is an error as one cell of a table.
func (y *player) reason(err error) string {
	text, _, _ := strings.Cut(y.explainApp(err).Error(), "\n")
	return text
}

// stage brings the application to a state in which both requests are accepted
// alone, and learns what they do: before the first of them, before the second
// as if the first had not been, and before the second.
func (y *player) stage(ctx context.Context, p pairing.Pair) error {
	early, late := min(p.First.N, p.Second.N), max(p.First.N, p.Second.N)
	ways := []func() []*tape.Request{
		func() []*tape.Request { return y.play.Before(early) },
		func() []*tape.Request { return y.play.Before(late, early) },
		func() []*tape.Request { return y.play.Before(late) },
	}
	if early == late {
		ways = ways[:1]
	}
	var first error
	for _, way := range ways {
		err := y.svc.Stage(ctx, func(ctx context.Context) ([]*web.Actor, error) {
			if err := y.lead(ctx, way()); err != nil {
				return nil, err
			}
			return y.actors(p)
		})
		var missing *tape.MissingError
		if !errors.As(err, new(*service.AloneError)) && !errors.As(err, &missing) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// lead sends the requests that lead to a state. One that cannot be sent again,
// or is answered otherwise, is told: the state is another one then.
func (y *player) lead(ctx context.Context, requests []*tape.Request) error {
	y.play.Rewind()
	for _, r := range requests {
		a, err := y.actor("lead", r)
		if err != nil {
			y.note(fmt.Sprintf("%s, request %d of the tape, was left out: %v%s", r, r.N, err, secretHint(r)))
			continue
		}
		answer, err := y.svc.Send(ctx, a)
		if err != nil {
			return err
		}
		y.play.Answered(r.N, answer)
		var classes web.Classes
		if classes.Of(answer.Status) != classes.Of(max(r.Status, 100)) {
			y.note(fmt.Sprintf("%s, request %d of the tape, was answered %d, and %d when it was played again", r, r.N, r.Status, answer.Status))
		}
	}
	return nil
}

// note keeps what a person should know, once.
func (y *player) note(text string) {
	if !slices.Contains(y.notes, text) {
		y.notes = append(y.notes, text)
	}
}

// secretHint says how to give what a request needs.
func secretHint(r *tape.Request) string {
	names := pairing.Secrets(r)
	if len(names) == 0 {
		return ""
	}
	return "; give it with --secret " + strings.Join(names, "=…, --secret ") + "=…"
}

func (y *player) actor(name string, r *tape.Request) (*web.Actor, error) {
	req, err := y.play.Request(r)
	return &web.Actor{Name: name, Requests: []*web.Request{req}}, err
}

// actors are the requests of the pair, ready to be sent.
func (y *player) actors(p pairing.Pair) ([]*web.Actor, error) {
	var list []*web.Actor
	for i, r := range []*tape.Request{p.First, p.Second} {
		if i == 1 && p.A == p.B {
			break
		}
		a, err := y.actor(p.Names()[i], r)
		if err != nil {
			return nil, exit.Failedf("%s: %w%s", r, err, secretHint(r))
		}
		list = append(list, a)
	}
	return list, nil
}

// apart reports whether the requests, as they were seen alone, have nothing to
// get wrong: the tape may have named too much.
func (y *player) apart(p pairing.Pair) bool {
	var calls []rivals.Call
	for _, name := range p.Names() {
		var c rivals.Call
		for _, t := range y.svc.Learned(name).Alone.Sent {
			st := rivals.Statement{SQL: t.SQL}
			// Their values were not kept; NULL is one that is not known.
			st.Args = []history.Value{}
			c.Statements = append(c.Statements, st)
		}
		calls = append(calls, c)
	}
	return y.reader.Compare(&calls[0], &calls[1]).Risk == rivals.None
}

// unfit tells the kinds of request that no pair has.
func (y *player) unfit() {
	for _, k := range pairing.Kinds(y.o.tape) {
		if k.Why != "" && !k.Reads {
			y.note(fmt.Sprintf("%s was not run: %s", k.Route, k.Why))
		}
	}
}
