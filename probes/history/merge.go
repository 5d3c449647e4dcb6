package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"
)

// ClockMark begins a note that tells the clock which all parts of a run read:
// "clock NS ERROR", the time since 1970 at the note and the error to both sides,
// in nanoseconds.
const ClockMark = "clock "

// Part is one of the histories that make up a run.
type Part struct {
	*File
	// Shift is what is added to the times of the part, so that they count from the
	// Start of the first.
	Shift time.Duration
}

// Merge writes the parts as one history: the header, and all events in the order
// of their times. Lanes have numbers of their own in every part already; calls and
// transactions get new ones. What the tables held and what was looked at is taken
// from the first part alone. The file must not exist.
func Merge(path string, h Header, parts []Part) (err error) {
	h.Schema = Schema
	line, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("encoding the header of the history: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("creating the history: %w", err)
	}
	m := &merger{w: over(f, h.Start, 0), stmts: map[Stmt]*Stmt{}}
	defer func() {
		if err = errors.Join(err, m.w.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if err := m.w.write(append(line, '\n')); err != nil {
		return err
	}
	for i, p := range parts {
		next, stop := iter.Pull2(p.Ops())
		defer stop()
		m.parts = append(m.parts, &source{Part: p, index: i, next: next})
	}
	return m.run()
}

// source is a part that is being read.
type source struct {
	Part
	index int
	next  func() (*Op, error, bool)
	op    *Op // the one that comes next, nil at the end
}

func (s *source) advance(parts int) error {
	for {
		o, err, ok := s.next()
		s.op = nil
		if !ok {
			return nil
		}
		if err != nil {
			return err
		}
		if s.index > 0 && (o.Scope == ScopeState || o.Scope == ScopeCheck) {
			continue
		}
		o.Time += s.Shift
		o.Call, o.Txn = s.number(o.Call, parts), s.number(o.Txn, parts)
		s.op = o
		return nil
	}
}

// number makes a number that no other part has; 0 stays 0.
func (s *source) number(n int64, parts int) int64 {
	if n == 0 {
		return 0
	}
	return (n-1)*int64(parts) + int64(s.index) + 1
}

// merger writes what the sources give.
type merger struct {
	w     *Writer
	parts []*source
	stmts map[Stmt]*Stmt // by all but the number
	index int64
	buf   []byte
}

// chunk is how much is written at once, in bytes.
const chunk = 1 << 16

func (m *merger) run() error {
	for _, s := range m.parts {
		if err := s.advance(len(m.parts)); err != nil {
			return err
		}
	}
	for {
		var first *source
		for _, s := range m.parts {
			if s.op != nil && (first == nil || s.op.Time < first.op.Time) {
				first = s
			}
		}
		if first == nil {
			return m.flush()
		}
		if err := m.take(first.op); err != nil {
			return err
		}
		if err := first.advance(len(m.parts)); err != nil {
			return err
		}
	}
}

func (m *merger) take(o *Op) error {
	if o.Stmt != nil {
		key := *o.Stmt
		key.ID = 0
		st, known := m.stmts[key]
		if !known {
			st = &key
			if err := m.flush(); err != nil {
				return err
			}
			named := key
			if err := m.w.Define(&named); err != nil {
				return err
			}
			st = &named
			m.stmts[key] = st
		}
		o.Stmt = st
	}
	m.index++
	o.Index = m.index
	known := len(o.Columns) > 0 && m.w.defineColumns(o.Stmt, o.Columns)
	m.buf = appendOp(m.buf, o, known)
	if len(m.buf) < chunk {
		return nil
	}
	return m.flush()
}

func (m *merger) flush() error {
	if len(m.buf) == 0 {
		return nil
	}
	err := m.w.write(m.buf)
	m.buf = m.buf[:0]
	return err
}
