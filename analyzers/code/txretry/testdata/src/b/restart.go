package b

import (
	"context"
	"database/sql"
	"errors"

	"github.com/lib/pq"
)

func stateOf(err error) string {
	var pe *pq.Error
	if errors.As(err, &pe) {
		return string(pe.Code)
	}
	return ""
}

// CockroachDB runs a transaction again from a savepoint of this name.
func (c *conn) fromSavepoint(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SAVEPOINT cockroach_restart"); err != nil {
		return err
	}
	for {
		if err = fn(tx); err == nil {
			if _, err = tx.ExecContext(ctx, "RELEASE SAVEPOINT cockroach_restart"); err == nil {
				return tx.Commit()
			}
		}
		if stateOf(err) != "40001" {
			return err
		}
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT cockroach_restart"); err != nil {
			return err
		}
	}
}

// The code is one that servers no longer send.
func (c *conn) oldCode(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}) // want "nobody runs this transaction again"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SAVEPOINT cockroach_restart"); err != nil {
		return err
	}
	for {
		if err = fn(tx); err == nil {
			return tx.Commit()
		}
		if stateOf(err) != "CR000" {
			return err
		}
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT cockroach_restart"); err != nil {
			return err
		}
	}
}
