package wire

// noteError takes an ErrorResponse to what it is about.
func (c *Conn) noteError(r *fields) {
	e := readError(r)
	c.copyIn = false
	if e.fatal {
		c.fatal = e.message
		return
	}
	s := c.pending.first()
	switch {
	case s == nil:
	case s.kind == 'Q' || s.kind == 'F':
		s.op.err = e
		c.strikeAnswer(s.op, s.batch)
	case s.kind == 'S' && c.deferred != nil:
		c.deferred.err = e
	default:
		c.fail(e)
	}
}

// fail drops everything up to the next Sync, as the server does.
func (c *Conn) fail(e *serverError) {
	root := c.pending.first().batch
	found := false
	c.skipping = true
	for s := c.pending.first(); s != nil; s = c.pending.first() {
		if s.kind == 'S' {
			c.skipping = false
			break
		}
		if found {
			e = errSkipped
		}
		found = c.drop(c.pending.pop(), e) || found
	}
	if !found && !root.hidden {
		root.answers = append(root.answers, Answer{SQLState: e.state, Message: e.message})
	}
}

// readError reads an ErrorResponse.
func readError(r *fields) *serverError {
	e := &serverError{}
	for {
		field := r.byte()
		if field == 0 {
			return e
		}
		text := string(r.text())
		switch field {
		case 'S', 'V':
			// S may be translated; V, since 9.6, is not and comes after it.
			e.fatal = text == "FATAL" || text == "PANIC"
		case 'C':
			e.state = text
		case 'M':
			e.message = text
		}
	}
}
