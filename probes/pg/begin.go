package pg

import "regexp"

// plainBegin matches a statement that opens a transaction and does nothing else.
var plainBegin = regexp.MustCompile(`(?i)^\s*(begin|start\s+transaction)\b[^;]*;?\s*$`)

// HoldBegin makes Exec keep BEGIN back and send it together with the statement
// after it, as pgjdbc does: one wait less for each transaction. A transaction
// holds no snapshot and no lock before its first statement, so nothing that
// another session could see is different. Not in the simple protocol.
func (c *Conn) HoldBegin() { c.holds = c.protocol != Simple }

// hold reports whether the statement is kept back.
func (c *Conn) hold(st *Stmt) bool {
	if !c.holds || c.pipeline || c.status != 'I' || !c.plan(st).begin {
		return false
	}
	c.held, c.status = st, 'T'
	c.answer.reset(nil)
	c.answer.Tag = "BEGIN"
	return true
}

// sendHeld records and queues the BEGIN that was kept back, if any.
func (c *Conn) sendHeld() *Stmt {
	st := c.held
	if st == nil {
		return nil
	}
	c.held, c.status = nil, 'I'
	c.noteInvoke(st, nil)
	c.sendExec(st, nil)
	c.status = 'T'
	return st
}

// readHeld reads the answer to the BEGIN that went ahead. When the server
// refused it, it skips what followed: that has the same error.
func (c *Conn) readHeld(st *Stmt) (*Error, error) {
	if st == nil {
		return nil, nil
	}
	c.answer.reset(c.plan(st))
	if err := c.readOne(); err != nil {
		return nil, c.unknown(st, err)
	}
	if c.answer.err != nil {
		c.status = 'I'
	}
	c.record(st, c.txn, &c.answer)
	return c.answer.err, nil
}

// release sends a BEGIN that was kept back on its own, ahead of what cannot
// carry it.
func (c *Conn) release() error {
	held := c.sendHeld()
	if held == nil {
		return nil
	}
	if err := c.sync(); err != nil {
		return c.unknown(held, err)
	}
	refused, err := c.readHeld(held)
	if err != nil {
		return err
	}
	if err := c.readAnswer(); err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	return nil
}
