// Package b has transactions whose callers are all in the package.
package b

import (
	"context"
	"database/sql"
	"errors"

	"github.com/lib/pq"
)

type conn struct{ db *sql.DB }

func (c *conn) unretried(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}) // want "nobody runs this transaction again"
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (c *conn) retried(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (c *conn) Label(ctx context.Context, id, label string) error {
	return c.unretried(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE clients SET label = $1 WHERE id = $2", label, id)
		return err
	})
}

func (c *conn) Name(ctx context.Context, id, name string) error {
	for {
		err := c.retried(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE clients SET name = $1 WHERE id = $2", name, id)
			return err
		})
		var pe *pq.Error
		if !errors.As(err, &pe) || pe.Code != "40001" {
			return err
		}
	}
}
