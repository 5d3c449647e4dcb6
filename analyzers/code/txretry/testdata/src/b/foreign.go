package b

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/lib/pq"
)

// others asks for the error of lib/pq, which pgx does not know.
func others(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && (pe.Code == "40001" || pe.Code == "40P01") // want `pgx answers with no \*pq\.Error`
}

func onPgx(ctx context.Context, pool *pgxpool.Pool, fn func(pgx.Tx) error) (err error) {
	for range 5 {
		if err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, fn); !others(err) {
			return err
		}
	}
	return err
}

// both serves two drivers.
func both(err error) bool {
	var pe *pq.Error
	var ge *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "40001" || errors.As(err, &ge) && ge.Code == "40001"
}

func onEither(ctx context.Context, pool *pgxpool.Pool, fn func(pgx.Tx) error) (err error) {
	for range 5 {
		if err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, fn); !both(err) {
			return err
		}
	}
	return err
}

// anyDriver may meet lib/pq behind database/sql.
func anyDriver(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && pe.Code == "40001"
}

func onSQL(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) (err error) {
	for range 5 {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		if err = errors.Join(fn(tx), tx.Commit()); !anyDriver(err) {
			return err
		}
	}
	return err
}
