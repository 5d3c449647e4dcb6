package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Limits on what one event keeps. What is left out is counted.
const (
	MaxRows  = 20   // rows of one result
	MaxValue = 1024 // bytes of one value
)

// Lines are written together, which is a tenth of a lane's work less: when there
// are so many bytes, or at the latest after so long. A ccheck that is killed loses
// no more than that.
const (
	batch = 64 << 10
	delay = 5 * time.Millisecond
)

// ErrFull means that the history could not be written because the disk is full
// or the size that was allowed is reached. What was written before is readable.
var ErrFull = errors.New("no room for the history")

// Writer writes one history. Lanes write through a Recorder each.
type Writer struct {
	start time.Time // monotonic
	index atomic.Int64
	calls atomic.Int64
	txns  atomic.Int64

	mu      sync.Mutex
	file    *os.File
	pending []byte // whole lines that are not in the file yet
	timer   *time.Timer
	armed   bool
	size    int64 // pending included
	limit   int64
	err     error
	stmts   int
	// columns[id] is set when the column names of that statement are in the file.
	columns atomic.Pointer[[]atomic.Bool]
}

// Create makes the file, which must not exist, and writes the header. limit is
// the number of bytes the file may grow to, 0 for no limit.
func Create(path string, h Header, limit int64) (*Writer, error) {
	h.Schema = Schema
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the header of the history: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the history: %w", err)
	}
	w := over(f, h.Start, limit)
	if w.start.IsZero() {
		w.start = time.Now()
	}
	if err := errors.Join(w.write(append(line, '\n')), w.Sync()); err != nil {
		w.timer.Stop()
		f.Close()
		os.Remove(path)
		return nil, err
	}
	return w, nil
}

// over returns a writer of the file, which has no header yet.
func over(f *os.File, start time.Time, limit int64) *Writer {
	w := &Writer{start: start, file: f, limit: limit}
	w.timer = time.AfterFunc(delay, w.late)
	w.timer.Stop()
	return w
}

// Path is the name of the file.
func (w *Writer) Path() string { return w.file.Name() }

// Size is the number of bytes of all that was recorded so far.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size
}

// Err is the first error that a write met.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Elapsed is the time of an event that happens now.
func (w *Writer) Elapsed() time.Duration { return time.Since(w.start) }

// Ops is the number of events so far.
func (w *Writer) Ops() int64 { return w.index.Load() }

// Define writes the statements that will be run, before any lane runs them, and
// numbers those that have no number.
func (w *Writer) Define(stmts ...*Stmt) error {
	for _, s := range stmts {
		w.stmts = max(w.stmts, s.ID)
	}
	var b []byte
	for _, s := range stmts {
		if s.ID == 0 {
			w.stmts++
			s.ID = w.stmts
		}
		line, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("encoding a statement: %w", err)
		}
		b = append(append(b, line...), '\n')
	}
	w.grow()
	return w.write(b)
}

// grow makes room for the columns of all statements, and for some more: a
// proxy defines one text after the other.
func (w *Writer) grow() {
	old := w.columns.Load()
	if old != nil && len(*old) > w.stmts {
		return
	}
	known := make([]atomic.Bool, 2*w.stmts+1)
	if old != nil {
		for i := range *old {
			known[i].Store((*old)[i].Load())
		}
	}
	w.columns.Store(&known)
}

// columnNames is a line that gives the columns of a statement's result.
type columnNames struct {
	Stmt  int      `json:"columns"`
	Names []string `json:"names"`
}

// defineColumns makes sure that the columns of the statement are in the file,
// and reports whether they are these ones.
func (w *Writer) defineColumns(s *Stmt, columns []string) bool {
	known := w.columns.Load()
	if s == nil || known == nil || s.ID <= 0 || s.ID >= len(*known) {
		return false
	}
	if (*known)[s.ID].Load() {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if (*known)[s.ID].Load() {
		return true
	}
	line, err := json.Marshal(columnNames{s.ID, columns})
	if err != nil || w.writeLocked(append(line, '\n')) != nil {
		return false
	}
	(*known)[s.ID].Store(true)
	return true
}

func (w *Writer) write(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writeLocked(b)
}

// writeLocked appends whole lines to what will be written.
func (w *Writer) writeLocked(b []byte) error {
	if w.err != nil {
		return w.err
	}
	if w.limit > 0 && w.size+int64(len(b)) > w.limit {
		w.err = fmt.Errorf("%w: %s would grow beyond %d MiB", ErrFull, w.file.Name(), w.limit>>20)
		return w.err
	}
	w.pending = append(w.pending, b...)
	w.size += int64(len(b))
	switch {
	case len(w.pending) >= batch:
		return w.spill()
	case !w.armed:
		w.armed = true
		w.timer.Reset(delay)
	}
	return nil
}

// late writes what has waited for long enough.
func (w *Writer) late() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	_ = w.spill() // the next write tells
}

// Sync writes what is pending, for a reader who does not wait for Close.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spill()
}

// spill writes what is pending. A line that was cut in the middle by a full disk
// is taken back.
func (w *Writer) spill() error {
	if len(w.pending) == 0 {
		return w.err
	}
	n, err := w.file.Write(w.pending)
	if err != nil {
		written := w.size - int64(len(w.pending))
		w.size = written + int64(bytes.LastIndexByte(w.pending[:n], '\n')+1)
		_ = w.file.Truncate(w.size)
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = fmt.Errorf("%w: %w", ErrFull, err)
		}
		w.err = errors.Join(w.err, fmt.Errorf("writing the history: %w", err))
	}
	w.pending = w.pending[:0]
	return w.err
}

// Close closes the file and returns the first error that any write met.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	_ = w.spill()
	err := w.file.Close()
	if w.err != nil {
		return w.err
	}
	return err
}

// Recorder is one process's way into a history. It is used by one goroutine at
// a time. Events are kept back until Flush, which the owner calls before it
// waits for anything.
type Recorder struct {
	w       *Writer
	process int
	buf     []byte
	call    int64
	actor   string
}

// Recorder returns a recorder for a lane, or for Checker.
func (w *Writer) Recorder(process int) *Recorder { return &Recorder{w: w, process: process} }

// Record gives the event its number, time and process, and keeps it until Flush.
func (r *Recorder) Record(o *Op) {
	known := len(o.Columns) > 0 && r.w.defineColumns(o.Stmt, o.Columns)
	o.Process = r.process
	o.Index = r.w.index.Add(1)
	o.Time = time.Since(r.w.start)
	if o.Call == 0 {
		o.Call = r.call
	}
	r.buf = appendOp(r.buf, o, known)
}

// Flush hands over what was recorded, to be written within 5 ms.
func (r *Recorder) Flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	err := r.w.write(r.buf)
	r.buf = r.buf[:0]
	return err
}

// NextTxn numbers a transaction attempt.
func (r *Recorder) NextTxn() int64 { return r.w.txns.Add(1) }

// BeginCall records that an actor is called. Events up to EndCall belong to it.
func (r *Recorder) BeginCall(actor string) int64 {
	r.call, r.actor = r.w.calls.Add(1), actor
	r.Record(&Op{Scope: ScopeCall, Kind: Invoke, Actor: actor})
	return r.call
}

// EndCall records how the call ended. err may be nil; its SQLSTATE is taken
// from a SQLState method when it has one.
func (r *Recorder) EndCall(outcome Outcome, tries int, vars []Var, err error) {
	o := Op{Scope: ScopeCall, Kind: Fail, Actor: r.actor, Outcome: outcome, Tries: tries, Vars: vars}
	switch outcome {
	case Accepted:
		o.Kind = OK
	case Unknown:
		o.Kind = Info
	}
	if err != nil {
		o.Error = err.Error()
		var state interface{ SQLState() string }
		if errors.As(err, &state) {
			o.SQLState = state.SQLState()
		}
	}
	r.Record(&o)
	r.call, r.actor = 0, ""
}
