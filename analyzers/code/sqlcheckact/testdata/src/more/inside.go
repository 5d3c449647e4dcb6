package more

import (
	"context"
	"database/sql"
)

const takeJob = `UPDATE jobs SET status = 'running' WHERE id = (SELECT id FROM jobs WHERE status = 'queued' ORDER BY id LIMIT 1) RETURNING id`

func nextJob(ctx context.Context, db *sql.DB) (id int, err error) {
	err = db.QueryRowContext(ctx, takeJob).Scan(&id) // want `a row of jobs is chosen by status in a subquery`
	return id, err
}

func useTicket(ctx context.Context, db *sql.DB, ticket string) (id int, err error) {
	const q = `WITH chosen AS (
		SELECT id, name FROM auth.users WHERE ticket = $1 AND ticket_until > now() LIMIT 1
	)
	UPDATE auth.users SET ticket = NULL, ticket_until = now()
	WHERE id = (SELECT id FROM chosen) RETURNING id`
	err = db.QueryRowContext(ctx, q, ticket).Scan(&id) // want `a row of users is chosen by ticket in a subquery`
	return id, err
}

func joinedJob(ctx context.Context, db *sql.DB, worker string) (id int, err error) {
	const q = `UPDATE jobs SET worker = $1
		FROM (SELECT id FROM jobs WHERE worker IS NULL LIMIT 1) q WHERE jobs.id = q.id RETURNING jobs.id`
	err = db.QueryRowContext(ctx, q, worker).Scan(&id) // want `a row of jobs is chosen by worker in a subquery`
	return id, err
}

func expiredJob(ctx context.Context, db *sql.DB, worker string) (id int, err error) {
	const q = `UPDATE jobs SET held_until = now() + interval '1 minute'
		WHERE id = (SELECT id FROM jobs WHERE held_until < now() LIMIT 1) RETURNING id`
	err = db.QueryRowContext(ctx, q).Scan(&id) // want `a row of jobs is chosen by held_until in a subquery`
	return id, err
}

// Near misses: the subquery locks what it chooses,
func lockedJob(ctx context.Context, db *sql.DB) (id int, err error) {
	err = db.QueryRowContext(ctx, `UPDATE jobs SET status = 'running'
		WHERE id = (SELECT id FROM jobs WHERE status = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`).Scan(&id)
	return id, err
}

func lockedTicket(ctx context.Context, db *sql.DB, ticket string) (id int, err error) {
	err = db.QueryRowContext(ctx, `WITH chosen AS (SELECT id FROM users WHERE ticket = $1 LIMIT 1 FOR UPDATE)
		UPDATE users SET ticket = NULL WHERE id = (SELECT id FROM chosen) RETURNING id`, ticket).Scan(&id)
	return id, err
}

// the UPDATE asks again,
func againJob(ctx context.Context, db *sql.DB) (id int, err error) {
	err = db.QueryRowContext(ctx, `UPDATE jobs SET status = 'running'
		WHERE id = (SELECT id FROM jobs WHERE status = 'queued' ORDER BY id LIMIT 1) AND status = 'queued' RETURNING id`).Scan(&id)
	return id, err
}

// an advisory lock is held,
func aloneJob(ctx context.Context, tx *sql.Tx) (id int, err error) {
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(7)`); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, takeJob).Scan(&id)
	return id, err
}

// what is set is not what the row was chosen by, or meets the condition as before,
func seenUser(ctx context.Context, db *sql.DB, token string) (id int, err error) {
	err = db.QueryRowContext(ctx, `UPDATE users SET last_seen = now()
		WHERE id = (SELECT id FROM users WHERE token = $1 LIMIT 1) RETURNING id`, token).Scan(&id)
	return id, err
}

func longerSession(ctx context.Context, db *sql.DB, token string) (id int, err error) {
	err = db.QueryRowContext(ctx, `UPDATE sessions SET expires = now() + interval '1 hour'
		WHERE id = (SELECT id FROM sessions WHERE token = $1 AND expires > now() LIMIT 1) RETURNING id`, token).Scan(&id)
	return id, err
}

// or nobody is told which rows it were: to set them twice does no harm.
func expireJobs(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `UPDATE jobs SET status = 'expired' WHERE id IN (SELECT id FROM jobs WHERE status = 'queued' AND made < now() - interval '1 day')`)
	return err
}
