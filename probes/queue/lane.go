package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// side is how a lane speaks to the queue.
type side interface {
	// enqueue adds a job and returns its key.
	enqueue(ctx context.Context) (outcome history.Outcome, key string, err error)
	// work claims a job, does it by way of the effector, and marks it done. It is
	// Refused when there was none.
	work(ctx context.Context) (outcome history.Outcome, key string, err error)
	close()
}

// lane is a producer or a worker.
type lane struct {
	d        *driver
	id       int
	produces bool
	rec      *history.Recorder
	effects  *effector
	side     side
}

// idle is the pause of a worker that found no job.
const idle = 5 * time.Millisecond

// stmts are all statements that lanes may run.
func (d *driver) stmts() []*history.Stmt {
	if d.Scenario == nil {
		return []*history.Stmt{webEffect}
	}
	var all []*history.Stmt
	for _, a := range d.Scenario.Actors {
		for _, st := range a.Script.Stmts {
			st.Actor, st.File = a.Name, a.Path
			all = append(all, &st.Stmt)
		}
	}
	return all
}

// open opens all lanes, the producers first.
func (d *driver) open(ctx context.Context) ([]*lane, error) {
	var lanes []*lane
	for id := range d.Producers + d.Workers {
		l := &lane{d: d, id: id, produces: id < d.Producers, rec: d.w.Recorder(id)}
		l.effects = newEffector(l)
		if err := l.connect(ctx); err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

// connect gives the lane a fresh way to the queue, as a worker has that was
// started again.
func (l *lane) connect(ctx context.Context) (err error) {
	if l.side != nil {
		l.side.close()
	}
	if l.d.Scenario == nil {
		l.side = newEndpoint(l)
		return nil
	}
	l.side, err = newScripted(ctx, l)
	return err
}

// produce adds the lane's share of the jobs.
func (l *lane) produce(ctx context.Context) {
	defer l.leave()
	for n := l.id; n < l.d.Jobs && !l.d.stopped.Load(); n += l.d.Producers {
		l.await(ctx)
		l.rec.BeginCall(l.d.actors[0].Name)
		outcome, key, err := l.side.enqueue(ctx)
		l.rec.EndCall(outcome, 1, keyed(key), err)
		if outcome == history.Accepted {
			l.d.enqueued.Add(1)
		}
		if !l.settle(err) {
			return
		}
	}
}

// await lets the workers keep up: races are at the head of a queue, and a long
// one hides them. Jobs that are lost must not hold it up for ever.
func (l *lane) await(ctx context.Context) {
	const longest, step = 20, time.Millisecond
	for range longest {
		if l.d.backlog() < l.d.Workers {
			return
		}
		pause(ctx, step)
	}
}

// work does jobs until the queue is drained.
func (l *lane) work(ctx context.Context) {
	defer l.leave()
	for !l.d.stopped.Load() {
		l.rec.BeginCall(l.d.worker())
		outcome, key, err := l.side.work(ctx)
		l.rec.EndCall(outcome, 1, keyed(key), err)
		switch {
		case errors.Is(err, errKilled):
			l.d.killed.Add(1)
			if err := l.connect(ctx); err != nil {
				l.d.fail(fmt.Errorf("starting a worker again: %w", err))
				return
			}
		case !l.settle(err):
			return
		case outcome == history.Refused:
			pause(ctx, idle)
		}
		if err := l.rec.Flush(); err != nil {
			l.d.fail(err)
		}
	}
}

// worker is the name of the actor that works.
func (d *driver) worker() string {
	if d.Scenario == nil {
		return d.actors[1].Name
	}
	_, w := roles(d.Scenario)
	return w.Name
}

// settle ends the run on an error that no other call would be spared.
func (l *lane) settle(err error) bool {
	var server *pg.Error
	if err == nil || errors.As(err, &server) && (server.Code == "40001" || server.Code == "40P01") {
		return true
	}
	l.d.fail(err)
	return false
}

func (l *lane) leave() {
	if err := l.rec.Flush(); err != nil {
		l.d.fail(err)
	}
	l.side.close()
}

func keyed(key string) []history.Var {
	if key == "" {
		return nil
	}
	return []history.Var{{Name: Job, Value: history.Text(key)}}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// scripted is a lane of a scenario.
type scripted struct {
	l       *lane
	conn    *pg.Conn
	machine *script.Machine
	actor   *scenario.Actor
	unwatch func() bool
}

func newScripted(ctx context.Context, l *lane) (*scripted, error) {
	sc := l.d.Scenario
	producer, worker := roles(sc)
	s := &scripted{l: l, actor: worker}
	if l.produces {
		s.actor = producer
	}
	cfg := l.d.Config()
	if sc.Isolation != "" {
		cfg.RuntimeParams["default_transaction_isolation"] = string(sc.Isolation)
	}
	var err error
	if s.conn, err = pg.ConnectPolled(ctx, cfg, l.rec, pg.Prepared); err != nil {
		return nil, err
	}
	s.unwatch = s.conn.Watch(ctx)
	s.machine, err = script.NewMachine(script.Options{
		Client: l.id, Clients: l.d.Producers + l.d.Workers, Seed: l.d.Seed, Protocol: pg.Prepared, Vars: map[string]history.Value{},
	})
	for _, v := range lab.Vars(s.actor.Params) {
		if err == nil {
			err = s.machine.Set(v.Name, v.Value)
		}
	}
	return s, err
}

func (s *scripted) enqueue(ctx context.Context) (history.Outcome, string, error) { return s.run(ctx) }

func (s *scripted) work(ctx context.Context) (history.Outcome, string, error) { return s.run(ctx) }

func (s *scripted) run(ctx context.Context) (history.Outcome, string, error) {
	env := &script.Env{DB: s.conn, Outside: s.l.effects}
	tries := s.l.d.Scenario.MaxTries
	res := s.machine.Run(ctx, s.actor.Script, env, max(tries, 10))
	key := ""
	if v, ok := s.machine.Var(Job); ok && !v.Null && res.Outcome != history.Refused {
		key = v.Text
	}
	return res.Outcome, key, res.Err
}

// close ends the session, as a process does that dies: what it has open is
// rolled back, and what it has committed stays.
func (s *scripted) close() {
	s.unwatch()
	s.conn.Close()
}
