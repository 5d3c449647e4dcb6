package a

import (
	"context"
	"slices"

	"github.com/jmoiron/sqlx"
)

// upsert waits for each row that another transaction has.
func upsert(ctx context.Context, db *sqlx.DB, names []string) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, n := range names {
		if _, err := tx.ExecContext(ctx, `INSERT INTO latest (name, n) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET n = latest.n + 1`, n); err != nil { // want "order in which the caller gave them"
			return err
		}
	}
	return tx.Commit()
}

// both sorts the two keys, locks them in a loop, and then writes as it likes.
func both(ctx context.Context, db *sqlx.DB, from, to string) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	ids := []string{from, to}
	slices.Sort(ids)
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM purses WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE purses SET n = n - 1 WHERE id = $1`, from); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE purses SET n = n + 1 WHERE id = $1`, to); err != nil {
		return err
	}
	return tx.Commit()
}
