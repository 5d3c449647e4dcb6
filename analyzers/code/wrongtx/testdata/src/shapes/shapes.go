// Package shapes has transactions of many shapes: an edit is right for some.
package shapes

import (
	"context"
	"database/sql"
	"log"
)

type store struct{ db *sql.DB }

// Local has a variable for the pool that nothing else uses.
func (s *store) Local(ctx context.Context, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	pool := s.db
	if _, err := pool.ExecContext(ctx, "INSERT INTO payouts (purse, cents) VALUES ($1, $2)", id, n); err != nil { // want "runs on the pool"
		return err
	}
	return tx.Commit()
}

// Shadowed has another tx in the inner block.
func (s *store) Shadowed(ctx context.Context, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	{
		tx := "inner"
		if _, err := s.db.ExecContext(ctx, "INSERT INTO payouts (purse, cents, note) VALUES ($1, $2, $3)", id, n, tx); err != nil { // want "runs on the pool"
			return err
		}
	}
	return tx.Commit()
}

// Rows has the transaction busy with rows.
func (s *store) Rows(ctx context.Context, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT id FROM purses WHERE cents > $1 FOR UPDATE", n)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if _, err := s.db.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil { // want "runs on the pool"
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return tx.Commit()
}

// Read is done with its rows before.
func (s *store) Read(ctx context.Context, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT id FROM purses WHERE cents > $1 FOR UPDATE", n)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil { // want "runs on the pool"
		return err
	}
	return tx.Commit()
}

// Later runs in a goroutine.
func (s *store) Later(ctx context.Context, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	go func() {
		if _, err := s.db.ExecContext(ctx, "INSERT INTO payouts (purse, cents) VALUES ($1, $2)", id, n); err != nil {
			log.Print(err)
		}
	}()
	return tx.Commit()
}

type embedded struct{ *sql.DB }

// Emb calls a promoted method.
func (s embedded) Emb(ctx context.Context, id, n int64) error {
	tx, err := s.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	if _, err := s.ExecContext(ctx, "INSERT INTO payouts (purse, cents) VALUES ($1, $2)", id, n); err != nil { // want "runs on the pool"
		return err
	}
	return tx.Commit()
}

// Maybe has a transaction that may be nil.
func (s *store) Maybe(ctx context.Context, id, n int64, atomic bool) (err error) {
	var tx *sql.Tx
	if atomic {
		if tx, err = s.db.BeginTx(ctx, nil); err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err = tx.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
			return
		}
	}
	if _, err = s.db.ExecContext(ctx, "INSERT INTO payouts (purse, cents) VALUES ($1, $2)", id, n); err != nil { // want "runs on the pool"
		return
	}
	if atomic {
		err = tx.Commit()
	}
	return
}

// Audit writes on purpose outside: a log that a rollback must not undo.
func (s *store) Audit(ctx context.Context, audit *sql.DB, id, n int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	if _, err := audit.ExecContext(ctx, "INSERT INTO payouts (purse, cents) VALUES ($1, $2)", id, n); err != nil {
		return err
	}
	return tx.Commit()
}

// Old is called with the transaction of somebody else.
func (s *store) Old(ctx context.Context, outer *sql.Tx, id, n int64) error {
	if _, err := outer.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	_, err := s.
		db. // the pool
		ExecContext(ctx,
			"INSERT INTO payouts (purse, cents) VALUES ($1, $2)",
			id, n)
	return err
}

func within[T any](ctx context.Context, db *sql.DB, fn func(*sql.Tx) (T, error)) (t T, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return t, err
	}
	defer tx.Rollback()
	if t, err = fn(tx); err != nil {
		return t, err
	}
	return t, tx.Commit()
}

// Gen has a closure.
func (s *store) Gen(ctx context.Context, id, n int64) (int64, error) {
	return within(ctx, s.db, func(t *sql.Tx) (k int64, err error) {
		if _, err = t.ExecContext(ctx, "UPDATE purses SET cents = cents - $1 WHERE id = $2", n, id); err != nil {
			return 0, err
		}
		err = s.db.QueryRowContext(ctx, "INSERT INTO payouts (purse, cents) VALUES ($1, $2) RETURNING id", id, n).Scan(&k) // want "runs on the pool"
		return
	})
}
