// Package rows has leases that are rows, and who ends them.
package rows

import (
	"context"
	"database/sql"
)

type queue struct{ db *sql.DB }

func (q *queue) claim(ctx context.Context, worker string) (id int64, err error) {
	err = q.db.QueryRowContext(ctx, `UPDATE jobs SET locked_by = $1, locked_until = now() + interval '30 s'
		WHERE id = (SELECT id FROM jobs WHERE state = 'ready' AND locked_until < now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id`, worker).Scan(&id)
	return id, err
}

func (q *queue) complete(ctx context.Context, id int64, out string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET done = true, result = $1 WHERE id = $2`, out, id) // want `finished by its key alone`
	return err
}

func (q *queue) finish(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, id) // want `finished by its key alone`
	return err
}

func (q *queue) extend(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET locked_until = now() + interval '30 s' WHERE id = $1`, id) // want `prolonged by its key alone`
	return err
}

func (q *queue) release(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET locked_by = NULL, locked_until = NULL WHERE id = $1`, id) // want `given back by its key alone`
	return err
}

// The owner is in the condition; what others may do to a job; what has run out.

func (q *queue) completeMine(ctx context.Context, id int64, worker string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET done = true, locked_by = NULL WHERE id = $1 AND locked_by = $2`, id, worker)
	return err
}

func (q *queue) prioritize(ctx context.Context, id int64, n int) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET priority = $1 WHERE id = $2`, n, id)
	return err
}

func (q *queue) cancel(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET state = 'cancelled' WHERE id = $1`, id)
	return err
}

func (q *queue) remove(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, `DELETE FROM jobs WHERE id = $1`, id)
	return err
}

func (q *queue) sweep(ctx context.Context) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET locked_by = NULL, locked_until = NULL WHERE locked_until < now()`)
	return err
}

func (q *queue) forceRelease(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, `UPDATE jobs SET locked_by = NULL WHERE id = $1`, id)
	return err
}

// A table of locks of which those are removed that have run out.

func lock(ctx context.Context, db *sql.DB, name, me string) error {
	if _, err := db.ExecContext(ctx, `DELETE FROM locks WHERE expires_at < now()`); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `INSERT INTO locks (name, owner, expires_at) VALUES ($1, $2, now() + interval '1 minute')`, name, me)
	return err
}

func unlock(ctx context.Context, db *sql.DB, name string) error {
	_, err := db.ExecContext(ctx, `DELETE FROM locks WHERE name = $1`, name) // want `given back by its key alone`
	return err
}

// A block is no lock.

func sweepBlocks(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `DELETE FROM ip_blocks WHERE expires_at < now()`)
	return err
}

func unblock(ctx context.Context, db *sql.DB, ip string) error {
	_, err := db.ExecContext(ctx, `DELETE FROM ip_blocks WHERE ip = $1`, ip)
	return err
}

// The row is locked before it is written.
func (q *queue) extendLocked(ctx context.Context, tx *sql.Tx, id int64) error {
	var owner string
	if err := tx.QueryRowContext(ctx, `SELECT priority FROM jobs WHERE id = $1 FOR UPDATE`, id).Scan(&owner); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET locked_until = now() + interval '30 s' WHERE id = $1`, id)
	return err
}

// A message that nobody has acknowledged is visible again.

func next(ctx context.Context, db *sql.DB) (id int64, err error) {
	err = db.QueryRowContext(ctx, `UPDATE messages SET visible_at = now() + interval '1 minute'
		WHERE id = (SELECT id FROM messages WHERE visible_at <= now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`).Scan(&id)
	return id, err
}

func ack(ctx context.Context, db *sql.DB, id int64) error {
	_, err := db.ExecContext(ctx, `DELETE FROM messages WHERE id = $1`, id) // want `given back by its key alone`
	return err
}

func purge(ctx context.Context, db *sql.DB, id int64) error {
	_, err := db.ExecContext(ctx, `DELETE FROM messages WHERE id = $1`, id)
	return err
}

// A session that is looked for by its token alone is the bearer's; a job that was
// looked for by its id may be somebody else's by now.
type session struct {
	id    int64
	token string
}

func (q *queue) touch(ctx context.Context, token string) error {
	var s session
	if err := q.db.QueryRowContext(ctx, `SELECT id, token FROM sessions WHERE token = $1`, token).Scan(&s.id, &s.token); err != nil {
		return err
	}
	if s.token != token {
		return sql.ErrNoRows
	}
	_, err := q.db.ExecContext(ctx, `UPDATE sessions SET used_at = now() WHERE id = $1`, s.id)
	return err
}

func (q *queue) report(ctx context.Context, id int64, token string) error {
	var s session
	if err := q.db.QueryRowContext(ctx, `SELECT id, token FROM runs WHERE id = $1`, id).Scan(&s.id, &s.token); err != nil {
		return err
	}
	if s.token != token {
		return sql.ErrNoRows
	}
	_, err := q.db.ExecContext(ctx, `UPDATE runs SET seen_at = now() WHERE id = $1`, s.id) // want `the owner of a row is compared in Go`
	return err
}

// A lease without a holder, and its end; an entry of a cache that is written the same way.

func (q *queue) lease(ctx context.Context, name string) error {
	_, err := q.db.ExecContext(ctx, `INSERT INTO cron_leases (name, expires) VALUES ($1, now() + interval '1 minute')
		ON CONFLICT (name) DO UPDATE SET expires = excluded.expires WHERE cron_leases.expires < now()`, name)
	return err
}

func (q *queue) endLease(ctx context.Context, name string) error {
	_, err := q.db.ExecContext(ctx, `DELETE FROM cron_leases WHERE name = $1`, name) // want `given back by its key alone`
	return err
}

func (q *queue) endMine(ctx context.Context, name string, number int64) error {
	_, err := q.db.ExecContext(ctx, `DELETE FROM cron_leases WHERE name = $1 AND lease_number = $2`, name, number)
	return err
}

func (q *queue) fill(ctx context.Context, url, body string) error {
	_, err := q.db.ExecContext(ctx, `INSERT INTO pages (url, body, expires) VALUES ($1, $2, now() + interval '1 minute')
		ON CONFLICT (url) DO UPDATE SET body = excluded.body, expires = excluded.expires WHERE pages.expires < now()`, url, body)
	return err
}

func (q *queue) releasePage(ctx context.Context, url string) error {
	_, err := q.db.ExecContext(ctx, `DELETE FROM pages WHERE url = $1`, url)
	return err
}

// What sweeps a table of locks holds none of them.
func (q *queue) sweepDoors(ctx context.Context, day string) error {
	if _, err := q.db.ExecContext(ctx, `UPDATE door_locks SET expires = NULL WHERE expires < now()`); err != nil {
		return err
	}
	_, err := q.db.ExecContext(ctx, `UPDATE sweeps SET done_at = now() WHERE day = $1`, day)
	return err
}

// The holder is known by what is done with the column, and the statements are run by
// a helper.

func one(ctx context.Context, db *sql.DB, query string, args ...any) error {
	res, err := db.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return sql.ErrNoRows
	}
	return nil
}

func (q *queue) start(ctx context.Context, id int64, shift string) error {
	return one(ctx, q.db, `UPDATE renders SET shift = $1, deadline = now() + interval '5 minutes'
		WHERE id = $2 AND (shift IS NULL OR deadline < now())`, shift, id)
}

func (q *queue) goOn(ctx context.Context, id int64) error {
	return one(ctx, q.db, `UPDATE renders SET deadline = now() + interval '5 minutes' WHERE id = $1`, id) // want `prolonged by its key alone`
}

func (q *queue) goOnMine(ctx context.Context, id int64, shift string) error {
	return one(ctx, q.db, `UPDATE renders SET deadline = now() + interval '5 minutes' WHERE id = $1 AND shift = $2`, id, shift)
}

func (q *queue) stop(ctx context.Context, id int64) error {
	return one(ctx, q.db, `UPDATE renders SET shift = NULL WHERE id = $1`, id) // want `given back by its key alone`
}

func (q *queue) stopMine(ctx context.Context, id int64, shift string) error {
	return one(ctx, q.db, `UPDATE renders SET shift = NULL WHERE id = $1 AND shift = $2`, id, shift)
}

func (q *queue) stopAndStart(ctx context.Context, id, next int64, shift string) error {
	if err := q.stopMine(ctx, id, shift); err != nil {
		return err
	}
	return q.start(ctx, next, shift)
}

// Who may be the first to fill a cache holds nothing; nor does the code that a user
// is sent.

func (q *queue) fillOld(ctx context.Context, url, body string) error {
	return one(ctx, q.db, `UPDATE feeds SET body = $1, expires = now() + interval '1 hour' WHERE url = $2 AND (body IS NULL OR expires < now())`, body, url)
}

func (q *queue) keepFeed(ctx context.Context, url string) error {
	return one(ctx, q.db, `UPDATE feeds SET expires = now() + interval '1 hour' WHERE url = $1`, url)
}

func (q *queue) sendCode(ctx context.Context, id int64, code string) error {
	return one(ctx, q.db, `UPDATE guests SET reset = $1, expires = now() + interval '1 hour' WHERE id = $2 AND (reset IS NULL OR expires < now())`, code, id)
}

func (q *queue) useCode(ctx context.Context, id int64, code string) error {
	return one(ctx, q.db, `UPDATE guests SET let_in = true WHERE id = $1 AND reset = $2`, id, code)
}

func (q *queue) longer(ctx context.Context, id int64) error {
	return one(ctx, q.db, `UPDATE guests SET expires = now() + interval '1 day' WHERE id = $1`, id)
}
