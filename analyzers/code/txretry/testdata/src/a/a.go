// Package a has what txretry reports, and near-misses.
package a

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
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

func (s *S) T1(ctx context.Context, id int64) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error { // linked: nobody runs|retry is inside|type assertion
		_, err := tx.Exec(ctx, "UPDATE a SET n = n + 1 WHERE id = $1", id)
		return err
	})
}

func (s *S) T2(ctx context.Context, id int64) error {
	tx, err := s.x.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead}) // linked: nobody runs|retry is inside|type assertion
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.Get(&n, "SELECT n FROM a WHERE id = $1", id); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE a SET n = $1 WHERE id = $2", n+1, id); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *S) T3(id int64) error {
	return s.g.Transaction(func(tx *gorm.DB) error { // linked: nobody runs|retry is inside|type assertion
		return tx.Exec("UPDATE a SET n = n + 1 WHERE id = ?", id).Error
	}, &sql.TxOptions{Isolation: sql.LevelSerializable})
}

func (s *S) T4(ctx context.Context, id int64) error { // report: snapshot read only
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	return tx.QueryRow("SELECT count(*) FROM a").Scan(&n)
}

func isRetry(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && pe.Code == "40001"
}

func (s *S) T5(ctx context.Context, id int64) error {
	var err error
	for i := 0; i < 3; i++ {
		err = s.t5(ctx, id)
		if err == nil || !isRetry(err) {
			return err
		}
	}
	return err
}

func (s *S) t5(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec("UPDATE a SET n = n + 1 WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *S) T6(ctx context.Context, id int64) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	for i := 0; i < 3; i++ {
		_, err = tx.Exec(ctx, "UPDATE a SET n = n + 1 WHERE id = $1", id) // linked: nobody runs|retry is inside|type assertion
		var pe *pgconn.PgError
		if errors.As(err, &pe) && pe.Code == "40P01" {
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	return tx.Commit(ctx)
}

func T7(err error) bool {
	if pe, ok := err.(*pq.Error); ok { // linked: nobody runs|retry is inside|type assertion
		return pe.Code == "40001" || pe.Code == "40P01"
	}
	return false
}

func (s *S) T8(ctx context.Context) error {
	for {
		err := s.t8(ctx)
		if err == nil || !T7(err) {
			return fmt.Errorf("t8: %w", err)
		}
	}
}

func (s *S) t8(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE a SET n = n + 1"); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	return tx.Commit()
}

func (s *S) T9(ctx context.Context) error {
	tx, err := s.pool.Begin(ctx) // linked: nobody runs|retry is inside|type assertion
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE a SET n = n + 1"); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// --- stale replica
