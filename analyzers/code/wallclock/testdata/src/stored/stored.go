// Package stored has times in stores that several instances share.
package stored

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var errSoon = errors.New("too soon")

// A sign of life that the host sets and the manager judges.

type host struct {
	ID            int64     `db:"id"`
	LastHeartbeat time.Time `db:"last_heartbeat"`
}

func beat(ctx context.Context, db *sql.DB, id int64) error {
	_, err := db.ExecContext(ctx, `UPDATE hosts SET last_heartbeat = $1 WHERE id = $2`, time.Now(), id)
	return err
}

func lost(hosts []host, timeout time.Duration) (ids []int64) {
	for _, h := range hosts {
		if time.Since(h.LastHeartbeat) > timeout { // want `whether a peer lives`
			ids = append(ids, h.ID)
		}
	}
	return ids
}

func alive(ctx context.Context, db *sql.DB, id int64) bool {
	var at sql.NullTime
	err := db.QueryRowContext(ctx, `SELECT last_heartbeat FROM hosts WHERE id = $1`, id).Scan(&at)
	return err == nil && at.Valid && time.Since(at.Time) < time.Minute // want `whether a peer lives`
}

// Near miss: when a user was seen is shown.

type user struct {
	LastSeen time.Time `db:"last_seen"`
}

func seen(ctx context.Context, db *sql.DB, id int64) error {
	_, err := db.ExecContext(ctx, `UPDATE users SET last_seen = ? WHERE id = ?`, time.Now(), id)
	return err
}

func online(u user) bool { return time.Since(u.LastSeen) < time.Minute }

// A pause between two messages, and one of a month.

func resend(ctx context.Context, db *sql.DB, id int64) error {
	var last time.Time
	if err := db.QueryRowContext(ctx, `SELECT last_sent_at FROM codes WHERE id = $1`, id).Scan(&last); err != nil {
		return err
	}
	if time.Since(last) < time.Minute { // want `the age of a stamp in a shared store decides`
		return errSoon
	}
	_, err := db.ExecContext(ctx, `UPDATE codes SET last_sent_at = $1 WHERE id = $2`, time.Now(), id)
	return err
}

func remind(ctx context.Context, db *sql.DB, id int64) error {
	var last time.Time
	if err := db.QueryRowContext(ctx, `SELECT last_reminded_at FROM codes WHERE id = $1`, id).Scan(&last); err != nil {
		return err
	}
	if time.Since(last) < 30*24*time.Hour {
		return errSoon
	}
	_, err := db.ExecContext(ctx, `UPDATE codes SET last_reminded_at = $1 WHERE id = $2`, time.Now(), id)
	return err
}

// A job that nobody finished is taken again.

func stuck(ctx context.Context, db *sql.DB, job int64) (bool, error) {
	var at time.Time
	err := db.QueryRowContext(ctx, `SELECT id, locked_at FROM jobs WHERE id = $1`, job).Scan(&job, &at)
	return time.Since(at) > 5*time.Minute, err // want `the age of a stamp in a shared store decides`
}

func take(ctx context.Context, db *sql.DB, job int64) error {
	_, err := db.ExecContext(ctx, `UPDATE jobs SET locked_at = $1 WHERE id = $2 AND locked_at IS NULL`, time.Now().UTC(), job)
	return err
}

// Near miss: the database stamps and the database compares.

func claim(ctx context.Context, db *sql.DB, job int64) error {
	_, err := db.ExecContext(ctx, `UPDATE work SET taken_at = now() WHERE id = $1 AND taken_at < now() - interval '5 minutes'`, job)
	return err
}

// Numbers in Redis.

func allow(ctx context.Context, c *redis.Client, key string) (bool, error) {
	last, err := c.Get(ctx, key).Int64()
	if err != nil && err != redis.Nil {
		return false, err
	}
	now := time.Now().Unix()
	if now-last < 60 { // want `the age of a stamp in a shared store decides`
		return false, nil
	}
	return true, c.Set(ctx, key, now, time.Hour).Err()
}

func tick(ctx context.Context, c *redis.Client, id string) error {
	return c.HSet(ctx, "workers", id, strconv.FormatInt(time.Now().UnixMilli(), 10)).Err()
}

func dead(ctx context.Context, c *redis.Client, id string) bool {
	s, err := c.HGet(ctx, "workers", id).Result()
	if err != nil {
		return true
	}
	ms, err := strconv.ParseInt(s, 10, 64)
	return err != nil || time.Since(time.UnixMilli(ms)) > 10*time.Second // want `the age of a stamp in a shared store decides`
}

// Near misses: a limit of a week; a number that is no time.

func weekly(ctx context.Context, c *redis.Client, key string) (bool, error) {
	last, err := c.Get(ctx, key).Int64()
	now := time.Now().Unix()
	if err != nil || now-last < 7*24*3600 {
		return false, err
	}
	return true, c.Set(ctx, key, now, 0).Err()
}

func offset(ctx context.Context, c *redis.Client) (int64, error) {
	from, err := c.Get(ctx, "offset").Int64()
	return time.Now().Unix() - from, err
}

// The end of what others hold.

func steal(ctx context.Context, db *sql.DB, job int64, me string) (bool, error) {
	var until time.Time
	if err := db.QueryRowContext(ctx, `SELECT lease_until FROM jobs WHERE id = $1`, job).Scan(&until); err != nil {
		return false, err
	}
	if time.Now().Before(until) { // want `compared to the local clock without leeway`
		return false, nil
	}
	_, err := db.ExecContext(ctx, `UPDATE jobs SET owner = $1, lease_until = $2 WHERE id = $3`, me, time.Now().Add(time.Minute), job)
	return true, err
}

type lockRow struct {
	Owner     string    `db:"owner"`
	ExpiresAt time.Time `db:"expires_at"`
}

func free(l *lockRow) bool { return l.ExpiresAt.Before(time.Now()) } // want `compared to the local clock without leeway`

func grant(ctx context.Context, db *sql.DB, token string) error {
	var from, until time.Time
	if err := db.QueryRowContext(ctx, `SELECT not_before, not_after FROM grants WHERE token = $1`, token).Scan(&from, &until); err != nil {
		return err
	}
	if time.Now().Before(from) { // want `compared to the local clock without leeway`
		return errSoon
	}
	return nil
}

// Near miss: a session of a day.

func session(ctx context.Context, db *sql.DB, id string) (bool, error) {
	var created, expires time.Time
	err := db.QueryRowContext(ctx, `SELECT created_at, expires_at FROM sessions WHERE id = $1`, id).Scan(&created, &expires)
	return time.Now().Before(expires) && time.Since(created) < 30*24*time.Hour, err
}

func start(ctx context.Context, db *sql.DB, id string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO sessions (id, created_at, expires_at) VALUES ($1, $2, $3)`, id, time.Now(), time.Now().Add(24*time.Hour))
	return err
}

// Near miss: the owner of a key is a person, and the service that checks its end set it.
type apiKey struct {
	Owner     string    `db:"owner"`
	ExpiresAt time.Time `db:"expires_at"`
}

func (k *apiKey) valid() bool { return time.Now().Before(k.ExpiresAt) }

type seatHold struct {
	Owner     string    `db:"owner"`
	ExpiresAt time.Time `db:"expires_at"`
}

func (h *seatHold) valid() bool {
	return time.Now().Before(h.ExpiresAt) // want `compared to the local clock without leeway`
}

// A start in a hash, and one in a column.

func finish(ctx context.Context, c *redis.Client, record func(time.Duration), job string) error {
	at, err := c.HGet(ctx, "job:"+job, "started_at").Result()
	if err != nil {
		return err
	}
	began, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return err
	}
	record(time.Since(began)) // want `elapsed time since a stored time`
	return nil
}

func ran(ctx context.Context, db *sql.DB, record func(time.Duration), job int64) error {
	var at time.Time
	if err := db.QueryRowContext(ctx, `SELECT started_at FROM jobs WHERE id = $1`, job).Scan(&at); err != nil {
		return err
	}
	record(time.Since(at)) // want `elapsed time since a stored time`
	return nil
}

func ranOrNot(ctx context.Context, db *sql.DB, record func(time.Duration), job int64) error {
	var at time.Time
	if err := db.QueryRowContext(ctx, `SELECT started_at FROM jobs WHERE id = $1`, job).Scan(&at); err != nil {
		return err
	}
	record(max(0, time.Since(at)))
	return nil
}

// The newer one stays in Redis.

type event struct {
	Key, Value string
	At         time.Time
	Seq        int64
}

func apply(ctx context.Context, c *redis.Client, e event) error {
	have, err := c.HGet(ctx, e.Key, "at").Int64()
	if err != nil && err != redis.Nil {
		return err
	}
	if e.At.UnixNano() <= have { // want `the newer timestamp wins`
		return nil
	}
	return c.HSet(ctx, e.Key, "value", e.Value, "at", strconv.FormatInt(e.At.UnixNano(), 10)).Err()
}

func applySeq(ctx context.Context, c *redis.Client, e event) error {
	have, err := c.HGet(ctx, e.Key, "seq").Int64()
	if err != nil && err != redis.Nil {
		return err
	}
	if e.Seq <= have {
		return nil
	}
	return c.HSet(ctx, e.Key, "value", e.Value, "seq", e.Seq).Err()
}

type build struct{ started int64 }

// Duration is for people to read.
func (b build) Duration() string {
	return time.Since(time.Unix(b.started, 0)).Round(time.Second).String()
}

// Elapsed is for whoever computes with it.
func (b build) Elapsed() time.Duration {
	return time.Since(time.Unix(b.started, 0)).Round(time.Second) // want `elapsed time since a stored time`
}
