package explore

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
)

// stage changes the rows of the setup before they are explored from.
type stage func(context.Context, *place.Sandbox, []history.Table) (map[string]int64, error)

// decides finds scripts that may refuse a call.
var decides = regexp.MustCompile(`(?m)^\s*(--\s*@(decide|refuse)\b|\\if\b)`)

// refuses finds scripts that say so.
var refuses = regexp.MustCompile(`(?m)^\s*--\s*@(decide|refuse)\b`)

// fits reports whether everything went well although a lane may refuse and none
// ever did: both calls fitted, which proves nothing.
func (d *done) fits() bool {
	if d.verdict.Verdict != report.Clean || d.counts.Refused > 0 || d.reads() {
		return false
	}
	return d.decider() != ""
}

// decider is the first actor of the cell that may refuse a call.
func (d *done) decider() string {
	for _, name := range d.actors {
		if decides.MatchString(d.sc.Actor(name).Text) {
			return name
		}
	}
	return ""
}

// nearer explores the cell once more, from the state in which the call is
// accepted for the last time. Where there is no such state, what was found from
// the rows of the setup stands.
func (s *session) nearer(ctx context.Context, p *place.Place, near *done, progress func(explore.Counts)) (*done, error) {
	var b explore.Boundary
	actor := near.decider()
	fresh, err := s.o.again(near.cell)
	if err != nil {
		return nil, err
	}
	d, err := s.explore(ctx, p, fresh, func(ctx context.Context, box *place.Sandbox, tables []history.Table) (accepted map[string]int64, err error) {
		b, err = explore.Approach(ctx, explore.ScriptOptions{
			Scenario: fresh.sc, Config: box.Config, Isolation: fresh.level, Seed: s.o.Seed.Pick(), MaxTries: s.o.MaxTries,
		}, actor, tables, s.o.MaxRows)
		return map[string]int64{actor: int64(b.Calls)}, err
	}, progress)
	switch {
	case err != nil:
		return nil, err
	case !b.Found || b.Calls == 0:
		_ = os.Remove(d.path)
		if refuses.MatchString(near.sc.Actor(actor).Text) && b.Calls > 0 {
			near.from = fmt.Sprintf("%s beside each other: %s of %s in a row were accepted and none refused, so that both have enough; what happens when there is just enough for one was not tried: let the setup leave less",
				strings.Join(near.actors, " and "), count(b.Calls, "call"), actor)
		}
		return near, nil
	}
	_ = os.Remove(near.path)
	d.cell, d.from = near.cell, fmt.Sprintf("%s beside each other were explored after %s of %s: one more is accepted, and the next is refused",
		strings.Join(near.actors, " and "), count(b.Calls, "call"), actor)
	return d, nil
}

// again reads the version once more: a statement has its number in one history
// only.
func (o *Options) again(c *cell) (*cell, error) {
	if c.fix != nil {
		sc, _, err := o.fixed(c, c.fix)
		return &cell{sc: sc, actors: c.actors, level: c.level, schedule: c.schedule, fix: c.fix}, err
	}
	sc, err := o.reopen(c.sc.Version)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario again: %w", err)
	}
	return &cell{sc: sc, actors: c.actors, level: c.level, schedule: c.schedule}, nil
}
