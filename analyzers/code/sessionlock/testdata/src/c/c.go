// Package c has the session locks of MySQL.
package c

import (
	"context"
	"database/sql"
)

func exclusive(ctx context.Context, db *sql.DB, name string, job func() error) error {
	var got sql.NullInt64
	if err := db.QueryRowContext(ctx, "SELECT GET_LOCK(?, 1)", name).Scan(&got); err != nil || got.Int64 != 1 { // want "taken on whichever connection the pool picks"
		return err
	}
	defer db.ExecContext(ctx, "DO RELEASE_LOCK(?)", name)
	return job()
}

func exclusivePinned(ctx context.Context, db *sql.DB, name string, job func() error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var got sql.NullInt64
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 1)", name).Scan(&got); err != nil || got.Int64 != 1 {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "DO RELEASE_LOCK(?)", name)
	return job()
}

func refill(db *sql.DB) error {
	if _, err := db.Exec("LOCK TABLES ranks WRITE"); err != nil { // want "taken on whichever connection the pool picks"
		return err
	}
	defer db.Exec("UNLOCK TABLES")
	_, err := db.Exec("DELETE FROM ranks")
	return err
}

// PostgreSQL's ends with the transaction.
func refillInTx(tx *sql.Tx) error {
	if _, err := tx.Exec("LOCK TABLE ranks IN EXCLUSIVE MODE"); err != nil {
		return err
	}
	_, err := tx.Exec("DELETE FROM ranks")
	return err
}
