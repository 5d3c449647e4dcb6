//go:build linux || darwin

package fenced

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/leader"
	"github.com/ccheck/ccheck/probes/lease"
	leasepg "github.com/ccheck/ccheck/probes/lease/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

const term = 2 * time.Second

// service is an instance that leads by a lease in PostgreSQL and answers who
// leads. While there is a file of its name, it does not reach the store.
type service struct {
	client   lease.Client
	off      string
	stubborn bool // goes on to lead while it cannot renew

	mu            sync.Mutex
	grant         lease.Grant
	leads         bool
	deadline      time.Time
	done, refused *int64
}

func (s *service) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	leads := s.leads && (s.stubborn || time.Now().Before(s.deadline))
	_ = json.NewEncoder(w).Encode(map[string]any{"leader": leads, "token": s.grant.Token, "done": s.done, "refused": s.refused})
}

// turn is one look at the world. One that was away tries the job that it had in
// mind, as after a pause, and the store refuses it.
func (s *service) turn(ctx context.Context, tick int64, away bool) (missed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := time.Now()
	_, err := os.Stat(s.off)
	switch {
	case err == nil:
		s.leads = s.leads && (s.stubborn || asked.Before(s.deadline))
		return true
	case away && s.grant.Token != "":
		s.fire(ctx, tick)
		s.leads = false
		return false
	case s.leads:
		s.leads = s.client.Renew(ctx, s.grant) == nil
	default:
		g, err := s.client.Acquire(ctx, "leader", term)
		if s.leads = err == nil; s.leads {
			s.grant = g
		}
	}
	if s.leads {
		s.deadline = asked.Add(term)
		s.fire(ctx, tick)
	}
	return false
}

func (s *service) fire(ctx context.Context, tick int64) {
	switch err := s.client.(lease.Firer).Fire(ctx, tick, s.grant); {
	case err == nil:
		s.done = &tick
	case errors.Is(err, lease.ErrFenced) && (s.done == nil || *s.done != tick):
		s.refused = &tick
	}
}

func serve(t *testing.T, b *lease.Backend, name, dir string, stubborn bool) string {
	t.Helper()
	c, err := b.Open(t.Context(), lease.Owner{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	s := &service{client: c, off: filepath.Join(dir, name), stubborn: stubborn}
	server := httptest.NewServer(s)
	var life sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	away := false
	life.Go(func() {
		for ctx.Err() == nil {
			away = s.turn(ctx, time.Now().UnixMilli()/(2*term/5).Milliseconds(), away)
			time.Sleep(term / 20)
		}
	})
	t.Cleanup(func() { cancel(); life.Wait(); server.Close(); c.Close() })
	return server.URL
}

// Instances that are asked who leads: one that cannot renew and goes on to lead is
// found, and one that stops by its own clock is not.
func TestWatched(t *testing.T) {
	t.Parallel()
	for name, stubborn := range map[string]bool{"stops": false, "stubborn": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, dir := pgtest.Config(t), t.TempDir()
			if err := leasepg.Setup(t.Context(), config); err != nil {
				t.Fatal(err)
			}
			w := &leader.Watch{Break: "touch " + dir + "/$CCHECK_INSTANCE", Mend: "rm " + dir + "/$CCHECK_INSTANCE"}
			for _, name := range []string{"A", "B", "C"} {
				w.URLs = append(w.URLs, serve(t, leasepg.Backend(config, lease.None), name, dir, stubborn))
			}
			res := watch(t, w)
			two := slices.ContainsFunc(res.Findings, func(f report.Finding) bool { return f.Claim == oneLeader })
			if two != stubborn || !stubborn && res.Verdict != report.Clean {
				t.Errorf("%s: %v, %v", res.Verdict, res.Findings, res.Reasons)
			}
		})
	}
}

func watch(t *testing.T, w *leader.Watch) driver.Result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	_, err := leader.Drive(t.Context(), leader.Options{
		Backend: &lease.Backend{Target: w.Target()}, Watch: w, Path: path, TTL: term, Instances: len(w.URLs), Rounds: 2, Seed: 7,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, res := recorded(t, path)
	return res
}
