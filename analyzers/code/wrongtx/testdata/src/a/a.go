// Package a has statements beside their transaction.
package a

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Store struct {
	db   *sql.DB
	pool *pgxpool.Pool
	x    *sqlx.DB
	g    *gorm.DB
}

type User struct {
	ID    uint
	Mail  string
	Stock int
}

func (s *Store) B24(ctx context.Context, id, n int64) error {
	var bal int64
	if err := s.db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&bal); err != nil { // want "default|pool|gorm 2"
		return err
	}
	if bal < n {
		return errors.New("low")
	}
	_, err := s.db.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", n, id)
	return err
}

func (s *Store) B25(ctx context.Context, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2 AND balance >= $1", n, id); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "INSERT INTO log (id) VALUES ($1)", id); err != nil { // want "default|pool|gorm 2"
		return err
	}
	return tx.Commit()
}

func (s *Store) B26(id uint, n int) error {
	return s.g.Transaction(func(tx *gorm.DB) error {
		var u User
		if err := tx.Set("gorm:query_option", "FOR UPDATE").First(&u, id).Error; err != nil { // want "default|pool|gorm 2"
			return err
		}
		if u.Stock < n {
			return errors.New("out")
		}
		return tx.Model(&u).Update("stock", u.Stock-n).Error
	})
}

// B27 runs f in a serializable transaction.
func (s *Store) B27(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil) // want "default|pool|gorm 2"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Store) withTx(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback()
		return fmt.Errorf("tx: %w", err)
	}
	return tx.Commit()
}

func (s *Store) S1(ctx context.Context, id, n int64) error {
	return s.withTx(ctx, func(tx *sql.Tx) error {
		var bal int64
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&bal); err != nil {
			return err
		}
		if bal < n {
			return errors.New("low")
		}
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", n, id)
		return err
	})
}

func (s *Store) S3(id uint, n int) error {
	return s.g.Transaction(func(tx *gorm.DB) error {
		var u User
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&u, id).Error; err != nil {
			return err
		}
		if u.Stock < n {
			return errors.New("out")
		}
		return tx.Model(&u).Update("stock", u.Stock-n).Error
	})
}

func (s *Store) S8(ctx context.Context, room int64, who string) error {
	return s.withTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM rooms WHERE id = $1 FOR UPDATE", room); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM stays WHERE room = $1", room).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return errors.New("full")
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO stays (room, who) VALUES ($1, $2)", room, who)
		return err
	})
}
