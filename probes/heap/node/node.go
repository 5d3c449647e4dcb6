// Package node asks a Node process for heap snapshots, through its inspector: the
// Chrome DevTools Protocol over a WebSocket. It speaks five methods of it, and
// keeps one session for its life, because V8 gives objects their ids by session.
//
// It reads no snapshot: the bytes go to whoever asks.
package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// Error is what a person can do something about.
type Error struct{ Msg, Hint string }

func (e *Error) Error() string { return e.Msg }

// maxMessage bounds a message. Node sends a snapshot in chunks of 100 kB; what is
// larger than this is no inspector.
const maxMessage = 64 << 20

// Session is one connection to the inspector of a process.
type Session struct {
	conn *websocket.Conn
	next int
	url  string
	buf  []byte // the text of the last piece of a snapshot
}

// Dial opens a session at a ws:// address.
func Dial(ctx context.Context, url string) (*Session, error) {
	conn, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		if resp != nil && resp.StatusCode >= 400 {
			return nil, &Error{fmt.Sprintf("the inspector at %s refuses a session: it answered %s", url, resp.Status),
				"close other debuggers of the process; the address changes whenever it starts: name its port or number instead"}
		}
		return nil, &Error{fmt.Sprintf("cannot reach an inspector at %s: %v", url, cause(err)), "start the process with node --inspect, or name it by its number"}
	}
	conn.SetReadLimit(maxMessage)
	return &Session{conn: conn, url: url}, nil
}

// cause is the innermost error, without the layers of HTTP.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// Close ends the session.
func (s *Session) Close() { _ = s.conn.CloseNow() }

// message is a request, an answer or an event of the protocol.
type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// call sends a request and waits for its answer. Chunks of a snapshot that come
// before it go to chunks.
func (s *Session) call(ctx context.Context, method string, params any, chunks io.Writer) (json.RawMessage, error) {
	s.next++
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", method, err)
	}
	request, err := json.Marshal(message{ID: s.next, Method: method, Params: raw})
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", method, err)
	}
	if err := s.conn.Write(ctx, websocket.MessageText, request); err != nil {
		return nil, s.lost(ctx, method, err)
	}
	for {
		_, data, err := s.conn.Read(ctx)
		if err != nil {
			return nil, s.lost(ctx, method, err)
		}
		if text, ok := piece(s.buf, data); ok && chunks != nil {
			s.buf = text
			if err := write(chunks, text); err != nil {
				return nil, err
			}
			continue
		}
		var m message
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, &Error{fmt.Sprintf("what answers at %s is no inspector: %v", s.url, err), "name the address that node --inspect prints"}
		}
		switch {
		case m.Method == "HeapProfiler.addHeapSnapshotChunk" && chunks != nil:
			if err := chunk(chunks, m.Params); err != nil {
				return nil, err
			}
		case m.ID == s.next && m.Error != nil:
			return nil, &Error{fmt.Sprintf("the inspector refuses %s: %s", method, m.Error.Message), "close other debuggers of the process and try again"}
		case m.ID == s.next:
			return m.Result, nil
		}
	}
}

// lost tells why a session ended.
func (s *Session) lost(ctx context.Context, method string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("asking for %s: %w", method, context.Cause(ctx))
	}
	if errors.Is(err, websocket.ErrMessageTooBig) || websocket.CloseStatus(err) == websocket.StatusMessageTooBig {
		return &Error{fmt.Sprintf("what answers at %s sent a message of more than %d MB", s.url, maxMessage>>20), "name the address that node --inspect prints"}
	}
	doing := "the session"
	if method == "HeapProfiler.takeHeapSnapshot" {
		doing = "the snapshot"
	}
	return &Error{fmt.Sprintf("the process ended in the middle of %s: the inspector at %s closed the connection", doing, s.url),
		"a snapshot needs about ten times the heap in memory: look whether the process was killed for it"}
}

// Collect runs the garbage collector.
func (s *Session) Collect(ctx context.Context) error {
	_, err := s.call(ctx, "HeapProfiler.collectGarbage", struct{}{}, nil)
	return err
}

// Snapshot writes a snapshot to w. The process stands still while it is made.
func (s *Session) Snapshot(ctx context.Context, w io.Writer) error {
	_, err := s.call(ctx, "HeapProfiler.takeHeapSnapshot", map[string]bool{"reportProgress": false}, w)
	return err
}

// Track makes V8 remember where objects are allocated, from now on.
func (s *Session) Track(ctx context.Context) error {
	_, err := s.call(ctx, "HeapProfiler.startTrackingHeapObjects", map[string]bool{"trackAllocations": true}, nil)
	return err
}

// evaluate runs an expression in the process and decodes its value, or that of the
// promise that it is, which is JSON text.
func (s *Session) evaluate(ctx context.Context, expression string, into any) error {
	raw, err := s.call(ctx, "Runtime.evaluate", map[string]any{
		"expression": expression, "returnByValue": true, "awaitPromise": true, "includeCommandLineAPI": true, "silent": true,
	}, nil)
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || len(answer.Exception) > 0 {
		return &Error{"the process does not answer what Node answers: it is no Node, or its main module hides require", "name a Node process"}
	}
	if err := json.Unmarshal([]byte(answer.Result.Value), into); err != nil {
		return fmt.Errorf("reading an answer of the inspector: %w", err)
	}
	return nil
}

// Info is what a process says of itself.
type Info struct {
	Version string
	PID     int
	RSS     int64 // bytes
	Heap    int64 // used, bytes
	Limit   int64 // of the heap, bytes
}

// Info asks the process about itself.
func (s *Session) Info(ctx context.Context) (Info, error) {
	var i Info
	err := s.evaluate(ctx, `JSON.stringify((m => ({Version: process.version, PID: process.pid, RSS: m.rss, Heap: m.heapUsed, `+
		`Limit: require('node:v8').getHeapStatistics().heap_size_limit}))(process.memoryUsage()))`, &i)
	return i, err
}

// pauses keeps the collections in the process, each with its begin in
// milliseconds of Unix time, its duration and whether it was a full one
// (performance_hooks: NODE_PERFORMANCE_GC_MAJOR), and hands them out once.
const pauses = `(async () => {
	const key = Symbol.for('ccheck.pauses');
	let seen = globalThis[key];
	if (!seen) {
		seen = {all: []};
		const {PerformanceObserver, performance, constants} = require('node:perf_hooks');
		seen.keep = list => { for (const e of list) if (seen.all.length < 300000) seen.all.push(performance.timeOrigin + e.startTime, e.duration,
			e.detail && e.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR ? 1 : 0) };
		seen.observer = new PerformanceObserver(l => seen.keep(l.getEntries()));
		seen.observer.observe({entryTypes: ['gc']});
		Object.defineProperty(globalThis, key, {value: seen, configurable: true, enumerable: false});
	}
	for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate); // an entry needs some turns of the loop
	if (seen.observer.takeRecords) seen.keep(seen.observer.takeRecords());
	return JSON.stringify(seen.all.splice(0));
})()`

// Pauses returns the collections since the last call. The first call begins to
// look; Forget ends it.
func (s *Session) Pauses(ctx context.Context) ([]series.Span, error) {
	var ms []float64
	if err := s.evaluate(ctx, pauses, &ms); err != nil {
		return nil, err
	}
	var all []series.Span
	for i := 0; i+2 < len(ms); i += 3 {
		all = append(all, series.Span{At: time.UnixMicro(int64(1000 * ms[i])), Took: time.Duration(ms[i+1] * float64(time.Millisecond)), Full: ms[i+2] == 1})
	}
	return all, nil
}

// Forget takes what Pauses made out of the process again.
func (s *Session) Forget(ctx context.Context) error {
	var done bool
	return s.evaluate(ctx, `(() => { const key = Symbol.for('ccheck.pauses'); if (globalThis[key]) { globalThis[key].observer.disconnect(); delete globalThis[key] } return 'true' })()`, &done)
}

// Target returns the WebSocket address of the process whose inspector listens at
// an http:// address, and whether there is one.
func Target(ctx context.Context, client *http.Client, base string) (url string, ok bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/json/list", nil)
	if err != nil {
		return "", false
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", false
	}
	defer resp.Body.Close()
	var list []struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&list); err != nil || len(list) == 0 || list[0].URL == "" {
		return "", false
	}
	return list[0].URL, true
}
