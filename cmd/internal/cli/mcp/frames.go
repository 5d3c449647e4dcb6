package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// frames is the connection to the assistant, one message a line. It answers what
// is no message, where the SDK would end the connection, and holds back the end
// of the input until every call has its answer.
type frames struct {
	in   *bufio.Reader
	rest []byte // of a line that was read in part

	mu    sync.Mutex // of what follows
	out   io.Writer
	calls map[jsonrpc.ID]bool // without an answer
	ended *sync.Cond          // a call has its answer
}

func newFrames(in io.Reader, out io.Writer) *frames {
	f := &frames{in: bufio.NewReader(in), out: out, calls: map[jsonrpc.ID]bool{}}
	f.ended = sync.NewCond(&f.mu)
	return f
}

func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 && f.take(line) {
			f.rest = append(line, '\n')
			break
		}
		if errors.Is(err, io.EOF) {
			f.wait()
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// take notes a call, and answers what is no message of JSON-RPC 2.0 with the
// error that section 5.1 of its specification has for it.
func (f *frames) take(line []byte) (ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if line[0] == '[' && json.Valid(line) {
		return true // a batch, of an early revision of the protocol
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		code, what := jsonrpc.CodeInvalidRequest, "Invalid Request"
		if !json.Valid(line) {
			code, what = jsonrpc.CodeParseError, "Parse error"
		}
		_, err := fmt.Fprintf(f.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, what)
		return err != nil // the SDK finds the stream broken
	}
	if r, ok := msg.(*jsonrpc.Request); ok {
		f.note(r)
	}
	return true
}

// note remembers a call. One that is taken back may get no answer.
func (f *frames) note(r *jsonrpc.Request) {
	if r.ID.IsValid() {
		f.calls[r.ID] = true
		return
	}
	var back struct {
		ID any `json:"requestId"`
	}
	if r.Method != "notifications/cancelled" || json.Unmarshal(r.Params, &back) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(back.ID); err == nil {
		delete(f.calls, id)
	}
}

// Write writes one message.
func (f *frames) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.out.Write(p)
	msg, decodeErr := jsonrpc.DecodeMessage(bytes.TrimSpace(p))
	if r, ok := msg.(*jsonrpc.Response); ok && decodeErr == nil {
		delete(f.calls, r.ID)
	}
	if err != nil {
		clear(f.calls) // nobody reads their answers
	}
	f.ended.Broadcast()
	return n, err
}

// wait returns when every call has its answer.
func (f *frames) wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.calls) > 0 {
		f.ended.Wait()
	}
}

// Close does nothing: the streams are not ours.
func (*frames) Close() error { return nil }
