package scenario_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

var levels = []scenario.Isolation{scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable}

var schemas atomic.Int64

// stage is a scenario set up in a schema of its own on a real server.
type stage struct {
	t      *testing.T
	s      *scenario.Scenario
	config *pgconn.Config
	admin  *pg.Conn
	conns  [][2]*pg.Conn // of each lane, the main one and the one outside
	counts map[string]*scenario.Count
}

// newStage makes the schema in the database of config and runs the setup.
func newStage(t *testing.T, config *pgconn.Config, s *scenario.Scenario, level scenario.Isolation) *stage {
	t.Helper()
	if s.Isolation != "" {
		level = s.Isolation
	}
	schema := fmt.Sprintf("stage_%d", schemas.Add(1))
	config = config.Copy()
	config.RuntimeParams["search_path"] = schema
	config.RuntimeParams["default_transaction_isolation"] = string(level)
	config.RuntimeParams["deadlock_timeout"] = "50ms"
	st := &stage{t: t, s: s, config: config, counts: map[string]*scenario.Count{}}
	st.admin = st.connect()
	st.ask("CREATE SCHEMA " + schema)
	t.Cleanup(func() { st.ask("DROP SCHEMA " + schema + " CASCADE") })
	for _, src := range s.Setup {
		st.ask(st.sql(src))
	}
	return st
}

func (st *stage) connect() *pg.Conn {
	st.t.Helper()
	c, err := pg.Connect(context.Background(), st.config, nil, pg.Extended)
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(c.Close)
	return c
}

func (st *stage) ask(sql string) *pg.Result {
	st.t.Helper()
	r, err := st.admin.Ask(sql)
	if err != nil {
		st.t.Fatalf("%v in\n%s", err, sql)
	}
	return r
}

func (st *stage) sql(src scenario.Source, more ...[]scenario.Param) string {
	st.t.Helper()
	sql, err := scenario.SQL(src.Text, append([][]scenario.Param{st.s.Params}, more...)...)
	if err != nil {
		st.t.Fatalf("%s: %v", src.Where, err)
	}
	return sql
}

// machine is a lane that runs the actor.
func (st *stage) machine(a *scenario.Actor, client int) *script.Machine {
	st.t.Helper()
	vars := map[string]history.Value{}
	for _, p := range a.Params {
		vars[p.Name] = history.Text(p.Value)
	}
	m, err := script.NewMachine(script.Options{Client: client, Seed: 7, Protocol: pg.Extended, Vars: vars})
	if err != nil {
		st.t.Fatal(err)
	}
	return m
}

// pair returns the connections of a lane.
func (st *stage) pair(lane int) [2]*pg.Conn {
	for len(st.conns) <= lane {
		st.conns = append(st.conns, [2]*pg.Conn{st.connect(), st.connect()})
	}
	return st.conns[lane]
}

// call makes one call of the actor and checks that it ended as a caller should
// see it.
func (st *stage) call(a *scenario.Actor, client int) {
	st.t.Helper()
	m, conns := st.machine(a, client), st.pair(0)
	env := &script.Env{DB: conns[0], Outside: conns[1]}
	res := m.Run(context.Background(), a.Script, env, max(st.s.MaxTries, 1))
	st.count(a.Name, res.Outcome)
	if res.Outcome != history.Accepted && res.Outcome != history.Refused {
		st.t.Fatalf("%s ended %s: %v", a.Name, res.Outcome, res.Err)
	}
}

func (st *stage) count(actor string, o history.Outcome) {
	c := st.counts[actor]
	if c == nil {
		c = &scenario.Count{Actor: actor}
		st.counts[actor] = c
	}
	switch o {
	case history.Accepted:
		c.OK++
	case history.Refused:
		c.Refused++
	case history.Failed:
		c.Failed++
	default:
		c.Unknown++
	}
}

// violations are the rows that the invariants return.
func (st *stage) violations() []string {
	st.t.Helper()
	var counts []scenario.Count
	for _, c := range st.counts {
		counts = append(counts, *c)
	}
	var found []string
	for _, v := range st.s.Invariants {
		r := st.ask(st.sql(v.SQL, st.s.Counters(counts)))
		for _, row := range r.Rows {
			words := []string{v.Name + ":"}
			for i, value := range row {
				words = append(words, r.Columns[i]+"="+value.String())
			}
			found = append(found, strings.Join(words, " "))
		}
	}
	return found
}

// versions are the scenario and all its variants.
func versions(t *testing.T, s *scenario.Scenario) []*scenario.Scenario {
	t.Helper()
	all := []*scenario.Scenario{s}
	for _, name := range s.Variants() {
		v, err := s.Variant(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// gate is a connection that waits before each statement until it is let
// through. BEGIN and ROLLBACK decide nothing and pass.
type gate struct {
	*pg.Conn
	lane *lane
}

// Exec is part of script.DB.
func (g gate) Exec(ctx context.Context, s *pg.Stmt, args []history.Value) (*pg.Result, error) {
	if s.SQL != "ROLLBACK" && s.SQL != "BEGIN" {
		g.lane.event <- false
		<-g.lane.pass
	}
	return g.Conn.Exec(ctx, s, args)
}

// lane is an actor whose statements are let through one at a time.
type lane struct {
	actor *scenario.Actor
	conns [2]*pg.Conn
	event chan bool // false: before a statement; true: at the end
	pass  chan struct{}
	state byte // g at the gate, r running, d done
	kept  int  // letters of the schedule for when a lock is granted
	end   history.Outcome
}

// play runs the lanes so that each letter of the schedule (a for the first of
// them) lets that lane do its next statement, and afterwards lets them run to
// their ends.
func (st *stage) play(lanes []*lane, schedule string) {
	st.t.Helper()
	st.settle(lanes)
	for _, letter := range schedule {
		lanes[letter-'a'].kept++
		st.advance(lanes)
	}
	for {
		l := firstAt(lanes, 'g')
		if l == nil && firstAt(lanes, 'r') == nil {
			break
		}
		if l != nil {
			l.kept = 1
		}
		st.advance(lanes)
	}
	for _, l := range lanes {
		st.count(l.actor.Name, l.end)
	}
}

func firstAt(lanes []*lane, state byte) *lane {
	for _, l := range lanes {
		if l.state == state {
			return l
		}
	}
	return nil
}

// lane begins a call of the actor; it stops before its first statement.
func (st *stage) lane(a *scenario.Actor, number, client int) *lane {
	l := &lane{actor: a, conns: st.pair(number), event: make(chan bool), pass: make(chan struct{}), state: 'r'}
	m, tries := st.machine(a, client), max(st.s.MaxTries, 1)
	env := &script.Env{DB: gate{l.conns[0], l}, Outside: gate{l.conns[1], l}}
	go func() {
		l.end = m.Run(context.Background(), a.Script, env, tries).Outcome
		l.event <- true
	}()
	return l
}

// advance lets through what the kept letters ask for.
func (st *stage) advance(lanes []*lane) {
	for {
		st.settle(lanes)
		moved := false
		for _, l := range lanes {
			if l.kept > 0 && l.state == 'g' {
				l.kept--
				l.state = 'r'
				l.pass <- struct{}{}
				moved = true
				break
			}
		}
		if !moved {
			return
		}
	}
}

// settle waits until every lane is before a statement, at its end, or waiting
// for a lock of another.
func (st *stage) settle(lanes []*lane) {
	for _, l := range lanes {
		for l.state == 'r' {
			select {
			case done := <-l.event:
				l.state = 'g'
				if done {
					l.state = 'd'
				}
			case <-time.After(time.Millisecond):
				if st.waits(l) {
					goto next
				}
			}
		}
	next:
	}
}

func (st *stage) waits(l *lane) bool {
	r := st.ask(fmt.Sprintf("SELECT cardinality(pg_blocking_pids(%d)) + cardinality(pg_blocking_pids(%d)) > 0", l.conns[0].PID(), l.conns[1].PID()))
	return r.Rows[0][0].Text == "t"
}
