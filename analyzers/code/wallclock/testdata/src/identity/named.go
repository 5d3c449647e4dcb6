package identity

import (
	"context"
	"database/sql"
	"log/slog"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// What must be another one each time by the name that it is put under.

func form() url.Values {
	f := url.Values{}
	f.Set("nonce", strconv.FormatInt(time.Now().UnixMilli(), 10)) // want `the clock alone makes the entry nonce`
	f.Set("timestamp", strconv.FormatInt(time.Now().UnixMilli(), 10))
	return f
}

func body() map[string]any {
	return map[string]any{
		"nonce": time.Now().UnixNano(), // want `the clock alone makes the entry nonce`
		"at":    time.Now().UnixNano(),
	}
}

func save(ctx context.Context, db *sql.DB, id int64, body string) error {
	_, err := db.ExecContext(ctx, `UPDATE page SET body = $1, version = $2, changed = $3 WHERE id = $4`, body,
		time.Now().UnixMilli(), // want `the clock alone makes the column version`
		time.Now().UnixMilli(), id)
	return err
}

func insert(ctx context.Context, db *sql.DB, total int) error {
	_, err := db.ExecContext(ctx, `INSERT INTO invoices (total, number) VALUES (?, ?)`, total, time.Now().Format("20060102150405")) // want `the clock alone makes the column number`
	return err
}

// Near misses: a counter that begins with the clock, a line of a log, a condition.

var nonce atomic.Int64

func init() { nonce.Store(time.Now().UnixMilli()) }

func next() string { return strconv.FormatInt(nonce.Add(1), 10) }

func tell() { slog.Info("saved", "version", time.Now().UnixMilli()) }

func expire(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `DELETE FROM page WHERE version < ?`, time.Now().Unix())
	return err
}
