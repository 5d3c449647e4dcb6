// Package servers has times of this clock that a server compares with its own.
package servers

import (
	"context"
	"database/sql"
	"time"
)

const ttl = 90 * time.Second

func invite(ctx context.Context, db *sql.DB, id string) error {
	end := time.Now().UTC().Add(ttl)
	_, err := db.ExecContext(ctx, `UPDATE invites SET valid_until = $2 WHERE id = $1`, id, end) // want `the end of a row is set by the clock of this machine`
	return err
}

func invited(ctx context.Context, db *sql.DB, id string) (ok bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT true FROM invites i WHERE i.id = $1 AND CURRENT_TIMESTAMP < i.valid_until`, id).Scan(&ok)
	return ok, err
}

func code(ctx context.Context, db *sql.DB, n int, d time.Duration) error {
	_, err := db.ExecContext(ctx, `INSERT INTO codes (n, expires_at) VALUES (?, ?)`, n, time.Now().Add(d)) // want `the end of a row is set by the clock of this machine`
	return err
}

func sweep(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `DELETE FROM codes WHERE expires_at <= now()`)
	return err
}

// Near misses: an end that is days away, an end that this clock compares too, a column
// of the same name in another table, a row that is due.

func login(ctx context.Context, db *sql.DB, id string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO logins (id, expires_at) VALUES ($1, $2)`, id, time.Now().Add(30*24*time.Hour))
	return err
}

func forget(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `DELETE FROM logins WHERE expires_at < now()`)
	return err
}

func offer(ctx context.Context, db *sql.DB, id string, d time.Duration) error {
	_, err := db.ExecContext(ctx, `INSERT INTO offers (id, expires_at) VALUES ($1, $2)`, id, time.Now().Add(d))
	return err
}

func offers(ctx context.Context, db *sql.DB) (*sql.Rows, error) {
	return db.QueryContext(ctx, `SELECT id FROM offers WHERE expires_at > $1`, time.Now())
}

func later(ctx context.Context, db *sql.DB, id string, d time.Duration) error {
	if _, err := db.ExecContext(ctx, `INSERT INTO tasks (id, run_at) VALUES ($1, $2)`, id, time.Now().Add(d)); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `DELETE FROM tasks WHERE run_at < now()`)
	return err
}

// A back-off; and near misses, one of days, and one that this clock judges, too.

func putOff(ctx context.Context, db *sql.DB, id string, failures int) error {
	next := time.Now().Add(time.Minute << min(failures, 6))
	_, err := db.ExecContext(ctx, `UPDATE feeds SET next_sync_at = $1 WHERE id = $2`, next, id) // want `the time of the next attempt is set by the clock of this machine`
	return err
}

func overdueFeeds(ctx context.Context, db *sql.DB) (*sql.Rows, error) {
	return db.QueryContext(ctx, `SELECT id FROM feeds WHERE next_sync_at <= now()`)
}

func putOffForDays(ctx context.Context, db *sql.DB, id string) error {
	_, err := db.ExecContext(ctx, `UPDATE feeds SET next_sync_at = $1 WHERE id = $2`, time.Now().Add(72*time.Hour), id)
	return err
}

func putOffHere(ctx context.Context, db *sql.DB, id string, d time.Duration) error {
	_, err := db.ExecContext(ctx, `UPDATE mirrors SET retry_at = $1 WHERE id = $2`, time.Now().Add(d), id)
	return err
}

func overdueHere(ctx context.Context, db *sql.DB) (*sql.Rows, error) {
	return db.QueryContext(ctx, `SELECT id FROM mirrors WHERE retry_at <= $1`, time.Now())
}

// A sign of life; and near misses, of a user, and one that is looked at after days.

func beat(ctx context.Context, db *sql.DB, id string) error {
	_, err := db.ExecContext(ctx, `UPDATE workers SET last_seen = $1 WHERE id = $2`, time.Now(), id) // want `a sign of life is stamped by the clock of this machine`
	return err
}

func dead(ctx context.Context, db *sql.DB) (*sql.Rows, error) {
	return db.QueryContext(ctx, `SELECT id FROM workers WHERE last_seen < now() - interval '30 seconds'`)
}

func visit(ctx context.Context, db *sql.DB, id string) error {
	_, err := db.ExecContext(ctx, `UPDATE users SET last_seen = $1 WHERE id = $2`, time.Now(), id)
	return err
}

func online(ctx context.Context, db *sql.DB) (*sql.Rows, error) {
	return db.QueryContext(ctx, `SELECT id FROM users WHERE last_seen > now() - interval '5 minutes'`)
}

func checkIn(ctx context.Context, db *sql.DB, id string) error {
	_, err := db.ExecContext(ctx, `UPDATE hosts SET last_heartbeat = $1 WHERE id = $2`, time.Now(), id)
	return err
}

func retire(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `DELETE FROM hosts WHERE last_heartbeat < now() - interval '30 days'`)
	return err
}
