package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/lease"
	"github.com/ccheck/ccheck/probes/lease/web"
)

// app is an application that keeps its leases in memory, and expires none.
func app() http.Handler {
	var mu sync.Mutex
	var holder, value string
	var token int
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var in struct{ Name, Owner, Token, Key, Value string }
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.Owner == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mine := holder == in.Owner
		switch strings.TrimPrefix(r.URL.Path, "/api/") {
		case "acquire":
			if holder != "" {
				w.WriteHeader(http.StatusConflict)
				return
			}
			holder = in.Owner
			token++
			_ = json.NewEncoder(w).Encode(map[string]int{"token": token})
		case "renew", "release", "write":
			if !mine {
				w.WriteHeader(http.StatusConflict)
				return
			}
			if r.URL.Path == "/api/release" {
				holder = ""
			}
			value = in.Value
		case "read":
			_ = json.NewEncoder(w).Encode(map[string]string{"value": value})
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	})
}

func TestCalls(t *testing.T) {
	ctx := context.Background()
	server := httptest.NewServer(app())
	t.Cleanup(server.Close)
	b, err := web.Backend(server.URL + "/api/")
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := b.Open(ctx, lease.Owner{Name: "A"})
	c, err2 := b.Open(ctx, lease.Owner{Name: "B"})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	g, err := a.Acquire(ctx, "job", time.Second)
	if err != nil || g.Token != "1" {
		t.Fatalf("token %q, %v", g.Token, err)
	}
	if _, err := c.Acquire(ctx, "job", time.Second); !errors.Is(err, lease.ErrHeld) {
		t.Errorf("held: %v", err)
	}
	stranger := lease.Grant{Name: "job", Owner: "B", Token: "1"}
	if err := c.Renew(ctx, stranger); !errors.Is(err, lease.ErrLost) {
		t.Errorf("lost: %v", err)
	}
	if err := c.Write(ctx, "ledger", "B1", stranger); !errors.Is(err, lease.ErrFenced) {
		t.Errorf("fenced: %v", err)
	}
	if err := errors.Join(a.Renew(ctx, g), a.Write(ctx, "ledger", "A1", g)); err != nil {
		t.Error(err)
	}
	if value, err := c.Read(ctx, "ledger"); value != "A1" || err != nil {
		t.Errorf("read %q, %v", value, err)
	}
	if err := a.Release(ctx, g); err != nil {
		t.Error(err)
	}
}

func TestBadAnswers(t *testing.T) {
	for answer, want := range map[string]string{"": "has no token", "{}": "has no token", "[1]": "no JSON object"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
		b, err := web.Backend(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := b.Open(context.Background(), lease.Owner{Name: "A"})
		if _, err := c.Acquire(context.Background(), "job", time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", answer, err, want)
		}
		server.Close()
	}
	if _, err := web.Backend("localhost:8080"); err == nil {
		t.Error("an address without a scheme is taken")
	}
}
