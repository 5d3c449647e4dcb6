package c

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lib/pq"
)

type counter struct{ db *sql.DB }

func (c *counter) once(ctx context.Context, id string) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE counters SET n = n + 1 WHERE id = $1`, id); err != nil {
		return fmt.Errorf("counting: %v", err) // linked: this error loses its SQLSTATE here
	}
	if _, err := tx.ExecContext(ctx, `UPDATE totals SET n = n + 1`); err != nil {
		return fmt.Errorf("adding up: %w", err)
	}
	return tx.Commit()
}

func (c *counter) count(ctx context.Context, id string) (err error) {
	for range 5 {
		if err = c.once(ctx, id); !refused(err) {
			return err
		}
	}
	return err
}

func refused(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && pe.Code == "40001"
}

// last asks the commit alone.
func (c *counter) last(ctx context.Context, f func(*sql.Tx) error) error {
	for range 5 {
		tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		if err := f(tx); err != nil { // linked: when a statement of it is refused
			tx.Rollback()
			return err
		}
		if err = tx.Commit(); !refused(err) {
			return err
		}
	}
	return errors.New("too many attempts")
}

// guarded says %v of what the function it is given answers.
func guarded(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return fmt.Errorf("in the transaction: %v", err) // linked: this error loses its SQLSTATE here
	}
	return tx.Commit()
}

func again(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	for {
		if err := guarded(ctx, db, f); !refused(err) {
			return err
		}
	}
}
