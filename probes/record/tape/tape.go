// Package tape is the file that record leaves and explore plays again: the HTTP
// requests that an application was sent, and the SQL statements that each of
// them caused, one JSON object per line.
//
// It is no history: nothing in it is judged, and it holds no rows. It holds no
// secret either; where one stood there is a reference. Drivers of probes and the
// commands import it.
package tape

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
)

// Schema names the format and its version; it is the first key of every file.
const Schema = "ccheck-tape/1"

// Header is the first line.
type Header struct {
	Schema  string    `json:"schema"`
	Version string    `json:"version"` // of ccheck
	Start   time.Time `json:"start"`
	// App is where the application listened, Listen where it was used: scheme,
	// host and port.
	App    string `json:"app"`
	Listen string `json:"listen"`
	// Database is host:port/name; "" where statements were not recorded.
	Database string   `json:"database,omitempty"`
	Masked   []string `json:"masked,omitempty"` // names that were masked beside the usual ones
}

// Field is a header of a request, or a value of an answer.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Request is one HTTP request with its answer. Times are nanoseconds since
// Header.Start on the monotonic clock. Path, Headers and Body may hold
// references.
type Request struct {
	N       int     `json:"request"` // from 1, in the order of Start
	Start   int64   `json:"start"`
	End     int64   `json:"end"` // the last byte of the answer had come from the application
	Method  string  `json:"method"`
	Path    string  `json:"path"` // with the query
	Headers []Field `json:"headers,omitempty"`
	Body    string  `json:"body,omitempty"`
	// Unusable says why it cannot be sent again; "" when it can.
	Unusable string  `json:"unusable,omitempty"`
	Status   int     `json:"status"`
	Answer   []Field `json:"answer,omitempty"`
}

// String is the request without what it carries: "POST /orders/*/pay".
func (r *Request) String() string {
	path, _, _ := strings.Cut(r.Path, "?")
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.Contains(p, "{{") {
			parts[i] = "*"
		}
	}
	return r.Method + " " + strings.Join(parts, "/")
}

// How it is known which request caused a statement.
const (
	ByTrace = "trace" // an id in a comment of the statement
	ByTime  = "time"  // the requests that were open while its transaction ran
)

// Statement is one SQL statement. Constants in its text are Args, as in a
// history.
type Statement struct {
	N     int             `json:"statement"`
	Of    []int           `json:"of,omitempty"` // requests; one is sure, several could be, none: the application's own
	By    string          `json:"by,omitempty"`
	Conn  int64           `json:"conn"`
	Txn   int64           `json:"txn"`
	Start int64           `json:"start"`
	End   int64           `json:"end,omitempty"`
	SQL   string          `json:"sql"`
	Args  []history.Value `json:"args,omitempty"`
	Tag   string          `json:"tag,omitempty"` // command tag
	Rows  int             `json:"rows,omitempty"`
	State string          `json:"state,omitempty"` // SQLSTATE of an error
}

// End is the last line. A tape without one was cut short.
type End struct {
	End        int64 `json:"ended"` // nanoseconds since Header.Start
	Requests   int   `json:"requests"`
	Statements int   `json:"statements"`
	// Left out: beyond the limit, and statements of the application's own that
	// had been seen often enough.
	Dropped int `json:"dropped,omitempty"`
	Own     int `json:"own,omitempty"`
}

// Tape is a file that was read.
type Tape struct {
	Header
	Requests   []*Request // in the order of N
	Statements []*Statement
	End        *End // nil when it was cut short
}

// Of are the statements that the request caused, and those that it may have
// caused.
func (t *Tape) Of(request int) (sure, maybe []*Statement) {
	for _, s := range t.Statements {
		for _, n := range s.Of {
			switch {
			case n != request:
			case len(s.Of) == 1:
				sure = append(sure, s)
			default:
				maybe = append(maybe, s)
			}
		}
	}
	return sure, maybe
}

// Is reports whether the file begins as a tape does.
func Is(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(`{"schema":"ccheck-tape/`))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == `{"schema":"ccheck-tape/`
}

// FormatError is a line that cannot be read.
type FormatError struct {
	Path string
	Line int // from 1
	Err  error
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *FormatError) Unwrap() error { return e.Err }

// Open reads a tape. An error is a *FormatError, or that of the file.
func Open(path string) (*Tape, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the tape: %w", err)
	}
	defer f.Close()
	return Read(path, f)
}

// maxLine bounds what a damaged file can make us hold.
const maxLine = 16 << 20

// Read reads a tape; name is for error texts. A last line that was cut in the
// middle is left out.
func Read(name string, r io.Reader) (*Tape, error) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	s.Split(wholeLines)
	t := &Tape{}
	line := 0
	for s.Scan() {
		line++
		if err := t.take(line, s.Bytes()); err != nil {
			return nil, &FormatError{name, line, err}
		}
	}
	if err := s.Err(); err != nil {
		return nil, &FormatError{name, line + 1, err}
	}
	if line == 0 {
		return nil, &FormatError{name, 1, errors.New("no tape of ccheck: there is no whole line in it")}
	}
	return t, t.check(name)
}

// wholeLines is bufio.ScanLines without a last line that has no end.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

func (t *Tape) take(line int, b []byte) error {
	switch {
	case line == 1:
		if err := json.Unmarshal(b, &t.Header); err != nil || t.Schema == "" {
			return errors.New("no tape of ccheck: its first line is no header")
		}
		if t.Schema != Schema {
			return fmt.Errorf("the tape has the format %q, and this ccheck reads %q", t.Schema, Schema)
		}
		return nil
	case bytes.HasPrefix(b, []byte(`{"request":`)):
		r := new(Request)
		t.Requests = append(t.Requests, r)
		return json.Unmarshal(b, r)
	case bytes.HasPrefix(b, []byte(`{"statement":`)):
		s := new(Statement)
		t.Statements = append(t.Statements, s)
		return json.Unmarshal(b, s)
	case bytes.HasPrefix(b, []byte(`{"ended":`)):
		t.End = new(End)
		return json.Unmarshal(b, t.End)
	}
	var any map[string]json.RawMessage
	return json.Unmarshal(b, &any) // a line of a kind that this version does not know
}
