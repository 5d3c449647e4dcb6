package stored

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"time"
)

// The clock of this machine among the values of a statement.

func acquire(ctx context.Context, db *sql.DB, job int64, me string) error {
	now := time.Now().UTC()
	_, err := db.ExecContext(ctx, `UPDATE jobs SET owner = $1, locked_until = $2 WHERE id = $3 AND (owner = '' OR locked_until < $4)`, me, now.Add(time.Minute), job, now) // want `which rows are over is told by the clock of this machine`
	return err
}

func steal2(ctx context.Context, db *sql.DB, me string) error {
	_, err := db.ExecContext(ctx, `UPDATE locks SET owner = ?, expires_at = ? WHERE name = 'sweep' AND expires_at < ?`, me, time.Now().Add(time.Minute), time.Now()) // want `which rows are over is told by the clock of this machine`
	return err
}

func purge(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `DELETE FROM hosts WHERE last_heartbeat < $1`, time.Now().Add(-time.Minute)) // want `which rows are over is told by the clock of this machine`
	return err
}

// Near misses: sessions and rows of a log, what is due, a user who is locked out, the
// clock of the database.

func clean(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `DELETE FROM sessions WHERE expires_at < $1`, time.Now()); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `DELETE FROM logs WHERE created_at < $1`, time.Now().AddDate(0, -1, 0))
	return err
}

func due(ctx context.Context, db *sql.DB) (*sql.Rows, error) {
	return db.QueryContext(ctx, `SELECT id FROM jobs WHERE run_at <= $1`, time.Now())
}

func unlock(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `UPDATE users SET locked_until = NULL WHERE locked_until < $1`, time.Now())
	return err
}

func lockedOut(ctx context.Context, db *sql.DB, id int64) (bool, error) {
	var until time.Time
	err := db.QueryRowContext(ctx, `SELECT locked_until FROM users WHERE id = $1`, id).Scan(&until)
	return time.Now().Before(until), err
}

func byServer(ctx context.Context, db *sql.DB, job int64, me string) error {
	_, err := db.ExecContext(ctx, `UPDATE jobs SET owner = $1, locked_until = now() + interval '1 minute' WHERE id = $2 AND locked_until < now()`, me, job)
	return err
}

// A stamp that comes back in a message.

type frame struct {
	Kind    string `json:"kind"`
	TS      int64  `json:"ts"`
	Created int64  `json:"created"`
}

func ping(w io.Writer) error {
	return json.NewEncoder(w).Encode(frame{"ping", time.Now().UnixMilli(), time.Now().Unix()})
}

func pong(r io.Reader, set func(float64)) error {
	var f frame
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return err
	}
	set(float64(time.Now().UnixMilli() - f.TS)) // want `elapsed time measured with the wall clock`
	return nil
}

func bounded(r io.Reader, set func(float64)) error {
	var f frame
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return err
	}
	set(float64(max(0, time.Now().UnixMilli()-f.TS)))
	return nil
}

// Near miss: how old a post is.
func age(f frame) int64 { return time.Now().Unix() - f.Created }
