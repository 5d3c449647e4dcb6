package wire

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/probes/fault"
)

// back follows what the server answers, up to its end.
func (c *Conn) back() error {
	in := c.server.in
	for {
		if err := c.pour(); err != nil {
			return err
		}
		f, ok, err := in.frame()
		if err != nil {
			return fmt.Errorf("the server: %w", err)
		}
		if !ok {
			in.due = in.seen
			if err := c.pour(); err != nil {
				return err
			}
			if err := in.fill(); err != nil {
				return err
			}
			continue
		}
		if err := c.hear(f); err != nil {
			return err
		}
		if in.rest > 0 {
			in.due = in.seen
		}
	}
}

// pour gives the client what is due.
func (c *Conn) pour() error {
	in := c.server.in
	if in.sent == in.due && in.rest == 0 {
		return nil
	}
	if err := in.settle(&c.client); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.behind = in.held() > 0
	c.idle.Broadcast()
	return nil
}

// hear takes a message of the server, and does what has to happen before the
// client gets it.
func (c *Conn) hear(f frame) error {
	c.mu.Lock()
	c.behind = true
	c.note(f.kind, &fields{b: f.body})
	done, action := c.takeDone(), c.action
	c.action = fault.Action{}
	c.mu.Unlock()
	if action.Fault != nil {
		if err := c.apply(action); err != nil {
			return err
		}
	}
	c.tell(done)
	return nil
}

func (c *Conn) note(kind byte, r *fields) {
	switch kind {
	case '1':
		c.answered('P')
	case '2':
		c.answered('B')
	case '3':
		c.answered('C')
	case 'n':
		c.answered('D')
	case 't':
		c.noteParams(r)
	case 'T':
		c.noteColumns(r)
	case 'D':
		if s := c.pending.first(); s != nil && s.op != nil {
			s.op.row(r, c.proxy.cfg.Limits)
		}
	case 'C':
		c.noteComplete(string(r.text()))
	case 'I', 's', 'V':
		c.noteComplete("")
	case 'G', 'W':
		c.noteCopy()
	case 'E':
		c.noteError(r)
	case 'Z':
		c.noteReady(statusOf(r.b))
	}
}

// answered settles the oldest step when it is of that kind.
func (c *Conn) answered(kind byte) {
	if s := c.pending.first(); s != nil && s.kind == kind {
		c.settle(c.pending.pop())
	}
}

func (c *Conn) noteParams(r *fields) {
	s := c.pending.first()
	if s == nil || s.stmt == nil {
		return
	}
	s.stmt.params = s.stmt.params[:0]
	for range r.int16() {
		if t := r.int32(); !r.short {
			s.stmt.params = append(s.stmt.params, uint32(t))
		}
	}
}

func (c *Conn) noteColumns(r *fields) {
	s := c.pending.first()
	if s == nil {
		return
	}
	switch {
	case s.op != nil:
		s.op.start(shapeOf(s.op.text, r.b))
	case s.portal != nil:
		s.portal.stmt.shape = shapeOf(s.portal.stmt.text, r.b)
		c.answered('D')
	case s.stmt != nil:
		s.stmt.shape = shapeOf(s.stmt.text, r.b)
		c.answered('D')
	}
}

// noteComplete is the end of a command: by its tag, or without one when there
// was none, the portal was suspended or a function has answered.
func (c *Conn) noteComplete(tag string) {
	s := c.pending.first()
	if s == nil || s.op == nil {
		return
	}
	o := s.op
	o.tag = tag
	if o.kind == Query && !o.begun {
		o.start(nil)
	}
	o.begun = false
	if c.strikeAnswer(o, s.batch) {
		return
	}
	switch {
	case s.kind == 'Q':
		if !s.batch.hidden {
			s.batch.answers = append(s.batch.answers, o.answer())
		}
	case s.kind == 'E':
		c.completeExecute()
	}
}

// completeExecute ends a portal's run. Before a Sync that is on its way it is
// not over yet: the transaction may fail to commit.
func (c *Conn) completeExecute() {
	next := c.pending.second()
	s := c.pending.pop()
	switch {
	case next == nil || next.kind != 'S':
		c.finish(s.op, s.batch, openStatus(s.op.verb))
	case next.batch != s.batch && !s.batch.hidden:
		// The gate's batch ends here, without the Sync.
		s.batch.answers = append(s.batch.answers, s.op.answer())
		s.op.told = true
		fallthrough
	default:
		c.deferred, c.deferredOf = s.op, s.batch
	}
	c.settle(s)
}

// openStatus is the transaction status behind a statement that no Sync follows.
func openStatus(verb string) byte {
	if verb == "COMMIT" || verb == "ROLLBACK" {
		return 'I'
	}
	return 'T'
}

// noteCopy begins copy data from the client. Syncs that are on their way already
// are part of it and dropped ("COPY Operations").
func (c *Conn) noteCopy() {
	c.copyIn = true
	for next := c.pending.second(); next != nil && next.kind == 'S'; next = c.pending.second() {
		dropped := *next
		first := c.pending.pop()
		*c.pending.first() = first
		c.unsynced = true
		c.settle(dropped)
	}
}

// noteReady is the end of everything up to a Sync, query or function call.
func (c *Conn) noteReady(status byte) {
	c.tx = status
	if c.deferred != nil {
		c.finish(c.deferred, c.deferredOf, status)
		c.deferred = nil
	}
	for c.pending.len() > 0 {
		s := c.pending.pop()
		if s.op != nil {
			c.finish(s.op, s.batch, status)
		}
		s.batch.tx = status
		c.settle(s)
		if s.ends() {
			break
		}
	}
	if c.pending.len() > 0 {
		return
	}
	c.txn.correct(status)
	if status == 'I' && len(c.portals) > 0 {
		clear(c.portals)
	}
}

// strikeAnswer asks for a fault between the server's answer and the client. It
// reports whether the client will never know the answer.
func (c *Conn) strikeAnswer(o *op, b *batch) bool {
	verb, _, _ := strings.Cut(o.tag, " ")
	if verb == "" {
		verb = o.verb
	}
	a := c.proxy.cfg.Faults.At(fault.Answer, verb)
	if a.Fault == nil {
		return false
	}
	c.action = a
	if a.Close == "" {
		c.proxy.tape.note(fmt.Sprintf("connection %d: fault %v", c.ID, a.Fault))
		return false
	}
	answer := "the server answered " + o.tag
	if o.err != nil {
		answer = "the server answered with error " + o.err.state
	}
	c.proxy.tape.note(fmt.Sprintf("connection %d: fault %v: %s, and the client does not know", c.ID, a.Fault, answer))
	c.fatal = errFault.Error()
	return true
}
