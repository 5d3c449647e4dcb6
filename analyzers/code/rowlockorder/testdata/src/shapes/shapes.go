// Package shapes has locks of lists of many shapes: an edit is right for some.
package shapes

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func in(ctx context.Context, pool *pgxpool.Pool, sql string, args ...any) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
}

func Limit(ctx context.Context, pool *pgxpool.Pool, ids []int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT 1 FROM nodes WHERE id = ANY($1) LIMIT 5 FOR UPDATE`, ids) // want "40P01"
		return err
	})
}

func Quoted(ctx context.Context, pool *pgxpool.Pool, ids []int64) (err error) {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err = tx.Exec(ctx, "SELECT 1 FROM \"Nodes\" WHERE \"nodeId\" = ANY($1) FOR UPDATE", ids) // want "40P01"
		return err
	})
}

func Raw(ctx context.Context, pool *pgxpool.Pool, ids []int64) (err error) {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err = tx.Exec(ctx, ` // want "40P01"
			SELECT 1 -- FOR UPDATE of all
			FROM "Nodes" n
			WHERE n."nodeId" = ANY($1)
			FOR UPDATE`, ids)
		return err
	})
}

func Alias(ctx context.Context, db *sql.DB, ids []int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx,
		// which
		"SELECT n.id, n.x FROM nodes AS n WHERE n.id = ANY($1) FOR NO KEY UPDATE OF n SKIP LOCKED",
		ids)
	if err != nil {
		return err
	}
	rows.Close()
	return tx.Commit()
}

const lock = `SELECT 1 FROM nodes WHERE id = ANY($1) FOR UPDATE`

func Const(ctx context.Context, pool *pgxpool.Pool, ids []int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, lock, ids) // want "40P01"
		return err
	})
}

func Sub(ctx context.Context, pool *pgxpool.Pool, ids []int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `WITH l AS (SELECT id FROM nodes WHERE id = ANY($1) FOR UPDATE) UPDATE nodes SET x = 1 FROM l WHERE nodes.id = l.id`, ids)
		return err
	})
}

func Plus(ctx context.Context, pool *pgxpool.Pool, ids []int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT 1 FROM nodes "+"WHERE id = ANY($1) FOR UPDATE", ids) // want "40P01"
		return err
	})
}

func Helper(ctx context.Context, pool *pgxpool.Pool, ids []int64) error {
	return in(ctx, pool, "SELECT 1 FROM nodes WHERE id = ANY($1) FOR UPDATE", ids)
}

func And(ctx context.Context, pool *pgxpool.Pool, ids []int64, shop int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT 1 FROM nodes WHERE kind IN ('a','b') AND id = ANY($1) AND shop = $2 FOR UPDATE;", ids, shop) // want "40P01"
		return err
	})
}

func Str(ctx context.Context, pool *pgxpool.Pool, ids []int64, shop int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT 'for update' FROM nodes WHERE id = ANY($1) FOR UPDATE", ids) // want "40P01"
		return err
	})
}

func Owner(ctx context.Context, pool *pgxpool.Pool, ids []int64, shop int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT 1 FROM nodes WHERE owner_id = ANY($1) FOR UPDATE", ids) // want "40P01"
		return err
	})
}

func Key(ctx context.Context, pool *pgxpool.Pool, ids []int64, shop int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, // want "40P01"
			// all of them
			`SELECT 1 FROM nodes n WHERE shop = $2 AND n.node_id = ANY($1)
			FOR  NO KEY UPDATE OF n;`, ids, shop)
		return err
	})
}

func Join(ctx context.Context, pool *pgxpool.Pool, ids []int64, shop int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT n.id FROM nodes n JOIN shops s ON s.id = n.shop WHERE n.id = ANY($1) FOR UPDATE OF n", ids) // want "40P01"
		return err
	})
}

func Group(ctx context.Context, pool *pgxpool.Pool, ids []int64, shop int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SELECT n.id FROM nodes n WHERE n.kind IN (1, 2, 3) FOR UPDATE") // want "40P01"
		return err
	})
}
