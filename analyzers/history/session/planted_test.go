//go:build linux || darwin

package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lag"
	"github.com/ccheck/ccheck/probes/lag/cluster"
	"github.com/ccheck/ccheck/probes/server/postgres"
)

// lab is a primary and two replicas, of which the second is late.
type lab struct {
	primary *postgres.Server
	*cluster.Cluster
}

func newLab(t *testing.T, n int, delay time.Duration, settings map[string]string) lab {
	t.Helper()
	ctx := context.Background()
	primary, err := postgres.Start(ctx, postgres.Options{Dir: postgres.MemoryDir(), Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = primary.Stop(ctx) })
	c, err := cluster.Grow(ctx, primary, n, delay, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return lab{primary, c}
}

func statement(t *testing.T, config *pgconn.Config, sql string) {
	t.Helper()
	conn, err := pgconn.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// drive runs the probe in a schema of its own and judges what it recorded.
func (l lab) drive(t *testing.T, schema string, o lag.Options) (driver.Result, *report.Lag, error) {
	t.Helper()
	in := func(c *pgconn.Config) *pgconn.Config {
		c.RuntimeParams["search_path"] = schema
		return c
	}
	statement(t, l.primary.Config(), "create schema "+schema)
	statement(t, in(l.primary.Config()), lag.Tables)
	o.Primary = lag.Server{Name: "primary", Config: in(l.primary.Config())}
	for i, r := range l.Replicas {
		o.Replicas = append(o.Replicas, lag.Server{Name: "r" + string(rune('1'+i)), Config: in(r.Config())})
	}
	o.Path = filepath.Join(t.TempDir(), "run.jsonl")
	o.Header.Params = append(o.Header.Params, history.Parameter{Name: "reads", Value: string(o.Policy)})
	if o.Every == 0 {
		o.Every = 20 * time.Millisecond
	}
	o.Patience = max(o.Patience, 5*time.Second)
	_, driveErr := lag.Drive(t.Context(), o)
	f, err := history.Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := driver.Judge(t.Context(), f, []*check.Checker{Checker})
	if err != nil {
		t.Fatal(err)
	}
	return res, Lag(f.Header, f.Ops()), driveErr
}

// A session that reads from a late replica breaks all four claims; the three
// ways to read that mend it are clean, with the lag seen.
func TestPlantedAndFixed(t *testing.T) {
	l := newLab(t, 2, 200*time.Millisecond, nil)
	t.Run("replica", func(t *testing.T) {
		res, seen, err := l.drive(t, "naive", lag.Options{
			Policy: lag.Replica, Duration: 2 * time.Second, Fixes: time.Second,
			Partition: &lag.Partition{Replica: "r2", For: time.Second, Cut: l.Cut, Mend: l.Mend},
		})
		if err != nil || res.Verdict != report.Faulty {
			t.Fatalf("%s: %v %v", res.Verdict, res.Reasons, err)
		}
		for _, k := range []kind{own, read, cause, money} {
			if !slices.ContainsFunc(res.Findings, func(f report.Finding) bool { return f.Claim == claims[k] && len(f.Steps) > 1 }) {
				t.Errorf("no finding with a story about %q", claims[k])
			}
		}
		tried(t, res.Findings[0])
		apart(t, seen)
	})
	for _, p := range []lag.Policy{lag.Primary, lag.Wait, lag.Token} {
		t.Run(string(p), func(t *testing.T) {
			res, _, err := l.drive(t, "fixed_"+string(p), lag.Options{Policy: p, Duration: 4 * time.Second})
			if err != nil || res.Verdict != report.Clean {
				t.Errorf("%s: %v %+v %v", res.Verdict, res.Reasons, res.Findings, err)
			}
		})
	}
}

// tried looks for what was seen of each mend in the run.
func tried(t *testing.T, f report.Finding) {
	t.Helper()
	n := 0
	for _, x := range f.Fixes {
		if x.Verified != "" {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d of the fixes were tried, want 3: %+v", n, f.Fixes)
	}
}

// apart looks whether the two replicas are told apart, and the partition.
func apart(t *testing.T, l *report.Lag) {
	t.Helper()
	if l == nil || len(l.Replicas) != 2 || l.Replicas[0].P50 >= l.Replicas[1].P50 {
		t.Fatalf("the replica that applies everything 200ms later is not told from the other: %+v", l)
	}
	if l.CutName != "r2" || len(l.Cut) != len(lag.Policies) || l.CutOldest == 0 || l.CaughtUp == 0 {
		t.Errorf("the partition is not told: %+v", l)
	}
	for _, x := range l.Cut {
		if (x.Stale > 0) != (x.Name == "replica") {
			t.Errorf("cut off, reading by %s: %d of %d stale", x.Name, x.Stale, x.Reads)
		}
	}
}

// With a standby that must have applied a commit before it returns there is no
// lag, and without lag there is no verdict.
func TestNoLagIsUnknown(t *testing.T) {
	l := newLab(t, 1, 0, nil)
	statement(t, l.primary.Config(), "alter system set synchronous_standby_names = '*'")
	statement(t, l.primary.Config(), "alter system set synchronous_commit = 'remote_apply'")
	statement(t, l.primary.Config(), "select pg_reload_conf()")
	res, _, err := l.drive(t, "applied", lag.Options{Policy: lag.Replica, Duration: time.Second})
	if err != nil || res.Verdict != report.Unknown {
		t.Errorf("%s: %v %+v %v", res.Verdict, res.Reasons, res.Findings, err)
	}
}

// A replica that is promoted in the middle ends the run.
func TestPromoted(t *testing.T) {
	l := newLab(t, 2, 0, nil)
	go func() {
		time.Sleep(500 * time.Millisecond)
		conn, err := pgconn.ConnectConfig(context.Background(), l.Replicas[1].Config())
		if err != nil {
			return // the run ends without, and the test fails
		}
		_, _ = conn.Exec(context.Background(), "select pg_promote()").ReadAll()
		conn.Close(context.Background())
	}()
	res, _, err := l.drive(t, "promoted", lag.Options{Policy: lag.Token, Duration: 20 * time.Second})
	var promoted *lag.PromotedError
	if !errors.As(err, &promoted) || promoted.Server != "r2" || res.Verdict == report.Clean {
		t.Errorf("%v, %s", err, res.Verdict)
	}
}
