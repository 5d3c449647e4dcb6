package c

import (
	"context"
	"database/sql"
	"errors"
)

// atomically calls the function again in the transaction that was aborted.
func atomically(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for range 5 {
		if err = f(tx); !refused(err) { // linked: the retry is inside of the transaction that failed
			break
		}
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// anew begins again, and forgets the commit.
func anew(db *sql.DB, f func(*sql.Tx) error) error {
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
			if refused(err) {
				continue
			}
			return err
		}
		return tx.Commit() // linked: nobody runs this transaction again when its COMMIT is refused
	}
}

// stubborn repeats a statement in the transaction that it was given.
func stubborn(tx *sql.Tx, q string, args ...any) error {
	for try := 0; ; try++ {
		_, err := tx.Exec(q, args...) // linked: the retry is inside of the transaction that failed
		if try == 3 || !refused(err) {
			return err
		}
	}
}

// patient has a handle that can be a pool, where each statement is its own transaction.
func patient(db interface {
	Exec(q string, args ...any) (sql.Result, error)
}, q string) error {
	for try := 0; ; try++ {
		_, err := db.Exec(q)
		if try == 3 || !refused(err) {
			return err
		}
	}
}

var errConflict = errors.New("conflict, run it again")

// drain deletes until nothing is left, and says which error has ended it.
func drain(tx *sql.Tx) error {
	for {
		res, err := tx.Exec("DELETE FROM jobs WHERE id IN (SELECT id FROM jobs LIMIT 100)")
		if refused(err) {
			return errConflict
		}
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
	}
}
