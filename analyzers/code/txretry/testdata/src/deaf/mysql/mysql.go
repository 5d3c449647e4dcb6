// Package mysql may be a program of MySQL.
package mysql

import (
	"context"
	"database/sql"
	"strings"
)

func retryable(err error) bool {
	return err != nil && strings.Contains(err.Error(), "try restarting transaction")
}

func once(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE slabs SET pins = pins + 1 WHERE id = ?", id); err != nil {
		return err
	}
	return tx.Commit()
}

func Pin(ctx context.Context, db *sql.DB, id int64) error {
	for i := 0; ; i++ {
		if err := once(ctx, db, id); i == 9 || !retryable(err) {
			return err
		}
	}
}

func deadlocked(err error) bool { return strings.Contains(err.Error(), "deadlock") }

func Unpin(ctx context.Context, db *sql.DB, id int64) error {
	for i := 0; ; i++ {
		if err := once(ctx, db, id); err == nil || i == 9 || !deadlocked(err) && !strings.Contains(err.Error(), "Deadlock found") {
			return err
		}
	}
}
