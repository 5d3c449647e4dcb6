// Package d begins with options that variables hold.
package d

import (
	"context"
	"database/sql"

	"d/levels"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type bank struct {
	db   *sql.DB
	pool *pgxpool.Pool
}

var serializable = sql.TxOptions{Isolation: sql.LevelSerializable}

func (b *bank) move(ctx context.Context, id, n int64) error {
	tx, err := b.db.BeginTx(ctx, &serializable) // linked: nobody runs this transaction again
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE a SET n = n + $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	return tx.Commit()
}

func (b *bank) withdraw(ctx context.Context, id, n int64) error {
	return pgx.BeginTxFunc(ctx, b.pool, levels.Strict, func(tx pgx.Tx) error { // linked: nobody runs this transaction again
		_, err := tx.Exec(ctx, "UPDATE a SET n = n - $1 WHERE id = $2", n, id)
		return err
	})
}

func (b *bank) set(ctx context.Context, id, n int64) error {
	return pgx.BeginTxFunc(ctx, b.pool, levels.Chosen, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, id)
		return err
	})
}

func (b *bank) sum(ctx context.Context) (n int64, err error) {
	tx, err := b.db.BeginTx(ctx, levels.Looking)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	err = tx.QueryRowContext(ctx, "SELECT sum(n) FROM a").Scan(&n)
	return n, err
}
