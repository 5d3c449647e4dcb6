//go:build linux || darwin

package fenced

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
	leaseetcd "github.com/ccheck/ccheck/probes/lease/etcd"
	leasepg "github.com/ccheck/ccheck/probes/lease/postgres"
	leaseredis "github.com/ccheck/ccheck/probes/lease/redis"
	"github.com/ccheck/ccheck/probes/server/etcd"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/server/redis"
)

// stores makes a backend of each kind on a real server, fresh for each call.
func stores(t *testing.T) map[string]func(t *testing.T, planted lease.Planted) *lease.Backend {
	ctx := context.Background()
	r, err := redis.Start(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop(ctx) })
	e, err := etcd.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop(ctx) })
	return map[string]func(*testing.T, lease.Planted) *lease.Backend{
		"postgresql": func(t *testing.T, planted lease.Planted) *lease.Backend {
			config := pgtest.Config(t)
			if err := leasepg.Setup(ctx, config); err != nil {
				t.Fatal(err)
			}
			return leasepg.Backend(config, planted)
		},
		"redis": func(t *testing.T, planted lease.Planted) *lease.Backend {
			s, target, err := leaseredis.Connect(ctx, r.URL(), "test-"+string(planted))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Clean(ctx); err != nil {
					t.Error(err)
				}
			})
			return s.Backend(target, planted)
		},
		"etcd": func(t *testing.T, planted lease.Planted) *lease.Backend {
			s, target, err := leaseetcd.Connect(ctx, e.URL(), "test-"+string(planted))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Clean(ctx); err != nil {
					t.Error(err)
				}
			})
			return s.Backend(target, planted)
		},
	}
}

// recorded reads and judges what a run wrote, and logs what is to be noted of it.
func recorded(t *testing.T, path string) (*history.File, driver.Result) {
	t.Helper()
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := driver.Judge(t.Context(), f, []*check.Checker{Checker})
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range Notes(f.Header, f) {
		t.Log(note)
	}
	return f, res
}

// judged drives the store and judges what was recorded.
func judged(t *testing.T, b *lease.Backend, ttl, duration time.Duration) driver.Result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	_, err := lease.Drive(context.Background(), lease.Options{
		Backend: b, Path: path, TTL: ttl, Rounds: 1, Clients: 4, Names: 2, Duration: duration, Seed: 7,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, res := recorded(t, path)
	return res
}

// The references are clean, with a load; and every way to do it wrong is found,
// by the claim that it breaks.
func TestReferencesAndPlants(t *testing.T) {
	t.Parallel()
	claims := map[lease.Planted]string{
		lease.Expiry: lateWrite, lease.Random: growing, lease.Clock: growing, lease.Compare: lateWrite,
		lease.Delete: onlyOwners, lease.Revive: onlyOwners, lease.Restart: growing, lease.Skew: oneOwner,
	}
	for kind, open := range stores(t) {
		t.Run(kind, func(t *testing.T) {
			ttl := 500 * time.Millisecond
			if kind == "etcd" {
				ttl = time.Second // it grants no shorter one
			}
			t.Run("reference", func(t *testing.T) {
				t.Parallel()
				if res := judged(t, open(t, lease.None), time.Second, 300*time.Millisecond); res.Verdict != report.Clean {
					t.Errorf("%s: %v %+v", res.Verdict, res.Reasons, res.Findings)
				}
			})
			for planted, claim := range claims {
				if planted == lease.Skew && kind != "postgresql" {
					continue // the others have no clock in their calls
				}
				t.Run(string(planted), func(t *testing.T) {
					t.Parallel()
					res := judged(t, open(t, planted), ttl, 0)
					if !slices.ContainsFunc(res.Findings, func(f report.Finding) bool { return f.Claim == claim }) {
						t.Errorf("%s: no finding about %q: %v", res.Verdict, claim, res.Reasons)
					}
					for _, f := range res.Findings {
						t.Logf("%s: %s", f.Anomaly, f.Message)
					}
				})
			}
		})
	}
}
