// Package release gives locks back at the end of work that can be cancelled.
package release

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

type flipper struct{ pool *pgxpool.Pool }

func (f *flipper) claim(ctx context.Context, key int64) (release func(), err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, key); err != nil {
		conn.Release()
		return nil, err
	}
	return func() {
		_, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, key) // want `this unlock fails at once when the work was cancelled`
		conn.Release()
	}, nil
}

func deferred(ctx context.Context, db *sql.DB, id int64, work func(context.Context) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, id); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, id) // want `this unlock fails at once when the work was cancelled`
	return work(ctx)
}

func literal(ctx context.Context, db *sql.DB, id int64, work func(context.Context) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, id); err != nil {
		return errors.Join(err, conn.Close())
	}
	defer func() {
		conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, id) // want `this unlock fails at once when the work was cancelled`
		conn.Close()
	}()
	return work(ctx)
}

// Another context, which the work cannot cancel; a failure that is looked at; the
// caller who is told.

func (f *flipper) apart(ctx context.Context, key int64) (release func(), err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, key); err != nil {
		conn.Release()
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, key)
		conn.Release()
	}, nil
}

func (f *flipper) watched(ctx context.Context, key int64) (release func(), err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, key); err != nil {
		conn.Release()
		return nil, err
	}
	return func() {
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, key); err != nil {
			log.Print("the connection keeps its lock: ", err)
		}
		conn.Release()
	}, nil
}

func (f *flipper) told(ctx context.Context, key int64) (release func() error, err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, key); err != nil {
		conn.Release()
		return nil, err
	}
	return func() error {
		defer conn.Release()
		_, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, key)
		return err
	}, nil
}
