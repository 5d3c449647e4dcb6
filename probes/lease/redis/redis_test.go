//go:build linux || darwin

package redis_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/lease"
	leaseredis "github.com/ccheck/ccheck/probes/lease/redis"
	"github.com/ccheck/ccheck/probes/server/redis"
)

// What a user gets wrong is told with its mend, and never with the password.
func TestConnectErrors(t *testing.T) {
	ctx := context.Background()
	s, err := redis.Start(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(ctx) })
	right, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal("the URL is none")
	}
	with := func(user *url.Userinfo) string {
		u := *right
		u.User = user
		return u.String()
	}
	for _, tt := range []struct{ url, msg, hint string }{
		{with(url.UserPassword("default", "canary")), "refuses the user or the password", "they stand in the URL"},
		{with(nil), "wants a password", "write it into the URL"},
		{"redis://127.0.0.1:1", "cannot be used", "start it"},
		{"127.0.0.1:6379", "that is no address of a Redis", "redis://"},
		{"http://127.0.0.1:6379", "that is no address of a Redis", "redis://"},
	} {
		_, _, err := leaseredis.Connect(ctx, tt.url, "test")
		var setup *lease.SetupError
		if !errors.As(err, &setup) || !strings.Contains(setup.Msg, tt.msg) || !strings.Contains(setup.Hint, tt.hint) {
			t.Errorf("%v, want %q and %q", err, tt.msg, tt.hint)
		}
		if setup != nil && strings.Contains(setup.Msg+setup.Hint, "canary") {
			t.Errorf("the password is told: %v", err)
		}
	}
}
