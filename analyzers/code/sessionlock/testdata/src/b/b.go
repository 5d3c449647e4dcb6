// Package b has locks that nothing in it gives back.
package b

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// A commit ends the transaction, and not the session.
func committed(ctx context.Context, p *pgxpool.Pool) error {
	tx, err := p.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_lock(99)`); err != nil { // want "given back to the pool with this lock"
		return err
	}
	return tx.Commit(ctx)
}

func short(ctx context.Context, p *pgxpool.Pool) error {
	tx, err := p.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(99)`); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
