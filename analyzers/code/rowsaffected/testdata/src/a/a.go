// Package a has what rowsaffected reports, and near-misses.
package a

import (
	"context"
	"database/sql"

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

type Item struct {
	ID  int64
	Qty int
}

func (s *S) A1(id int64, n int) error {
	return s.g.Model(&Item{}).Where("id = ? AND qty >= ?", id, n).UpdateColumn("qty", gorm.Expr("qty - ?", n)).Error // want "does nothing unless"
}

func (s *S) A2(ctx context.Context, id, ver int64, body string) error {
	_, err := s.pool.Exec(ctx, "UPDATE docs SET body = $1, version = version + 1 WHERE id = $2 AND version = $3", body, id, ver) // want "does nothing unless"
	return err
}

func (s *S) A3(ctx context.Context, code string, user int64) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "UPDATE codes SET used = true WHERE code = $1 AND used = false", code); err != nil { // want "does nothing unless"
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE users SET credit = credit + 10 WHERE id = $1", user); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func (s *S) A4(ctx context.Context, id int64) error {
	_, err := s.pool.Exec(ctx, "UPDATE sessions SET revoked = true WHERE id = $1 AND NOT revoked", id)
	return err
}

func (s *S) A5(ctx context.Context, ev string, user int64) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "INSERT INTO events (id) VALUES ($1) ON CONFLICT DO NOTHING", ev); err != nil { // want "does nothing unless"
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE users SET credit = credit + 10 WHERE id = $1", user); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Rotate makes a new row for each caller that has revoked the old one.
func (s *S) Rotate(ctx context.Context, old, fresh string) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "UPDATE tokens SET revoked = true WHERE hash = $1 AND revoked = false", old); err != nil { // want "does nothing unless"
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO tokens (hash, revoked) VALUES ($1, false)", fresh); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Supersede closes what is current of one document, and adds what is current now.
func (s *S) Supersede(ctx context.Context, doc, text string) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "UPDATE texts SET current = false WHERE doc = $1 AND current = true", doc); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO texts (doc, text, current) VALUES ($1, $2, true)", doc, text); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
