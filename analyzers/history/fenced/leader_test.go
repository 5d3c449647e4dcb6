//go:build linux || darwin

package fenced

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/leader"
	"github.com/ccheck/ccheck/probes/lease"
	leasepg "github.com/ccheck/ccheck/probes/lease/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

func elected(t *testing.T, b *lease.Backend) driver.Result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	_, err := leader.Drive(context.Background(), leader.Options{Backend: b, Path: path, TTL: time.Second, Instances: 3, Rounds: 1, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	f, res := recorded(t, path)
	for o, err := range f.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		if o.Scope == history.ScopeCall && o.Actor == "fire" && o.Kind != history.Invoke && len(o.Vars) == 0 {
			t.Errorf("event %d: a job that was asked of no store: %s", o.Index, o.Error)
		}
	}
	return res
}

// All schemes are clean as they are, and each way to do it wrong is found.
func TestLeaders(t *testing.T) {
	t.Parallel()
	all := stores(t)
	all["advisory"] = func(t *testing.T, planted lease.Planted) *lease.Backend {
		config := pgtest.Config(t)
		if err := leasepg.Setup(context.Background(), config); err != nil {
			t.Fatal(err)
		}
		return leasepg.Advisory(config, planted)
	}
	tests := []struct {
		scheme  string
		planted lease.Planted
		claims  []string // of which one must be found broken; none for clean
	}{
		{"postgresql", lease.None, nil},
		{"redis", lease.None, nil},
		{"etcd", lease.None, nil},
		{"advisory", lease.None, nil},
		{"postgresql", lease.Blind, []string{deposed, onceEach}},
		{"redis", lease.Blind, []string{deposed, onceEach}},
		{"etcd", lease.Blind, []string{deposed, onceEach}},
		{"advisory", lease.Pool, []string{deposed, onceEach}},
	}
	for _, tt := range tests {
		t.Run(tt.scheme+"/"+string(tt.planted), func(t *testing.T) {
			t.Parallel()
			res := elected(t, all[tt.scheme](t, tt.planted))
			for _, f := range res.Findings {
				t.Logf("%s: %s", f.Anomaly, f.Message)
			}
			switch {
			case tt.claims == nil && res.Verdict != report.Clean:
				t.Errorf("%s: %v", res.Verdict, res.Reasons)
			case tt.claims != nil && !slices.ContainsFunc(res.Findings, func(f report.Finding) bool { return slices.Contains(tt.claims, f.Claim) }):
				t.Errorf("%s: nothing found: %v", res.Verdict, res.Reasons)
			}
		})
	}
}
