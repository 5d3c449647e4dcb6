package c

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/lib/pq"
)

type store struct{ pool *pgxpool.Pool }

// The helper leaves the level to its callers, one of which wants a high one.
func (s *store) inTx(ctx context.Context, level pgx.TxIsoLevel, f func(pgx.Tx) error) error {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: level}) // linked: nobody runs this transaction again
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func (s *store) rename(ctx context.Context, id int64, name string) error {
	return s.inTx(ctx, pgx.ReadCommitted, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE things SET name = $1 WHERE id = $2`, name, id)
		return err
	})
}

func (s *store) move(ctx context.Context, id, to int64) error {
	return s.inTx(ctx, pgx.Serializable, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE things SET parent = $1 WHERE id = $2`, to, id)
		return err
	})
}

// handOpts is the same with the options as a whole; its one caller that wants a
// high level runs it again.
func handOpts(ctx context.Context, db *sql.DB, opts *sql.TxOptions, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func retitle(ctx context.Context, db *sql.DB, id int64) error {
	for i := 0; ; i++ {
		err := handOpts(ctx, db, &sql.TxOptions{Isolation: sql.LevelSerializable}, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE things SET title = 'x' WHERE id = $1`, id)
			return err
		})
		var pe *pq.Error
		if i == 3 || !errors.As(err, &pe) || pe.Code != "40001" {
			return err
		}
	}
}

// The loop asks what the function answers; the commit stands behind it.
func behind(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	for {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		if err := f(tx); err != nil {
			tx.Rollback()
			var pe *pq.Error
			if !errors.As(err, &pe) || pe.Code != "40001" {
				return err
			}
			continue
		}
		return tx.Commit() // linked: when its COMMIT is refused
	}
}

// executor gives the function queries that were made for the transaction.
type executor[Q any] struct {
	db      *sql.DB
	queries func(*sql.Tx) Q
}

func (x *executor[Q]) exec(ctx context.Context, body func(Q) error) error {
	for i := range 10 {
		tx, err := x.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		if err := body(x.queries(tx)); err != nil {
			tx.Rollback()
			if refused(err) {
				time.Sleep(time.Duration(i) * time.Millisecond)
				continue
			}
			return err
		}
		if err := tx.Commit(); refused(err) {
			continue
		} else {
			return err
		}
	}
	return errors.New("too many attempts")
}

// book is a method of its own, and its caller runs the transaction again.
func (s *store) book(ctx context.Context, tx pgx.Tx, room int64) error {
	if _, err := tx.Exec(ctx, `INSERT INTO stays (room) VALUES ($1)`, room); err != nil {
		return fmt.Errorf("booking: %v", err) // linked: loses its SQLSTATE
	}
	if _, err := tx.Exec(ctx, `UPDATE rooms SET stays = stays + 1 WHERE id = $1`, room); err != nil {
		return fmt.Errorf("counting: %w", err)
	}
	return nil
}

func (s *store) booked(ctx context.Context, room int64) error {
	for range 4 {
		err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error { return s.book(ctx, tx, room) })
		var pe *pgconn.PgError
		if !errors.As(err, &pe) || pe.Code != "40001" {
			return err
		}
	}
	return errors.New("too many attempts")
}

// strict is how all transactions of the package begin.
var strict = &sql.TxOptions{Isolation: sql.LevelSerializable}

func strictly(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, strict) // linked: nobody runs this transaction again
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE things SET seen = true WHERE id = $1`, id); err != nil {
		return err
	}
	return tx.Commit()
}
