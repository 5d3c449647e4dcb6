// Package a has what sessionlock reports, and near-misses.
package a

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

type S struct {
	db      *sql.DB
	pool    *pgxpool.Pool
	x       *sqlx.DB
	g       *gorm.DB
	replica *sql.DB
	slave   *gorm.DB
}

func (s *S) L1(ctx context.Context, id int64) error {
	_, err := s.pool.Exec(ctx, "select pg_advisory_lock($1)", id) // want "session lock|unlock|try"
	return err
}

func (s *S) L1u(ctx context.Context, id int64) error {
	_, err := s.pool.Exec(ctx, "select pg_advisory_unlock($1)", id)
	return err
}

func (s *S) L2(ctx context.Context, id int64, f func() error) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil {
		return err
	}
	defer c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
	return f()
}

func (s *S) L3(id int64) error {
	return s.g.Exec("SELECT pg_advisory_lock(?)", id).Error // want "session lock|unlock|try"
}

func (s *S) L4(ctx context.Context, id int64) (bool, error) {
	rows, err := s.x.QueryxContext(ctx, fmt.Sprintf("SELECT pg_try_advisory_lock(%d)", id)) // want "session lock|unlock|try"
	if err != nil {
		return false, err
	}
	defer rows.Close()
	var ok bool
	if rows.Next() {
		err = rows.Scan(&ok)
	}
	return ok, err
}

func (s *S) L5(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", id); err != nil {
		return err
	}
	return tx.Commit()
}

// --- tx retry
