package retold

import (
	"context"
	"database/sql"
)

var pool *sql.DB

type shelf struct{ db *sql.DB }

// move has the bug; who calls it has not.
func move(ctx context.Context, id int64) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := pool.ExecContext(ctx, "UPDATE shelves SET moved = true WHERE id = $1", id); err != nil { // want `runs on the pool while a transaction is open`
		return err
	}
	return tx.Commit()
}

func moveBoth(ctx context.Context, a, b int64) error {
	if err := move(ctx, a); err != nil {
		return err
	}
	return move(ctx, b)
}

func (s shelf) in(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s shelf) touch(ctx context.Context, id int64) error {
	_, err := s.db.ExecContext(ctx, "UPDATE shelves SET touched = true WHERE id = $1", id)
	return err
}

// clear has the bug in the literal that it hands over.
func (s shelf) clear(ctx context.Context, id int64) error {
	return s.in(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM shelves WHERE id = $1", id); err != nil {
			return err
		}
		return s.touch(ctx, id) // want `runs on the pool while a transaction is open`
	})
}

// swap gives the pool to a function that cannot know it.
func swap(ctx context.Context, db *sql.DB, on interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := on.ExecContext(ctx, "UPDATE shelves SET swapped = true WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}

func (s shelf) swapped(ctx context.Context, id int64) error {
	return swap(ctx, s.db, s.db, id) // want `runs on the pool while a transaction is open`
}
