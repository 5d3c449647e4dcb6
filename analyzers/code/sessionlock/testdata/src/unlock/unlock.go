// Package unlock has locks on connections of their own, and unlocks that do not reach
// them.
package unlock

import (
	"context"
	"database/sql"
	"errors"
)

func left(ctx context.Context, db *sql.DB, id int64, work func() error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, id); err != nil { // want `an error in between leaves out the unlock`
		return err
	}
	if err := work(); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, id)
	return err
}

// The unlock comes whatever the work says; on both ways; by a defer; only where the
// lock was got.

func joined(ctx context.Context, db *sql.DB, id int64, work func() error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, id); err != nil {
		return err
	}
	failed := work()
	_, err = conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, id)
	return errors.Join(failed, err)
}

func both(ctx context.Context, db *sql.DB, id int64, work func() error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, id); err != nil {
		return err
	}
	if err := work(); err != nil {
		conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, id)
		return err
	}
	_, err = conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, id)
	return err
}

func tried(ctx context.Context, db *sql.DB, id int64, work func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, id).Scan(&ok); err != nil || !ok {
		return err
	}
	work()
	_, err = conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, id)
	return err
}

// Another lock is given back than the one that was taken.

func shared(ctx context.Context, db *sql.DB, id int64, read func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock_shared($1)`, id); err != nil { // want `what is unlocked is another lock`
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, id)
	read()
	return nil
}

func twoKeys(ctx context.Context, db *sql.DB, tenant, doc int32, write func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1, $2)`, tenant, doc); err != nil { // want `what is unlocked is another lock`
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, doc)
	write()
	return nil
}

func hashed(ctx context.Context, db *sql.DB, name string, write func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock_shared(hashtextextended($1, 0))`, name); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_shared(hashtextextended($1, 0))`, name)
	write()
	return nil
}

func all(ctx context.Context, db *sql.DB, a, b int32, write func()) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1, $2)`, a, b); err != nil {
		return err
	}
	write()
	return nil
}
