// Package fix has a statement that belongs to the transaction in scope.
package fix

import (
	"context"
	"database/sql"
)

type store struct{ db *sql.DB }

func (s *store) Pay(ctx context.Context, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "INSERT INTO payouts (purse, cents) VALUES ($1, $2)", id, n); err != nil { // want "runs on the pool"
		return err
	}
	return tx.Commit()
}
