package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// lane is one client: one connection, one call after the other. The same seed
// gives it the same calls with the same variables in every run.
type lane struct {
	r       *run
	id      int
	conn    *pg.Conn
	outside *pg.Conn // for what another service does; nil when no script needs it
	replica *pg.Conn // for what is read there; nil without one
	rec     *history.Recorder
	machine *script.Machine
	chooser *script.Chooser
	think   *rand.Rand
	env     script.Env
	params  [][]history.Var // by actor
	calls   int64
	pid     atomic.Uint32 // of the server's backend
	lost    error
	unwatch []func() bool
}

// fewLanes is the number of lanes up to which each waits in the kernel.
const fewLanes = 2

// newLane makes a lane with its connections open.
func (r *run) newLane(ctx context.Context, id int) (*lane, error) {
	l := &lane{r: r, id: id, rec: r.w.Recorder(id)}
	if err := l.connect(ctx); err != nil {
		return nil, err
	}
	if err := l.newMachine(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *lane) newMachine() error {
	r := l.r
	weights := make([]int, len(r.sc.Actors))
	for i, a := range r.sc.Actors {
		weights[i] = a.Weight
		l.params = append(l.params, lab.Vars(a.Params))
	}
	given := map[string]history.Value{}
	for _, v := range lab.Vars(r.Vars) {
		given[v.Name] = v.Value
	}
	_, fixed := given["default_seed"]
	var err error
	if l.chooser, err = script.NewChooser(script.ChooserState(r.Seed, r.Clients, l.id, fixed), weights); err != nil {
		return err
	}
	l.think = rand.New(rand.NewPCG(r.Seed, uint64(l.id)))
	l.machine, err = script.NewMachine(script.Options{
		Client: l.id, Clients: r.Clients, Seed: r.Seed, Scale: r.Scale, Protocol: r.Protocol, Vars: given,
	})
	return err
}

// connect opens the connections and prepares what the scripts will run.
func (l *lane) connect(ctx context.Context) error {
	cfg := l.r.Config()
	cfg.RuntimeParams["default_transaction_isolation"] = string(l.r.Isolation)
	connect := pg.ConnectPolled
	if l.r.Clients <= fewLanes {
		connect = pg.Connect
	}
	conn, err := connect(ctx, cfg, l.rec, l.r.Protocol)
	if err != nil {
		return err
	}
	l.conn = conn
	l.pid.Store(conn.PID())
	l.conn.OnError(l.r.meter.failed)
	l.conn.HoldBegin()
	var own, other, there []*pg.Stmt
	for _, a := range l.r.sc.Actors {
		for _, st := range a.Script.Stmts {
			switch {
			case st.Outside:
				other = append(other, st)
			case st.On != "":
				there = append(there, st)
			default:
				own = append(own, st)
			}
		}
	}
	if err := l.conn.Prepare(own...); err != nil {
		return err
	}
	l.env = script.Env{DB: l.conn, Sleep: l.sleep}
	if l.r.Think.Max > 0 {
		l.env.Think = l.pause
	}
	if len(other) > 0 {
		if l.outside, err = l.beside(ctx, l.r.Config(), other); err != nil {
			return err
		}
		l.env.Outside = l.outside
	}
	if len(there) > 0 && l.r.Replica != nil {
		if l.replica, err = l.beside(ctx, l.r.Replica(), there); err != nil {
			return fmt.Errorf("connecting to the replica: %w", err)
		}
		l.env.Replica = l.replica
	}
	return nil
}

// beside opens another connection of the lane and prepares what will run on it.
func (l *lane) beside(ctx context.Context, cfg *pgconn.Config, stmts []*pg.Stmt) (*pg.Conn, error) {
	conn, err := pg.Connect(ctx, cfg, l.rec, l.r.Protocol)
	if err != nil {
		return nil, err
	}
	conn.OnError(l.r.meter.failed)
	return conn, conn.Prepare(stmts...)
}

// conns are all connections of the lane.
func (l *lane) conns() []*pg.Conn { return []*pg.Conn{l.conn, l.outside, l.replica} }

func (l *lane) watch(ctx context.Context) {
	for _, c := range l.conns() {
		if c != nil {
			l.unwatch = append(l.unwatch, c.Watch(ctx))
		}
	}
}

func (l *lane) close() {
	for _, stop := range l.unwatch {
		stop()
	}
	for _, c := range l.conns() {
		if c != nil {
			c.Close()
		}
	}
}

// loop makes calls until the run ends.
func (l *lane) loop(ctx context.Context) {
	defer l.finish()
	for !l.r.stopped.Load() && (l.r.Transactions == 0 || l.calls < l.r.Transactions) {
		due, ok := l.due(ctx)
		if !ok {
			return
		}
		if !l.call(ctx, l.chooser.Next(), due) && !l.reconnect(ctx) {
			return
		}
	}
}

// finish writes what was recorded. When the run has failed the lane may be in
// the middle of a transaction, and others wait for its locks.
func (l *lane) finish() {
	if err := l.rec.Flush(); err != nil {
		l.r.fail(err)
	}
	select {
	case <-l.r.failing:
		l.close()
	default:
	}
}

// due waits for the time of the next call. In a closed loop that is now. In an
// open loop the times are fixed when the run begins, whatever the server does.
func (l *lane) due(ctx context.Context) (time.Time, bool) {
	if l.r.Rate <= 0 {
		return time.Now(), true
	}
	n := l.r.arrivals.Add(1) - 1
	due := l.r.begun.Add(time.Duration(float64(n) / l.r.Rate * float64(time.Second)))
	if l.r.Duration > 0 && due.Sub(l.r.begun) > l.r.Duration {
		return due, false
	}
	return due, l.sleep(ctx, time.Until(due)) == nil && !l.r.stopped.Load()
}

// call makes one call of an actor, and reports whether the connection lives.
func (l *lane) call(ctx context.Context, actor int, due time.Time) bool {
	a := &l.r.sc.Actors[actor]
	for _, v := range l.params[actor] {
		if err := l.machine.Set(v.Name, v.Value); err != nil {
			l.r.fail(err)
			return true
		}
	}
	l.rec.BeginCall(a.Name)
	res := l.machine.Run(ctx, a.Script, &l.env, l.r.MaxTries)
	if ctx.Err() != nil && res.Outcome == history.Failed && (!lab.IsServer(res.Err) || l.goesOn(a, res)) {
		res.Outcome = history.Unknown // we cut it off; the application did not fail
	}
	if res.Outcome == history.Failed && l.limited(a, res) {
		res.Outcome = history.Unknown
		l.r.cutShort("limits of ccheck's own (lock_timeout, statement_timeout) ended calls that an application would have waited for; use fewer clients, or a throw-away server, which has none so tight")
	}
	effects, err := l.effects(a, res)
	l.rec.EndCall(res.Outcome, res.Tries, effects, res.Err)
	l.r.meter.ended(actor, res.Outcome, res.Tries, time.Since(due))
	l.calls++
	if full := l.r.w.Err(); full != nil {
		err = full // a run that is not recorded proves nothing
	}
	switch {
	case err != nil:
		l.r.fail(err)
	case res.Err == nil:
	case lab.IsLost(res.Err):
		l.lost = res.Err
		return false
	case ctx.Err() == nil && isMistake(res.Err) && l.r.meter.hopeless(actor):
		e := &SetupError{What: "no call of actor " + a.Name + " gets through", Err: res.Err}
		if lab.IsServer(res.Err) {
			e.Where = scenario.Position{File: a.Script.File, Line: res.Line} // the machine names the place of its own errors
		}
		l.r.fail(e)
	}
	return true
}

// goesOn reports whether the application would have started over.
func (l *lane) goesOn(a *scenario.Actor, res script.Result) bool {
	return slices.Contains(a.Script.Retry, res.SQLState) && res.Tries < l.r.MaxTries
}

// limited reports whether the call was ended by a limit that only ccheck's
// sessions have. Not where the script speaks to another service: there a call
// may wait for itself, which no deadlock detector sees, and the limit is what
// shows it.
func (l *lane) limited(a *scenario.Actor, res script.Result) bool {
	const lockNotAvailable, queryCanceled = "55P03", "57014"
	return (res.SQLState == lockNotAvailable || res.SQLState == queryCanceled) && l.outside == nil && !lab.OwnLimit(a.Text)
}

// effects evaluates what an accepted call says it did. An unknown outcome may
// have done it, so it is written there too.
func (l *lane) effects(a *scenario.Actor, res script.Result) ([]history.Var, error) {
	if len(a.Effects) == 0 || (res.Outcome != history.Accepted && res.Outcome != history.Unknown) {
		return nil, nil
	}
	vars := make([]history.Var, 0, 2*len(a.Effects))
	for _, e := range a.Effects {
		for _, x := range []struct {
			text string
			expr *script.Expr
		}{{e.AtText, e.At}, {e.AddText, e.Add}} {
			v, err := l.machine.Eval(x.expr)
			if err != nil && res.Outcome == history.Accepted {
				return nil, &SetupError{Where: e.Where, What: "effect of actor " + a.Name, Err: fmt.Errorf("%s: %w", x.text, err)}
			}
			if err == nil {
				vars = append(vars, history.Var{Name: x.text, Value: v})
			}
		}
	}
	return vars, nil
}

// reconnect gives a lane whose connection was lost one new one.
func (l *lane) reconnect(ctx context.Context) bool {
	if ctx.Err() != nil || l.r.stopped.Load() {
		return false
	}
	l.close()
	l.unwatch, l.outside, l.replica = nil, nil, nil
	again, cancel := context.WithTimeout(ctx, drain)
	defer cancel()
	if err := l.connect(again); err != nil {
		return false
	}
	l.lost = nil
	l.watch(ctx)
	return true
}

// sleep writes what was recorded, then waits.
func (l *lane) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	if err := l.rec.Flush(); err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause is the time an application takes between two statements.
func (l *lane) pause(ctx context.Context) error {
	d := l.r.Think.Min
	if spread := l.r.Think.Max - d; spread > 0 {
		d += time.Duration(l.think.Int64N(int64(spread)))
	}
	return l.sleep(ctx, d)
}
