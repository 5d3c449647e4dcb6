package delivery

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/queue"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

// options are those of a run in an empty database.
func options(t *testing.T, version string) queue.Options {
	t.Helper()
	sc, err := scenario.Open(strings.TrimSuffix(queue.Scenario+"/"+version, "/"))
	if err != nil {
		t.Fatal(err)
	}
	tgt, err := target.Parse(target.Source{DSN: pgtest.DSN(t), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	run := target.NewRun("test", time.Now())
	set := target.DefaultSettings()
	set.SearchPath = "public"
	return queue.Options{
		Scenario: sc, Seed: 1, Path: filepath.Join(t.TempDir(), "run.jsonl"),
		Producers: 4, Workers: 8, Jobs: 200, Kills: 6, Patience: 2 * time.Second,
		Config: func() *pgconn.Config { return tgt.Config(run, set) },
		Tables: func(ctx context.Context) ([]history.Table, error) {
			conn, err := tgt.Connect(ctx, run, set)
			if err != nil {
				return nil, err
			}
			defer conn.Close(ctx)
			return tgt.Tables(ctx, conn, "public")
		},
	}
}

func judged(t *testing.T, o queue.Options) driver.Result {
	t.Helper()
	if _, err := queue.Drive(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	f, err := history.Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := driver.Judge(context.Background(), f, []*check.Checker{Checker})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Every kind that does not hold is found by the claim that it breaks, and every
// kind that holds is clean though its workers die.
func TestKinds(t *testing.T) {
	breaks := map[string]string{
		"select-then-mark": once, "one-statement": once, "no-recovery": done,
		"short-visibility": once, "outbox-cursor": done, "two-relays": once,
	}
	for _, k := range queue.Kinds {
		t.Run(k.Name, func(t *testing.T) {
			res := judged(t, options(t, k.Variant))
			if k.Holds {
				if res.Verdict != report.Clean {
					t.Errorf("%s: %v %+v", res.Verdict, res.Reasons, res.Findings)
				}
				return
			}
			found := false
			for _, f := range res.Findings {
				t.Logf("%s: %s\n%v\n%+v", f.Anomaly, f.Message, f.Why, f.Rows)
				found = found || f.Claim == breaks[k.Name]
				if len(f.Lanes) != 2 || len(f.Fixes) == 0 {
					t.Errorf("%s is told with %d lanes and %d fixes", f.Anomaly, len(f.Lanes), len(f.Fixes))
				}
			}
			if !found {
				t.Errorf("%s: nothing about %q: %v", res.Verdict, breaks[k.Name], res.Reasons)
			}
		})
	}
}

// A run that is broken off has jobs that are late, and none that is lost.
func TestBrokenOffIsUnknown(t *testing.T) {
	o := options(t, "skip-locked")
	stop := make(chan struct{})
	o.Jobs, o.Stop = 5000, stop
	var once sync.Once
	o.Progress = func(c queue.Counts) {
		if c.Done > 20 {
			once.Do(func() { close(stop) })
		}
	}
	if res := judged(t, o); res.Verdict != report.Unknown || len(res.Findings) > 0 {
		t.Errorf("%s: %v %+v", res.Verdict, res.Reasons, res.Findings)
	}
}

// A queue with one worker, or whose workers live for ever, proves nothing.
func TestUnknown(t *testing.T) {
	for name, change := range map[string]func(*queue.Options){
		"one worker": func(o *queue.Options) { o.Workers = 1 },
		"no deaths":  func(o *queue.Options) { o.Kills = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "skip-locked")
			o.Jobs = 50
			change(&o)
			if res := judged(t, o); res.Verdict != report.Unknown || len(res.Reasons) == 0 {
				t.Errorf("%s: %v %+v", res.Verdict, res.Reasons, res.Findings)
			}
		})
	}
}
