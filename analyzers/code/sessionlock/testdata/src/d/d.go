// Package d locks on one connection, and unlocks on any.
package d

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// lead gives the connection back that holds the lock; who unlocks has another.
func lead(ctx context.Context, pool *pgxpool.Pool) (leader bool, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(7)`).Scan(&leader) // want "given back to the pool with this lock"
	return leader, err
}

func resign(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `SELECT pg_advisory_unlock(7)`) // want "this unlock runs on whichever connection the pool picks"
	return err
}
