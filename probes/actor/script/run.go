package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// errRefused ends a try because the application says no: "-- @decide" with a false
// condition.
var errRefused = errors.New("refused by -- @decide")

// errRolledBack is what a COMMIT is that the server answers with ROLLBACK.
var errRolledBack = errors.New("COMMIT was answered with ROLLBACK: the transaction had failed")

// lostError is one after which the connection is of no use and the effect of
// what was sent is not known.
type lostError struct{ error }

func (l lostError) Unwrap() error { return l.error }

// Run runs a script as one call of the application. An error that is in
// "-- @retry" starts it over, up to maxTries times in all (0: no limit), with the
// random numbers it had; like pgbench it keeps the variables. Afterwards no
// transaction is open, unless the connection is lost. The outcomes:
//
//	Accepted  the script came to its end
//	Refused   -- @decide said so, or the error is in -- @refuse
//	Failed    any other error, a transaction left open, COMMIT answered with ROLLBACK
//	Unknown   the connection or the context ended and what was sent may have taken effect
func (m *Machine) Run(ctx context.Context, s *Script, env *Env, maxTries int) Result {
	start := m.random
	m.script, m.env = s, env
	for tries := 1; ; tries++ {
		m.random = start
		err := m.try(ctx)
		var undo error
		if err != nil {
			undo = m.giveUp(ctx, err)
		}
		res, again := m.judge(ctx, err)
		res.Tries = tries
		if res.Err != nil {
			res.Line = m.line
		}
		if undo != nil && res.Err != nil {
			res.Err = errors.Join(res.Err, undo)
		}
		if !again || undo != nil || maxTries > 0 && tries >= maxTries {
			return res
		}
	}
}

// try runs the script once from its start.
func (m *Machine) try(ctx context.Context) error {
	m.pc, m.line, m.testing, m.pipeline, m.queued = 0, 0, false, false, m.queued[:0]
	m.refused, m.sent, m.lasting = false, false, false
	for m.pc < len(m.script.commands) {
		c := &m.script.commands[m.pc]
		if err := m.step(ctx, c); err != nil {
			m.line = c.line
			return m.located(c, err)
		}
	}
	return m.atEnd()
}

// atEnd refuses a script that leaves something open, which pgbench aborts for.
func (m *Machine) atEnd() error {
	switch {
	case m.pipeline:
		return fmt.Errorf("%s: end of script reached with pipeline open", m.script.File)
	case m.env.DB.Status() != 'I':
		return fmt.Errorf("%s: end of script reached without completing the last transaction: it was rolled back; end it with COMMIT or ROLLBACK", m.script.File)
	}
	return nil
}

// located says where in the script an error came from, unless the application
// decided or the server answered: those are told by other means.
func (m *Machine) located(c *command, err error) error {
	if errors.Is(err, errRefused) || serverError(err) != nil {
		return err
	}
	return fmt.Errorf("%s:%d: %w", m.script.File, c.line, err)
}

// judge turns the end of a try into an outcome. again says that the application
// starts over.
func (m *Machine) judge(ctx context.Context, err error) (res Result, again bool) {
	switch {
	case err == nil && m.refused, errors.Is(err, errRefused):
		return Result{Outcome: history.Refused}, false
	case err == nil:
		return Result{Outcome: history.Accepted}, false
	case errors.As(err, new(lostError)), ctx.Err() != nil && m.lasting:
		return Result{Outcome: history.Unknown, Err: err}, false
	}
	server := serverError(err)
	switch {
	case server == nil:
		return Result{Outcome: history.Failed, Err: err}, false
	case slices.Contains(m.script.Retry, server.Code):
		again = ctx.Err() == nil
	case slices.Contains(m.script.Refuse, server.Code):
		return Result{Outcome: history.Refused, SQLState: server.Code}, false
	}
	return Result{Outcome: history.Failed, Err: err, SQLState: server.Code}, again
}

// rollbackTime is how long a rollback may take that follows the end of the
// context.
const rollbackTime = 2 * time.Second

// giveUp ends the pipeline and the transaction that an error has left open. A
// connection that is lost is left alone. The error is that the connection was
// lost here: then the server rolls back.
func (m *Machine) giveUp(ctx context.Context, cause error) error {
	if errors.As(cause, new(lostError)) {
		return nil
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
		defer cancel()
	}
	if m.pipeline {
		// What is queued runs when the pipeline ends; the ROLLBACK at its end
		// undoes it, also where there was no BEGIN.
		if _, err := m.env.DB.Exec(ctx, m.script.Rollback, nil); err != nil {
			return fmt.Errorf("ending the pipeline: %w", err)
		}
		m.pipeline = false
		if _, err := m.env.DB.EndPipeline(ctx); err != nil && serverError(err) == nil {
			return fmt.Errorf("ending the pipeline: %w", err)
		}
	}
	if m.env.DB.Status() == 'I' {
		return nil
	}
	return m.rollback(ctx)
}

func (m *Machine) rollback(ctx context.Context) (err error) {
	st := m.script.Rollback
	if m.protocol == pg.Simple {
		_, err = m.env.DB.ExecText(ctx, st, st.SQL, nil)
	} else {
		_, err = m.env.DB.Exec(ctx, st, nil)
	}
	if err != nil {
		return fmt.Errorf("rolling back: %w", err)
	}
	return nil
}

// step runs one command and moves on.
func (m *Machine) step(ctx context.Context, c *command) error {
	next := m.pc + 1
	var err error
	switch c.verb {
	case verbSQL:
		err = m.sql(ctx, c)
	case verbSet:
		err = m.assign(c)
	case verbIf, verbElif, verbElse:
		next, err = m.branch(c)
	case verbDecide:
		err = m.decide(c)
	case verbSleep:
		err = m.sleep(ctx, c)
	case verbShell, verbSetShell:
		err = m.shell(ctx, c)
	case verbStartPipeline, verbSyncPipeline, verbEndPipeline:
		err = m.pipe(ctx, c)
	}
	m.pc = next
	return err
}

func (m *Machine) assign(c *command) error {
	v, err := c.expr.root.eval(m)
	if err != nil {
		return err
	}
	s, err := m.slot(c.name)
	if err == nil {
		s.setValue(v)
	}
	return err
}

// branch returns the index of the command to go on with.
func (m *Machine) branch(c *command) (int, error) {
	entered := m.testing
	m.testing = false
	if c.verb == verbElse || c.verb == verbElif && !entered {
		return c.leave, nil
	}
	v, err := c.expr.root.eval(m)
	if err != nil || v.truth() {
		return m.pc + 1, err
	}
	m.testing = m.script.commands[c.next].verb == verbElif
	return c.next, nil
}

func (m *Machine) decide(c *command) error {
	if c.expr == nil {
		m.refused = true
		return nil
	}
	v, err := c.expr.root.eval(m)
	if err == nil && !v.truth() {
		err = errRefused
	}
	return err
}
