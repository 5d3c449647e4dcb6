// Package files has files, and rows that an INSERT replaces, under a lock that ends
// by itself.
package files

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func rewrite(ctx context.Context, s *concurrency.Session, path string, body []byte) error {
	m := concurrency.NewMutex(s, "/locks/file")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(ctx)
	return os.WriteFile(path, body, 0o644) // want `a write under a lock with a lease carries no token`
}

func backup(ctx context.Context, s *concurrency.Session, body []byte, up func(string) error) error {
	m := concurrency.NewMutex(s, "/locks/backup")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(ctx)
	dir, err := os.MkdirTemp("", "backup")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "dump.sql")
	if err := os.WriteFile(path, body, 0o600); err != nil {
		return err
	}
	return up(path)
}

// A leader notes on its own disk that it is one.
func lead(ctx context.Context, s *concurrency.Session, state string) error {
	if err := concurrency.NewElection(s, "/leader").Campaign(ctx, "me"); err != nil {
		return err
	}
	return os.WriteFile(state, []byte("leader"), 0o644)
}

func report(ctx context.Context, s *concurrency.Session, db *sql.DB, name, body string) error {
	m := concurrency.NewMutex(s, "/locks/report")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(ctx)
	_, err := db.ExecContext(ctx, `INSERT INTO reports (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body`, name, body) // want `a write under a lock with a lease carries no token`
	return err
}

// A lock that is left to end limits how often the rates are fetched.
func rates(ctx context.Context, rdb *redis.Client, db *sql.DB, fetch func() string) error {
	ok, err := rdb.SetNX(ctx, "rates:lock", 1, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO rates (day, body) VALUES (current_date, $1) ON CONFLICT (day) DO UPDATE SET body = excluded.body`, fetch())
	return err
}
