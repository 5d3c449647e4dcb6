package wire

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ccheck/ccheck/probes/fault"
)

// front follows what the client sends, up to its end. A nil error lets what is
// on its way come; errAgain asks to be called again when there is more; any
// other ends the connection.
func (c *Conn) front() error {
	in := c.client.in
	for {
		if err := in.settle(&c.server); err != nil {
			return err
		}
		f, ok, err := in.frame()
		if err != nil {
			return c.protest(err)
		}
		if !ok {
			if err := c.more(); err != nil {
				return c.leave(err)
			}
			continue
		}
		if f.kind == 'X' {
			return in.forward(&c.server)
		}
		end, err := c.listen(f)
		if err != nil {
			return c.protest(err)
		}
		if end || !f.whole() {
			if err := c.dispatch(end); err != nil {
				return err
			}
		}
	}
}

// leave is the end of what the client sends. One that closes without Terminate
// is gone for the server too, which would find out only when it next writes.
func (c *Conn) leave(err error) error {
	if !errors.Is(err, io.EOF) {
		return err // errAgain among them
	}
	c.closeWrite()
	return nil
}

// more reads on. What is not to be held is forwarded before.
func (c *Conn) more() error {
	in := c.client.in
	c.mu.Lock()
	copies, empty := c.next.copies, len(c.next.steps) == 0
	c.mu.Unlock()
	switch {
	case copies && empty:
		if err := in.forward(&c.server); err != nil {
			return err
		}
	case in.held() >= maxHeld:
		if err := c.dispatch(false); err != nil {
			return err
		}
	}
	return in.fill()
}

// dispatch asks the gate about the batch, records it and sends it. Without its
// end it is a part of one that cannot be held.
func (c *Conn) dispatch(end bool) error {
	b := c.take(end)
	if err := c.ask(b, !end); err != nil {
		return c.deny(b, end, err)
	}
	if err := c.strike(b); err != nil {
		return err
	}
	told := c.send(b, end)
	err := c.client.in.forward(&c.server)
	c.tell(told)
	return err
}

// take ends the batch that was collected and begins the next.
func (c *Conn) take(end bool) *batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.next
	if c.next, c.taken = c.taken, nil; c.next == nil {
		c.next = &batch{root: c.unheard}
	}
	if !end {
		c.next.root = b.owner() // what follows belongs to what the gate has let through
	}
	return b
}

// ask waits for the gate.
func (c *Conn) ask(b *batch, partial bool) error {
	gate := c.proxy.cfg.Gate
	if gate == nil || b.hidden || b.root != nil {
		return nil
	}
	if len(b.steps) == 0 {
		b.hidden = true // a large piece of copy data: the gate knows its statement
		return nil
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	c.mu.Lock()
	c.held = cancel
	shown := c.shown(b, partial)
	c.mu.Unlock()
	err := gate.Arrive(ctx, c, shown)
	c.mu.Lock()
	c.held = nil
	c.mu.Unlock()
	if err != nil && errors.Is(context.Cause(ctx), errCanceled) {
		return errCanceled
	}
	return err
}

// deny answers a batch that the gate refused. The server never sees it.
func (c *Conn) deny(b *batch, end bool, err error) error {
	in := c.client.in
	in.skip()
	if err := in.settle(nil); err != nil {
		return err
	}
	c.mu.Lock()
	c.undo(b.steps)
	c.mu.Unlock()
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	for sync := end && b.sync; !sync; {
		f, ok, err := in.frame()
		if err != nil {
			return c.protest(err)
		}
		if ok {
			// A denied batch goes on to Sync, as in the server after an error.
			sync = f.kind == 'S' || f.kind == 'Q' || f.kind == 'F'
			in.skip()
			err = in.settle(nil)
		} else {
			err = in.fill()
		}
		if err != nil {
			return c.leave(err)
		}
	}
	c.take(true)
	return c.answerDenied(err)
}

// answerDenied writes the error behind the answers of earlier batches.
func (c *Conn) answerDenied(err error) error {
	if !c.awaitIdle() {
		return context.Cause(c.ctx)
	}
	c.mu.Lock()
	status := c.tx
	c.mu.Unlock()
	answer, encodeErr := deniedAnswer(err, status)
	if encodeErr != nil {
		return encodeErr
	}
	_, err = c.client.Write(answer)
	return err
}

// strike applies the faults that wait before a statement.
func (c *Conn) strike(b *batch) error {
	plan := c.proxy.cfg.Faults
	if plan == nil {
		return nil
	}
	for _, s := range b.steps {
		if s.op == nil || s.op.fetch {
			continue
		}
		a := plan.At(fault.Send, s.op.verb)
		if a.Fault == nil {
			continue
		}
		c.proxy.tape.note(fmt.Sprintf("connection %d: fault %v: before %s reached the server", c.ID, a.Fault, s.op.verb))
		if err := c.apply(a); err != nil {
			return err
		}
	}
	return nil
}

// errFault is why a connection ends that a fault closes.
var errFault = errors.New("closed by a fault on purpose")

// apply does what a fault says. It returns an error when the connection is to end.
func (c *Conn) apply(a fault.Action) error {
	if !sleep(c.ctx, a.Wait) {
		return context.Cause(c.ctx)
	}
	if a.Close == "" {
		return nil
	}
	if l, ok := c.raw.(interface{ SetLinger(int) error }); ok && a.Close == fault.Reset {
		_ = l.SetLinger(0)
	}
	return errFault
}
