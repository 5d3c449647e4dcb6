package deadlock

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/deadlock"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	server "github.com/ccheck/ccheck/probes/target"
)

// options are those of a run in an empty database.
func options(t *testing.T, team deadlock.Team) deadlock.Options {
	t.Helper()
	tgt, err := server.Parse(server.Source{DSN: pgtest.DSN(t), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	run := server.NewRun("test", time.Now())
	set := server.DefaultSettings()
	set.Lock, set.SearchPath = time.Minute, "public"
	set.Params = map[string]string{"deadlock_timeout": "100ms"}
	return deadlock.Options{
		Team: team, Isolation: scenario.ReadCommitted, Seed: 1, Path: filepath.Join(t.TempDir(), "run.jsonl"), Max: 2000,
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

func judged(t *testing.T, path string) driver.Result {
	t.Helper()
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := driver.Judge(context.Background(), f, []*check.Checker{Checker})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func team(t *testing.T, s deadlock.Shape, version string, lanes int) deadlock.Team {
	t.Helper()
	sc, err := scenario.Open(strings.TrimSuffix(deadlock.Scenario+"/"+version, "/"))
	if err != nil {
		t.Fatal(err)
	}
	return s.Team(sc, lanes)
}

// Every shape is found as it is commonly written, with the locks that its lanes
// held; and every cure is clean, deadlocks that were started over included.
func TestShapesAndTheirCures(t *testing.T) {
	for _, s := range deadlock.Shapes {
		t.Run(s.Name, func(t *testing.T) {
			o := options(t, team(t, s, "", s.Lanes))
			if _, err := deadlock.Explore(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			res := judged(t, o.Path)
			if len(res.Findings) != 1 {
				t.Fatalf("%s: %d findings, %v", res.Verdict, len(res.Findings), res.Reasons)
			}
			f := res.Findings[0]
			if len(f.Ring) != s.Lanes || f.Ring[0].For == "" || f.Ring[0].Step < 0 || f.Steps[f.Ring[0].Step].Lane != f.Ring[0].Lane {
				t.Errorf("the circle of %d lanes is %+v", s.Lanes, f.Ring)
			}
			if len(f.Lanes) != s.Lanes || strings.Count(f.Why, " holds since its ") != s.Lanes {
				t.Errorf("%d lanes, why: %s", len(f.Lanes), f.Why)
			}
			if last := f.Fixes[len(f.Fixes)-1]; len(f.Fixes) < 3 || last.Kind != report.Retry {
				t.Errorf("fixes: %+v", f.Fixes)
			}
			for _, version := range s.Cures {
				cured(t, s, version)
			}
		})
	}
}

func cured(t *testing.T, s deadlock.Shape, version string) {
	t.Run(version, func(t *testing.T) {
		o := options(t, team(t, s, version, s.Lanes))
		drive := deadlock.Explore
		if o.Team.Timed() {
			drive, o.Clients, o.Duration = deadlock.Load, 2*s.Lanes, 500*time.Millisecond
		}
		counts, err := drive(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if res := judged(t, o.Path); res.Verdict != report.Clean {
			t.Errorf("%s: %v %+v", res.Verdict, res.Reasons, res.Findings)
		}
		if version == "retry" && counts.Deadlocks == 0 {
			t.Error("no deadlock was started over")
		}
	})
}

// At full speed the server picks the victim, and the samples of who waits are
// few: the circle is found all the same.
func TestLoadFindsARing(t *testing.T) {
	s, _ := deadlock.Find("cycle")
	o := options(t, team(t, s, "", 4))
	o.Clients, o.Duration = 8, 2*time.Second
	if _, err := deadlock.Load(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	res := judged(t, o.Path)
	if res.Verdict != report.Faulty {
		t.Fatalf("%s: %v", res.Verdict, res.Reasons)
	}
	for _, f := range res.Findings {
		t.Log(f.Anomaly, f.Why)
	}
}

// Calls that never meet prove nothing.
func TestApartIsUnknown(t *testing.T) {
	o := options(t, apart(t))
	if _, err := deadlock.Explore(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if res := judged(t, o.Path); res.Verdict != report.Unknown {
		t.Errorf("%s: %v", res.Verdict, res.Reasons)
	}
}

// apart are two calls of which one transfers and the other replies.
func apart(t *testing.T) deadlock.Team {
	t.Helper()
	sc, err := scenario.Open(deadlock.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	return deadlock.Of(sc, []string{"transfer", "reply"})
}

// A watch of a live server tells a circle while it lasts, and a wait that was
// long with whom it waited for.
func TestWatch(t *testing.T) {
	config := pgtest.Config(t)
	config.RuntimeParams["deadlock_timeout"] = "400ms"
	open := func(name string) *pgconn.PgConn {
		c := config.Copy()
		c.RuntimeParams["application_name"] = name
		conn, err := pgconn.ConnectConfig(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
		return conn
	}
	a, b := open("shop"), open("billing")
	exec := func(c *pgconn.PgConn, sql string) error {
		_, err := c.Exec(t.Context(), sql).ReadAll()
		return err
	}
	if err := exec(a, "create table account (id int primary key, balance int); insert into account values (1, 0), (2, 0)"); err != nil {
		t.Fatal(err)
	}
	stop, path, done := make(chan struct{}), filepath.Join(t.TempDir(), "watch.jsonl"), make(chan error, 1)
	looks := make(chan deadlock.Watched, 1000)
	watcher := open("watcher")
	go func() {
		_, err := deadlock.Watch(t.Context(), deadlock.WatchOptions{
			Conn: watcher, Path: path, Every: 20 * time.Millisecond, Long: 100 * time.Millisecond, Stop: stop,
			Progress: func(c deadlock.Watched) { looks <- c },
		})
		done <- err
	}()
	<-looks
	for _, sql := range []string{"begin; update account set balance = 1 where id = 1", "begin; update account set balance = 1 where id = 2"} {
		conn := a
		if strings.HasSuffix(sql, "2") {
			conn = b
		}
		if err := exec(conn, sql); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 2)
	go func() { ended <- exec(a, "update account set balance = 2 where id = 2") }()
	go func() { ended <- exec(b, "update account set balance = 2 where id = 1") }()
	if first, second := <-ended, <-ended; first == nil && second == nil {
		t.Fatal("the server ended no deadlock")
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	res := judged(t, path)
	if len(res.Findings) == 0 || len(res.Findings[0].Lanes) != 2 {
		t.Fatalf("%s: %v %+v", res.Verdict, res.Reasons, res.Findings)
	}
	t.Log(res.Findings[0].Anomaly, res.Findings[0].Why, res.Findings[0].Steps)
}
