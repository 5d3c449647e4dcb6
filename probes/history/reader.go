package history

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"
)

// File is a recorded history that can be read as often as needed.
type File struct {
	Path   string
	Header *Header
	open   func() (io.ReadCloser, error)
}

// Open reads the header of a history.
func Open(path string) (*File, error) {
	return read(path, func() (io.ReadCloser, error) { return os.Open(path) })
}

// Read gives a history that is held in memory; name is for error texts.
func Read(name string, data []byte) (*File, error) {
	return read(name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

func read(path string, open func() (io.ReadCloser, error)) (*File, error) {
	r, err := open()
	if err != nil {
		return nil, fmt.Errorf("opening the history: %w", err)
	}
	defer r.Close()
	line, err := bufio.NewReaderSize(r, 1<<16).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	var h Header
	if jsonErr := json.Unmarshal(line, &h); jsonErr != nil || h.Schema == "" {
		return nil, fmt.Errorf("%s: not a history of ccheck: its first line is no header", path)
	}
	if h.Schema != Schema {
		return nil, fmt.Errorf("%s: history format %q, this ccheck reads %q", path, h.Schema, Schema)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the history ends in its header", path)
	}
	return &File{Path: path, Header: &h, open: open}, nil
}

// FormatError is a line of a history that cannot be read.
type FormatError struct {
	Path string
	Line int // from 1
	Err  error
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

func (e *FormatError) Unwrap() error { return e.Err }

// ErrTruncated means that the history ends in the middle of a line, as a crash
// or a full disk leaves it. All events before it have been yielded.
var ErrTruncated = errors.New("the history ends in the middle of a line")

// ErrJoined means that another history begins in the middle of a file. Its
// events have the same lanes and indices and are not to be told apart.
var ErrJoined = errors.New("another history begins here, and each has to be a file of its own")

// Ops yields the events in the order of their Index, from the beginning each
// time it is called. An error ends the sequence; a *FormatError wrapping
// ErrTruncated comes after everything that could be read.
func (f *File) Ops() iter.Seq2[*Op, error] {
	return func(yield func(*Op, error) bool) {
		r, err := f.open()
		if err != nil {
			yield(nil, fmt.Errorf("opening the history: %w", err))
			return
		}
		defer r.Close()
		s := scanner{file: f, in: bufio.NewReaderSize(r, 1<<20), yield: yield, next: 1}
		if err := s.run(); err != nil && !s.stopped {
			yield(nil, err)
		}
	}
}

// window is the number of events that may be waiting for one with a smaller
// index. Lanes write their events in small batches, so the file is only nearly
// in order; a gap that stays open this long is an event that was lost.
const window = 1 << 14

// scanner is one pass over a file.
type scanner struct {
	file    *File
	in      *bufio.Reader
	line    int
	dec     decoder
	stmts   []*Stmt
	columns [][]string
	next    int64 // the index that comes next
	waiting opHeap
	begun   map[int]*begun
	yield   func(*Op, error) bool
	stopped bool
}

// begun remembers what a process has begun and not ended.
type begun struct {
	call    time.Duration
	queries []start
}

type start struct {
	stmt *Stmt
	at   time.Duration
}

func (s *scanner) run() error {
	s.begun = map[int]*begun{}
	for !s.stopped {
		line, err := s.readLine()
		if err != nil {
			s.drain(0)
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if s.line == 1 || len(line) == 0 {
			continue
		}
		if err := s.take(line); err != nil {
			s.drain(0)
			return &FormatError{s.file.Path, s.line, err}
		}
	}
	return nil
}

// readLine returns the next line without its end. The memory is reused.
func (s *scanner) readLine() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = s.in.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	s.line++
	switch {
	case err == nil:
		return line[:len(line)-1], nil
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, &FormatError{s.file.Path, s.line, ErrTruncated}
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	}
	return nil, fmt.Errorf("reading %s: %w", s.file.Path, err)
}

func (s *scanner) take(line []byte) error {
	if bytes.HasPrefix(line, []byte(`{"schema":`)) {
		return ErrJoined
	}
	switch {
	case bytes.HasPrefix(line, []byte(`{"stmt":`)):
		return s.takeStmt(line)
	case bytes.HasPrefix(line, []byte(`{"columns":`)):
		return s.takeColumns(line)
	}
	o := new(Op)
	id, err := s.dec.op(line, o)
	if err != nil {
		return err
	}
	if o.Scope == 0 {
		return nil // a line of a kind that this version does not know
	}
	if id != 0 {
		if id < 0 || id >= len(s.stmts) || s.stmts[id] == nil {
			return fmt.Errorf("statement %d was never defined", id)
		}
		o.Stmt = s.stmts[id]
		if o.Columns == nil && id < len(s.columns) && len(o.Rows) > 0 {
			o.Columns = s.columns[id]
		}
	}
	heap.Push(&s.waiting, o)
	s.drain(window)
	return nil
}

// maxStmts bounds the statement numbers that a damaged file can make us allocate.
const maxStmts = 1 << 20

func (s *scanner) takeStmt(line []byte) error {
	st := new(Stmt)
	if err := json.Unmarshal(line, st); err != nil {
		return err
	}
	if st.ID <= 0 || st.ID > maxStmts {
		return fmt.Errorf("statement number %d", st.ID)
	}
	for len(s.stmts) <= st.ID {
		s.stmts = append(s.stmts, nil)
		s.columns = append(s.columns, nil)
	}
	s.stmts[st.ID] = st
	return nil
}

func (s *scanner) takeColumns(line []byte) error {
	var c columnNames
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	if c.Stmt <= 0 || c.Stmt >= len(s.columns) {
		return fmt.Errorf("columns of statement %d, which was never defined", c.Stmt)
	}
	s.columns[c.Stmt] = c.Names
	return nil
}

// drain yields what is in order, and more when over keep events are waiting.
func (s *scanner) drain(keep int) {
	for !s.stopped && len(s.waiting) > 0 && (s.waiting[0].Index <= s.next || len(s.waiting) > keep) {
		o := heap.Pop(&s.waiting).(*Op)
		s.next = o.Index + 1
		s.pair(o)
		if !s.yield(o, nil) {
			s.stopped = true
		}
	}
}

// pair gives the end of a call or query the time of its beginning.
func (s *scanner) pair(o *Op) {
	if o.Scope != ScopeCall && o.Scope != ScopeQuery {
		return
	}
	b := s.begun[o.Process]
	if b == nil {
		b = &begun{}
		s.begun[o.Process] = b
	}
	switch {
	case o.Scope == ScopeCall && o.Kind == Invoke:
		b.call, b.queries = o.Time, b.queries[:0]
	case o.Scope == ScopeCall:
		o.Start = b.call
	case o.Kind == Invoke:
		b.queries = append(b.queries, start{o.Stmt, o.Time})
	default:
		o.Start = o.Time
		for i, q := range b.queries {
			if q.stmt == o.Stmt {
				o.Start = q.at
				b.queries = append(b.queries[:0], b.queries[i+1:]...)
				break
			}
		}
	}
}

// opHeap orders events by index.
type opHeap []*Op

func (h opHeap) Len() int           { return len(h) }
func (h opHeap) Less(i, j int) bool { return h[i].Index < h[j].Index }
func (h opHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *opHeap) Push(x any)        { *h = append(*h, x.(*Op)) }
func (h *opHeap) Pop() any {
	old := *h
	o := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return o
}

// Name is the scenario of the header without the variant.
func (h *Header) Name() string {
	name, _, _ := strings.Cut(h.Scenario, "/")
	return name
}

// Param returns a parameter of the run, "" when it has none of that name.
func (h *Header) Param(name string) string {
	for _, p := range h.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}
