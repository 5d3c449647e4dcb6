// Package pgtest lends tests a real PostgreSQL: one server for each test
// binary, and a fresh database for each test that asks.
//
// The server is not stopped by the tests. It dies with the test binary, as
// every server of package postgres dies with its owner, so that a panic or a
// time-out leaves nothing behind either.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
)

// limit bounds what a helper does on the server.
const limit = time.Minute

var shared = sync.OnceValues(func() (*postgres.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return postgres.Start(ctx, postgres.Options{
		Dir:      postgres.MemoryDir(),
		Settings: map[string]string{"max_wal_size": "128MB"},
	})
})

// Start returns the server of this test binary. Without an installed
// PostgreSQL the test fails: a test that needs a server proves nothing when it
// is skipped.
func Start(t testing.TB) *postgres.Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("starting PostgreSQL for the tests: %v", err)
	}
	return s
}

var databases atomic.Int64

// Config returns the superuser's connection parameters for a fresh, empty
// database, which is dropped when the test ends.
func Config(t testing.TB) *pgconn.Config {
	t.Helper()
	config := Start(t).Config()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	run(t, config, "CREATE DATABASE "+name)
	t.Cleanup(func() { run(t, config, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	fresh := config.Copy()
	fresh.Database = name
	return fresh
}

// DSN returns the same as a URL, with the password, for child processes.
func DSN(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(Start(t).DSN())
	if err != nil {
		t.Fatal("the server's DSN is not a URL") // the error would show the password
	}
	u.Path = Config(t).Database
	return u.String()
}

func run(t testing.TB, config *pgconn.Config, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatalf("connecting to %s: %v", config.Database, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
