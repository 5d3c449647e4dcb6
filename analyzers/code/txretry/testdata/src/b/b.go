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

var errInternal = errors.New("internal error")

func (c *conn) replaced(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil { // want "the error of this COMMIT is replaced by another one"
		return errInternal
	}
	return nil
}

func (c *conn) Mail(ctx context.Context, id, mail string) error {
	for {
		err := c.replaced(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE clients SET mail = $1 WHERE id = $2", mail, id)
			return err
		})
		var pe *pq.Error
		if !errors.As(err, &pe) || pe.Code != "40001" {
			return err
		}
	}
}
