package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// ScriptOptions are the settings of lanes that run a scenario's scripts.
type ScriptOptions struct {
	Scenario  *scenario.Scenario
	Config    func() *pgconn.Config
	Replica   func() *pgconn.Config // for statements after "-- @on replica"; nil without one
	Isolation scenario.Isolation    // "" leaves the server's
	Seed      uint64
	MaxTries  int // default: the scenario's, at most 10
	Vars      []scenario.Param
}

// mostTries bounds how often a lane starts over: each try needs another lane
// to have moved on, so more tries than steps of the others say nothing new.
const mostTries = 10

// Names gives each actor of the list a name of its own: the second transfer is
// transfer#2.
func Names(actors []string) []string {
	names := make([]string, len(actors))
	count := map[string]int{}
	for i, a := range actors {
		count[a]++
		if names[i] = a; count[a] > 1 {
			names[i] = fmt.Sprintf("%s#%d", a, count[a])
		}
	}
	return names
}

// ScriptLanes makes a lane for each actor that is named, and lists the
// statements that they may run. Lanes draw the same random numbers: two calls
// that pick the same account are those that can collide.
func ScriptLanes(o ScriptOptions, actors []string) ([]Lane, []*history.Stmt, error) {
	if o.MaxTries == 0 {
		if o.MaxTries = o.Scenario.MaxTries; o.MaxTries == 0 || o.MaxTries > mostTries {
			o.MaxTries = mostTries
		}
	}
	var lanes []Lane
	var stmts []*history.Stmt
	for i, name := range Names(actors) {
		a := o.Scenario.Actor(actors[i])
		if a == nil {
			return nil, nil, fmt.Errorf("scenario %s has no actor %q; its actors are %s", o.Scenario.FullName(), actors[i], actorNames(o.Scenario))
		}
		l := &scriptLane{ScriptOptions: o, actor: a, parts: newParts(a.Name, a.Path)}
		for _, st := range l.parts.all() {
			stmts = append(stmts, &st.Stmt)
		}
		lanes = append(lanes, Lane{Name: name, Actor: a.Name, Open: l.open, Call: l.call})
		for _, st := range a.Script.Stmts {
			st.Actor, st.File = a.Name, a.Path
			if !slices.Contains(stmts, &st.Stmt) {
				stmts = append(stmts, &st.Stmt)
			}
		}
	}
	return lanes, stmts, nil
}

func actorNames(sc *scenario.Scenario) string {
	var names []string
	for _, a := range sc.Actors {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// scriptLane runs a pgbench script.
type scriptLane struct {
	ScriptOptions
	actor *scenario.Actor
	env   script.Env
	parts parts
}

func (l *scriptLane) open(ctx context.Context, s *Seat) error {
	cfg := l.Config()
	if l.Isolation != "" {
		cfg.RuntimeParams["default_transaction_isolation"] = string(l.Isolation)
	}
	main, err := s.Connect(ctx, cfg)
	if err != nil {
		return err
	}
	// Time does not pass: the scheduler says what comes first.
	l.env = script.Env{DB: main, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	var own, other, there []*pg.Stmt
	for _, st := range l.actor.Script.Stmts {
		switch {
		case st.On != "" && l.Replica == nil:
			return fmt.Errorf("%s:%d: -- @on replica: there is no replica in this exploration", st.File, st.Line)
		case st.On != "":
			there = append(there, st)
		case st.Outside:
			other = append(other, st)
		default:
			own = append(own, st)
		}
	}
	if err := l.prepare(main, own); err != nil {
		return err
	}
	if len(other) > 0 {
		outside, err := s.Connect(ctx, l.Config())
		if err != nil {
			return err
		}
		l.env.Outside = outside
		if err := outside.conn.Prepare(other...); err != nil {
			return err
		}
	}
	if len(there) == 0 {
		return nil
	}
	standby, err := s.ConnectReplica(ctx, l.Replica())
	if err != nil {
		return err
	}
	l.env.Replica = standby
	return standby.conn.Prepare(there...)
}

// prepare prepares the statements of the lane's own session, and what those on
// autocommit are wrapped in.
func (l *scriptLane) prepare(main *Session, own []*pg.Stmt) error {
	made, err := functions(main.conn)
	if err != nil {
		return fmt.Errorf("reading the functions of the scenario: %w", err)
	}
	main.lasts, main.parts = lasting(made), l.parts
	return main.conn.Prepare(append(own, l.parts.all()...)...)
}

func (l *scriptLane) call(ctx context.Context, s *Seat) Ending { return l.run(ctx, s.Lane) }

// run runs the script with a machine of its own, so that no variable of an
// earlier schedule is left.
func (l *scriptLane) run(ctx context.Context, lane int) Ending {
	given := map[string]history.Value{}
	for _, v := range lab.Vars(l.Vars) {
		given[v.Name] = v.Value
	}
	same := script.ChooserState(l.Seed, 1, 0, false)
	m, err := script.NewMachine(script.Options{
		Client: lane, Clients: lane + 1, Seed: l.Seed, Protocol: pg.Prepared, Vars: given, Random: &same,
	})
	for _, v := range lab.Vars(l.actor.Params) {
		if err == nil {
			err = m.Set(v.Name, v.Value)
		}
	}
	if err != nil {
		return Ending{Outcome: history.Failed, Err: err}
	}
	res := m.Run(ctx, l.actor.Script, &l.env, l.MaxTries)
	return Ending{Outcome: res.Outcome, Tries: res.Tries, Vars: l.effects(m, res), Err: res.Err}
}

// effects evaluates what an accepted call says it did, for the ledger.
func (l *scriptLane) effects(m *script.Machine, res script.Result) []history.Var {
	if res.Outcome != history.Accepted && res.Outcome != history.Unknown {
		return nil
	}
	var vars []history.Var
	for _, e := range l.actor.Effects {
		at, err1 := m.Eval(e.At)
		add, err2 := m.Eval(e.Add)
		if err1 == nil && err2 == nil {
			vars = append(vars, history.Var{Name: e.AtText, Value: at}, history.Var{Name: e.AddText, Value: add})
		}
	}
	return vars
}
