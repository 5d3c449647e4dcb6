package wire

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// send expects answers to the steps of a batch and records its commands; the
// caller forwards it then. It returns the batches that get no answer any more.
func (c *Conn) send(b *batch, end bool) []*batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	owner := b.owner()
	owner.left += len(b.steps)
	switch {
	case b.root == nil && !end:
		owner.left++ // for the part that is to come
	case b.root != nil && end:
		owner.left--
		owner.sync = b.sync
	}
	for _, s := range b.steps {
		c.expect(s)
	}
	c.flush()
	c.reuse(b)
	return c.takeDone()
}

// expect queues a step, or settles it when the server will not answer it.
func (c *Conn) expect(s step) {
	if s.op != nil {
		c.invoke(s.op)
	}
	c.unsynced = !s.ends() && (c.unsynced || s.op != nil)
	switch {
	case s.kind == 'c':
		c.copyIn = false
		c.settle(s)
	case c.copyIn && s.kind == 'S':
		c.settle(s)
	case c.skipping && s.kind != 'S':
		c.drop(s, errSkipped)
	default:
		if s.ends() {
			c.skipping = false
			c.txn.sync()
		}
		c.pending.push(s)
	}
}

// drop settles a step that the server does not carry out. It reports whether
// the error has found its command.
func (c *Conn) drop(s step, err *serverError) bool {
	c.undo([]step{s})
	if s.op != nil {
		s.op.err = err
		c.finish(s.op, s.batch, c.tx)
	}
	c.settle(s)
	return s.op != nil
}

// settle counts a step as answered.
func (c *Conn) settle(s step) {
	s.batch.left--
	if s.batch.left == 0 && !s.batch.hidden {
		c.done = append(c.done, s.batch)
	}
}

func (c *Conn) takeDone() []*batch {
	done := c.done
	c.done = nil
	return done
}

// tell passes answered batches to the gate.
func (c *Conn) tell(done []*batch) {
	for _, b := range done {
		c.proxy.cfg.Gate.Answered(c, Result{Answers: b.answers, Tx: b.tx, Lost: b.lost})
	}
}

// finish records the end of a command.
func (c *Conn) finish(o *op, b *batch, status byte) {
	o.finish(b, status, !b.hidden)
	if o.rec != nil && o.rec != c.rec {
		_ = o.rec.Flush() // the connection belongs to another lane by now
	}
	if c.unheard != nil && len(c.spare) < maxSpare {
		c.spare = append(c.spare, o.empty())
	}
}

// flush writes what was recorded. A full disk shows in the writer's Err; the
// application goes on.
func (c *Conn) flush() {
	if c.rec != nil {
		_ = c.rec.Flush()
	}
}

// awaitIdle waits until everything that was sent is answered and the client has
// it, and reports false when the connection ended first.
func (c *Conn) awaitIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for (c.pending.len() > 0 || c.behind) && c.ctx.Err() == nil {
		c.idle.Wait()
	}
	return c.ctx.Err() == nil
}

// newIdle makes the condition that awaitIdle waits for, which the end of the
// connection signals too.
func newIdle(ctx context.Context, mu *sync.Mutex) *sync.Cond {
	idle := sync.NewCond(mu)
	context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		idle.Broadcast()
	})
	return idle
}

// deniedAnswer is what a client gets in place of an answer.
func deniedAnswer(err error, status byte) ([]byte, error) {
	e := &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: stateOf(err), Message: err.Error()}
	b, encodeErr := e.Encode(nil)
	if encodeErr != nil {
		return nil, encodeErr
	}
	return (&pgproto3.ReadyForQuery{TxStatus: status}).Encode(b)
}

// lose records that the answers that have not come never will.
func (c *Conn) lose() {
	c.mu.Lock()
	gone := &serverError{fatal: true, message: "the connection to the server was lost"}
	if c.fatal != "" {
		gone.message = c.fatal
	}
	if c.deferred != nil {
		c.deferred.err = gone
		c.finish(c.deferred, c.deferredOf, 0)
		c.deferred = nil
	}
	for c.pending.len() > 0 {
		s := c.pending.pop()
		s.batch.lost = true
		c.drop(s, gone)
	}
	c.cutShort()
	c.flush()
	c.giveBack()
	done := c.takeDone()
	c.mu.Unlock()
	c.tell(done)
}

// cutShort ends a batch of which a part has been sent, and whose end will not come.
func (c *Conn) cutShort() {
	if b := c.next.root; b != nil {
		b.lost = true
		c.settle(step{batch: b})
	}
}
