package node

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// hostile is an inspector that answers as no Node does.
func hostile(t *testing.T, answer func(context.Context, *websocket.Conn)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		if _, _, err := c.Read(r.Context()); err == nil {
			answer(r.Context(), c)
		}
	}))
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

func say(text string) func(context.Context, *websocket.Conn) {
	return func(ctx context.Context, c *websocket.Conn) {
		_ = c.Write(ctx, websocket.MessageText, []byte(text))
		_, _, _ = c.Read(ctx)
	}
}

func TestHostileInspector(t *testing.T) {
	tests := []struct {
		name   string
		answer func(context.Context, *websocket.Conn)
		says   string
	}{
		{"no JSON", say("hello"), "is no inspector"},
		{"a refusal", say(`{"id":1,"error":{"code":-32000,"message":"already in use"}}`), "refuses HeapProfiler.takeHeapSnapshot: already in use"},
		{"the end", func(context.Context, *websocket.Conn) {}, "ended in the middle of the snapshot"},
		{"a huge message", say(strings.Repeat("x", maxMessage+1)), "more than 64 MB"},
		{"a chunk that is none", say(`{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":7}}`), "reading a chunk"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Dial(t.Context(), hostile(t, tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Snapshot(t.Context(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q in it", err, tt.says)
			}
		})
	}
}

// TestEventsBetween passes over what is no answer to the request.
func TestEventsBetween(t *testing.T) {
	s, err := Dial(t.Context(), hostile(t, func(ctx context.Context, c *websocket.Conn) {
		for _, m := range []string{
			`{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"{\"a\""}}`, `{"method":"Runtime.consoleAPICalled","params":{}}`,
			`{"id":99,"result":{}}`, `{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":":1}"}}`, `{"id":1,"result":{}}`,
		} {
			_ = c.Write(ctx, websocket.MessageText, []byte(m))
		}
		_, _, _ = c.Read(ctx)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got bytes.Buffer
	if err := s.Snapshot(t.Context(), &got); err != nil || got.String() != `{"a":1}` {
		t.Errorf("%q, %v", got.String(), err)
	}
}

func TestRefusedSession(t *testing.T) {
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "one client only", http.StatusInternalServerError)
	}))
	defer busy.Close()
	_, err := Dial(t.Context(), "ws"+strings.TrimPrefix(busy.URL, "http")+"/id")
	var named *Error
	if !errors.As(err, &named) || !strings.Contains(named.Msg, "refuses a session") || !strings.Contains(named.Hint, "debuggers") {
		t.Errorf("got %v", err)
	}
}

func TestTarget(t *testing.T) {
	for body, want := range map[string]string{
		`[{"webSocketDebuggerUrl":"ws://127.0.0.1:9229/x"}]`: "ws://127.0.0.1:9229/x", `[]`: "", `<html>`: "", `[{}]`: "",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		if got, ok := Target(t.Context(), s.Client(), s.URL); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", body, got, ok)
		}
		s.Close()
	}
}
