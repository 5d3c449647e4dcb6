package once

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/retry"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

// judged drives a subject in an empty database.
func judged(t *testing.T, subject func(config func() *pgconn.Config) retry.Subject) driver.Result {
	t.Helper()
	return driven(t, subject, retry.Options{Faults: retry.Faults})
}

func driven(t *testing.T, subject func(config func() *pgconn.Config) retry.Subject, o retry.Options) driver.Result {
	t.Helper()
	res, err := driver.Judge(context.Background(), recorded(t, subject, o), []*check.Checker{Checker})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func recorded(t *testing.T, subject func(config func() *pgconn.Config) retry.Subject, o retry.Options) *history.File {
	t.Helper()
	tgt, err := target.Parse(target.Source{DSN: pgtest.DSN(t), DSNGiven: true, Throwaway: true, Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	run := target.NewRun("test", time.Now())
	set := target.DefaultSettings()
	set.SearchPath = "public"
	config := func() *pgconn.Config { return tgt.Config(run, set) }
	path := filepath.Join(t.TempDir(), "run.jsonl")
	o.Subject, o.Config, o.Path, o.Seed = subject(config), config, path, 1
	o.Tables = func(ctx context.Context) ([]history.Table, error) {
		conn, err := tgt.Connect(ctx, run, set)
		if err != nil {
			return nil, err
		}
		defer conn.Close(ctx)
		return tgt.Tables(ctx, conn, "public")
	}
	_, err = retry.Drive(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// expect compares the anomalies that were found.
func expect(t *testing.T, res driver.Result, want ...string) {
	t.Helper()
	var found []string
	for _, f := range res.Findings {
		found = append(found, f.Anomaly)
		t.Logf("%s: %s\n%v", f.Anomaly, f.Message, f.Rows)
		if len(f.Lanes) == 0 || len(f.Fixes) == 0 {
			t.Errorf("%s is told with %d lanes and %d fixes", f.Anomaly, len(f.Lanes), len(f.Fixes))
		}
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q: %s %v", found, want, res.Verdict, res.Reasons)
	}
	if len(want) == 0 && res.Verdict != report.Clean {
		t.Errorf("%s: %v", res.Verdict, res.Reasons)
	}
}

// Every version of the payment is found by what it lacks; the last one is clean.
func TestPayment(t *testing.T) {
	for version, want := range map[string][]string{
		"":             {"not started over", "twice when it is sent again"},
		"retried":      {"twice when it is sent again"},
		"early-effect": {"effect twice after a retry", "twice when it is sent again"},
		"idempotent":   nil,
	} {
		t.Run(version, func(t *testing.T) {
			sc, err := scenario.Open(strings.TrimSuffix("payment/"+version, "/"))
			if err != nil {
				t.Fatal(err)
			}
			res := judged(t, func(config func() *pgconn.Config) retry.Subject {
				return &retry.Scripted{Scenario: sc, Config: config, Seed: 1}
			})
			expect(t, res, want...)
		})
	}
}

// client is an application in Go that takes one from a balance, in a way of its
// own.
type client struct {
	take    func(ctx context.Context, config *pgconn.Config) error
	through *pgconn.Config
}

func (c *client) Prepare(_ context.Context, admin *pg.Conn) error {
	_, err := admin.Ask("create table account (id int primary key, balance int not null); insert into account values (1, 100)")
	return err
}

func (c *client) Open(_ context.Context, through *pgconn.Config) ([]retry.Caller, error) {
	c.through = through
	return []retry.Caller{{Actor: history.Actor{Name: "take"}, Call: c.call}}, nil
}

func (c *client) call(ctx context.Context) retry.Ending {
	if err := c.take(ctx, c.through); err != nil {
		return retry.Ending{Outcome: history.Failed, Tries: 1, Err: err}
	}
	return retry.Ending{Outcome: history.Accepted, Tries: 1}
}

func (*client) Effects() []retry.Effect     { return nil }
func (*client) Reset(context.Context) error { return nil }
func (*client) Close()                      {}

// connect opens a connection by way of the proxy.
func connect(ctx context.Context, config *pgconn.Config) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig("")
	if err != nil {
		return nil, err
	}
	c.Config = *config.Copy()
	return pgx.ConnectConfig(ctx, c)
}

// balance reads, write computes from what was read.
func balance(ctx context.Context, q interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) (n int, err error) {
	err = q.QueryRow(ctx, "select balance from account where id = $1", 1).Scan(&n)
	return n, err
}

func write(ctx context.Context, conn *pgx.Conn, n int) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "update account set balance = $1 where id = $2", n, 1)
		return err
	})
}

func retryable(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// Clients in Go that do it wrong in ways that no script can, and one that does
// it right but for the key.
func TestClients(t *testing.T) {
	again := func(do func() error) (err error) {
		for range 5 {
			if err = do(); !retryable(err) {
				return err
			}
		}
		return err
	}
	for name, c := range map[string]struct {
		take func(ctx context.Context, conn *pgx.Conn, reopen func() (*pgx.Conn, error)) error
		want []string
	}{
		"writes again what it had read": {func(ctx context.Context, conn *pgx.Conn, _ func() (*pgx.Conn, error)) error {
			n, err := balance(ctx, conn)
			if err != nil {
				return err
			}
			return again(func() error { return write(ctx, conn, n-1) })
		}, []string{"retry that does not start from the read", "twice when it is sent again"}},
		"swallows the error": {func(ctx context.Context, conn *pgx.Conn, _ func() (*pgx.Conn, error)) error {
			n, err := balance(ctx, conn)
			if err != nil {
				return err
			}
			_ = write(ctx, conn, n-1)
			return nil
		}, []string{"accepted and dropped"}},
		"starts over on any error": {func(ctx context.Context, conn *pgx.Conn, reopen func() (*pgx.Conn, error)) (err error) {
			for range 5 {
				if conn.IsClosed() {
					if conn, err = reopen(); err != nil {
						return err
					}
				}
				var n int
				if n, err = balance(ctx, conn); err == nil {
					err = write(ctx, conn, n-1)
				}
				if err == nil {
					return nil
				}
			}
			return err
		}, []string{"made again after it was committed"}},
		"starts over from the read": {func(ctx context.Context, conn *pgx.Conn, _ func() (*pgx.Conn, error)) error {
			return again(func() error {
				n, err := balance(ctx, conn)
				if err != nil {
					return err
				}
				return write(ctx, conn, n-1)
			})
		}, []string{"twice when it is sent again"}},
	} {
		t.Run(name, func(t *testing.T) {
			res := judged(t, func(func() *pgconn.Config) retry.Subject {
				return &client{take: func(ctx context.Context, config *pgconn.Config) error {
					open := func() (*pgx.Conn, error) { return connect(ctx, config) }
					conn, err := open()
					if err != nil {
						return err
					}
					defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
					return c.take(ctx, conn, open)
				}}
			})
			expect(t, res, c.want...)
		})
	}
}

// A call that changes nothing cannot be dropped.
func TestReaderIsUnknown(t *testing.T) {
	res := judged(t, func(func() *pgconn.Config) retry.Subject {
		return &client{take: func(ctx context.Context, config *pgconn.Config) error {
			conn, err := connect(ctx, config)
			if err != nil {
				return err
			}
			defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
			_, err = balance(ctx, conn)
			return err
		}}
	})
	if res.Verdict != report.Unknown || len(res.Reasons) == 0 {
		t.Errorf("%s: %v", res.Verdict, res.Reasons)
	}
}
