// Package fix has a lock of a list of rows that is written out.
package fix

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func Lock(ctx context.Context, pool *pgxpool.Pool, ids []int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT 1 FROM nodes WHERE id = ANY($1) FOR UPDATE`, ids) // want "40P01"
		return err
	})
}
