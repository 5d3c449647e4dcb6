package b

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"
)

func lead(ctx context.Context, conn *sql.Conn, key int64) (got bool, err error) {
	err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&got) // want "given back to the pool with this lock"
	return got, err
}

// The caller closes the connection on which its helper has locked.
func asLeader(ctx context.Context, db *sql.DB, work func(context.Context) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if got, err := lead(ctx, conn, 7); err != nil || !got {
		return err
	}
	return work(ctx)
}

type turn struct{ conn *pgxpool.Conn }

func (t *turn) take(ctx context.Context) error {
	_, err := t.conn.Exec(ctx, "SELECT pg_advisory_lock(8)") // want "given back to the pool with this lock"
	return err
}

func inTurn(ctx context.Context, p *pgxpool.Pool, work func() error) error {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	t := &turn{conn}
	if err := t.take(ctx); err != nil {
		return err
	}
	return work()
}

// Who has got the lock keeps the connection; only the others give theirs back.
func forLife(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var got bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock(9)").Scan(&got); err != nil {
		return nil, err
	}
	if !got {
		return nil, conn.Close()
	}
	return conn, nil
}
