// Package b hands the row count to its callers.
package b

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

type H struct {
	*pgxpool.Pool
	b *bun.DB
	g *gorm.DB
	x *sqlx.DB
}

func (h *H) stock(ctx context.Context, tx pgx.Tx, id int64) (n int, err error) {
	err = tx.QueryRow(ctx, "SELECT stock FROM items WHERE id = $1", id).Scan(&n)
	return
}

func (h *H) take(ctx context.Context, id int64) (int64, error) {
	res, err := h.Exec(ctx, "UPDATE items SET stock = stock - 1 WHERE id = $1 AND stock > 0", id) // want "does nothing unless"
	return res.RowsAffected(), err
}

func (h *H) A40(ctx context.Context, id int64) error {
	_, err := h.take(ctx, id)
	return err
}

func (h *H) take2(ctx context.Context, id int64) (int64, error) {
	res, err := h.Exec(ctx, "UPDATE items SET stock = stock - 1 WHERE id = $1 AND stock > 0", id)
	return res.RowsAffected(), err
}

func (h *H) A41(ctx context.Context, id int64) error {
	n, err := h.take2(ctx, id)
	if err == nil && n == 0 {
		err = errors.New("sold out")
	}
	return err
}
