//go:build linux || darwin

package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/lease"
	"github.com/ccheck/ccheck/probes/server/etcd"
)

// A paused server is what a client sees of one without a quorum that answers
// nothing; the other errors are those of real answers.
func TestConnectErrors(t *testing.T) {
	ctx := context.Background()
	s, err := etcd.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(ctx) })
	login := strings.Replace(s.URL(), "://", "://root:canary@", 1)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	for _, tt := range []struct{ url, msg, hint string }{
		{"http://127.0.0.1:1", "cannot be used", "start it"},
		{"127.0.0.1:2379", "that is no endpoint of an etcd", "http://"},
		{login, "authentication is not enabled", "start it"},
		{other.URL, "answers 404 to /v3/", "start it"},
	} {
		_, _, err := Connect(ctx, tt.url, "test")
		var setup *lease.SetupError
		if !errors.As(err, &setup) || !strings.Contains(setup.Msg, tt.msg) || !strings.Contains(setup.Hint, tt.hint) {
			t.Errorf("%s: %v, want %q", tt.url, err, tt.msg)
		}
		if setup != nil && strings.Contains(setup.Msg+setup.Hint, "canary") {
			t.Errorf("the password is told: %v", err)
		}
	}
}

// The errors that etcd answers with, by their text.
func TestExplain(t *testing.T) {
	u, err := url.Parse("http://etcd.test:2379")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&Error{Code: unavailable, Text: "etcdserver: no leader"}, "no quorum"},
		{&Error{Code: unavailable, Text: "etcdserver: request timed out"}, "no quorum"},
		{fmt.Errorf("asking: %w", context.DeadlineExceeded), "no quorum"},
		{&Error{Code: invalidArgument, Text: "etcdserver: user name is empty"}, "wants a user"},
		{&Error{Code: invalidArgument, Text: "etcdserver: authentication failed, invalid user ID or password"}, "refuses the user or the password"},
	} {
		if got := explain(u, tt.err); !strings.Contains(got.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.err, got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(200, `{"succeeded":true}`)
	f.Add(400, `{"code":5,"message":"etcdserver: requested lease not found"}`)
	f.Add(502, `<html>`)
	f.Fuzz(func(t *testing.T, status int, text string) {
		var answer struct{ Succeeded bool }
		if err := decode(status, []byte(text), &answer); err == nil && status != http.StatusOK {
			t.Errorf("%d is taken for a success", status)
		}
	})
}
