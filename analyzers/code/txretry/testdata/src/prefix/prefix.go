// Package prefix asks how the message of an error begins.
package prefix

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

var db *sql.DB

func conflict(err error) bool {
	return strings.HasPrefix(err.Error(), "ERROR: could not serialize") // want `begins with other words`
}

func Run(ctx context.Context) (err error) {
	for range 3 {
		if err = once(ctx); err == nil || !conflict(err) {
			return err
		}
	}
	return err
}

func once(ctx context.Context) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE days SET closed = true`); err != nil {
		return fmt.Errorf("closing the day: %w", err)
	}
	return tx.Commit()
}
