package bleed

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func TestOptions(t *testing.T) {
	tests := []struct{ args, err string }{
		{"http://h/me?u={{user}}", ""},
		{"http://h/me --login http://h/login?u={{user}}", ""},
		{"http://h/me --header X-User:{{user}}", ""},
		{"http://h/me --body {{user}}", ""},
		{"http://h/me", "no part of the request has {{user}} in it, so nobody could be told from another"},
		{"h/me?u={{user}}", `"…" (not shown: it looks like a connection string and may hold a password) is no request`},
		{"http://u:canary@h/{{user}}", "the URL of the request holds a password, and the history would, too"},
		{"http://h/{{user}} --header canary", "a --header is no header"},
		{"http://h/{{user}} --users 1", "--users 1: one cannot get the data of another"},
		{"http://h/{{user}} --each 0", "--each 0: a user asks at least once"},
		{"http://h/{{user}} --limit 0s", "--limit 0s is no time"},
		{"", "bleed needs REQUEST"},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		err := clitest.Run(t, New(s, func(context.Context, *Options) error { return nil }), strings.Fields(tt.args)...)
		if got := clitest.Of(err); got.Msg != tt.err || strings.Contains(got.Msg+got.Hint, "canary") {
			t.Errorf("%s: %+v, want %q", tt.args, got, tt.err)
		}
	}
}

// The verdict is the exit code, with a server that bleeds, its twin, one that
// names nobody and one that refuses.
func TestVerdicts(t *testing.T) {
	var current atomic.Value
	tests := []struct {
		name   string
		answer http.HandlerFunc
		code   int
		out    string
	}{
		{"bleeds", func(w http.ResponseWriter, r *http.Request) {
			current.Store(r.FormValue("u"))
			time.Sleep(2 * time.Millisecond)
			fmt.Fprintln(w, current.Load())
		}, exit.Findings, "HIGH data of another user"},
		{"confined", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(2 * time.Millisecond)
			fmt.Fprintln(w, r.FormValue("u"))
		}, exit.Clean, "clean"},
		{"silent", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") }, exit.Unknown, "never held the marker of their own user"},
		{"refuses", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }, exit.Failed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(tt.answer)
			defer srv.Close()
			s, b := stdio.Test()
			home := t.TempDir()
			s.Env = func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] }
			err := clitest.Run(t, New(s, nil), srv.URL+"/?u={{user}}", "--users", "10", "--each", "30")
			if exit.Code(err) != tt.code || !strings.Contains(b.Out.String(), tt.out) {
				t.Errorf("code %d, error %v\n%s", exit.Code(err), err, b.Out.String())
			}
		})
	}
}
