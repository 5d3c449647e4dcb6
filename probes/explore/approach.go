package explore

import (
	"context"
	"time"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// The search for the state in which a script is accepted for the last time: an
// account that is empty, or a coupon that is used up, after more calls than
// these is none that a test would have.
const (
	approachCalls = 1000
	approachTime  = 2 * time.Second
)

// Approach calls an actor alone, again and again, until it is refused, and
// leaves the tables as they were before the last call that was accepted. Two
// calls that both fit prove nothing. When it is never refused the tables are as
// they were.
func Approach(ctx context.Context, o ScriptOptions, actor string, tables []history.Table, maxRows int) (Boundary, error) {
	a := o.Scenario.Actor(actor)
	if o.MaxTries == 0 {
		o.MaxTries = mostTries
	}
	if maxRows == 0 {
		maxRows = defaultMaxRows
	}
	l := &scriptLane{ScriptOptions: o, actor: a}
	cfg := o.Config()
	if o.Isolation != "" {
		cfg.RuntimeParams["default_transaction_isolation"] = string(o.Isolation)
	}
	conn, err := pg.Connect(ctx, hasty(cfg), nil, pg.Prepared)
	if err != nil {
		return Boundary{}, err
	}
	defer conn.Close()
	outside, err := pg.Connect(ctx, hasty(o.Config()), nil, pg.Prepared)
	if err != nil {
		return Boundary{}, err
	}
	defer outside.Close()
	l.env = script.Env{DB: conn, Outside: outside, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	k, err := Keep(ctx, o.Config(), tables, maxRows)
	if err != nil {
		return Boundary{}, err
	}
	defer k.Close()
	call := func(ctx context.Context, lane int) Ending {
		e := l.run(ctx, lane)
		e.Err = nil // an error is an answer like another
		return e
	}
	return FindBoundary(ctx, k, 0, call, approachCalls, approachTime)
}
