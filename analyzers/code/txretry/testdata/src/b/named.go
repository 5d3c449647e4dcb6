package b

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
)

func (c *conn) raise(ctx context.Context) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE clients SET n = n + 1"); err != nil {
		return err
	}
	return tx.Commit()
}

// The code by its name, and by its class.
func (c *conn) Raise(ctx context.Context) error {
	for {
		err := c.raise(ctx)
		var pe *pq.Error
		if errors.As(err, &pe) && pe.Code.Name() == "serialization_failure" {
			continue
		}
		return err
	}
}

func (c *conn) lower(ctx context.Context) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE clients SET n = n - 1"); err != nil {
		return err
	}
	return tx.Commit()
}

func (c *conn) Lower(ctx context.Context) error {
	for {
		err := c.lower(ctx)
		var pe *pgconn.PgError
		if errors.As(err, &pe) && strings.HasPrefix(pe.Code, "40") {
			continue
		}
		return err
	}
}

func (c *conn) zero(ctx context.Context) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}) // want "nobody runs this transaction again"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE clients SET n = 0"); err != nil {
		return err
	}
	return tx.Commit()
}

// A deadlock alone is not what a serializable transaction meets.
func (c *conn) Zero(ctx context.Context) error {
	for {
		err := c.zero(ctx)
		var pe *pgconn.PgError
		if !errors.As(err, &pe) || pe.Code != "40P01" {
			return err
		}
	}
}

// Nothing of it was sent: a conflict is another error.
func (c *conn) unsent(ctx context.Context) error {
	for {
		tx, err := c.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}) // want "nobody runs this transaction again"
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE clients SET n = 0")
		if err == nil {
			return tx.Commit()
		}
		if tx.Rollback() != nil || !pgconn.SafeToRetry(err) {
			return err
		}
	}
}
