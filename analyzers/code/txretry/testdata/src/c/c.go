// Package c retries a part of its transactions.
package c

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

var db *sql.DB

type H struct {
	*pgxpool.Pool
	b *bun.DB
	g *gorm.DB
	x *sqlx.DB
}

func (h *H) T40(ctx context.Context) error {
	for {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		if _, err = tx.Exec("UPDATE a SET n = n + 1"); err != nil {
			tx.Rollback()
			var pe *pq.Error
			if errors.As(err, &pe) && pe.Code == "40001" {
				continue
			}
			return err
		}
		return tx.Commit() // linked: nobody runs|retry is inside|type assertion
	}
}

func (h *H) T41(ctx context.Context) error {
	for i := 0; i < 3; i++ {
		err := h.t41(ctx)
		if err == nil || !strings.Contains(err.Error(), "40001") {
			return err
		}
	}
	return errors.New("conflict")
}

func (h *H) t41(ctx context.Context) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err = tx.Exec("UPDATE a SET n = n + 1"); err != nil {
		return err
	}
	return tx.Commit()
}

// --- rows affected

// T49 names its level in SQL, and asks its statements alone.
func (h *H) T49(f func(*sql.Tx) error) error {
	for {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
			tx.Rollback()
			return err
		}
		if err := f(tx); err != nil {
			tx.Rollback()
			var pe *pq.Error
			if errors.As(err, &pe) && pe.Code == "40001" {
				continue
			}
			return err
		}
		return tx.Commit() // linked: nobody runs this transaction again when its COMMIT is refused
	}
}
