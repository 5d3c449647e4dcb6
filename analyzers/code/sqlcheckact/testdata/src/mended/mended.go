// Package mended has what can be mended by an edit.
package mended

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"
)

var errLow = errors.New("low")

func Chained(db *sql.DB, id, amount int64) error {
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	if _, err := db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id); err != nil { // want "two callers"
		return err
	}
	return nil
}

func Returned(db *sql.DB, code string) (int, error) {
	var used bool
	if err := db.QueryRow("SELECT used FROM coupons WHERE code = $1", code).Scan(&used); err != nil {
		return 0, err
	}
	if used {
		return 0, errLow
	}
	_, err := db.Exec( /* want "two callers" */ `UPDATE coupons
		SET used = true
		WHERE code = $1
	`, code)
	return 1, err
}

func Tested(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	var status string
	err := pool.QueryRow(ctx, "SELECT status FROM orders WHERE id = $1", id).Scan(&status)
	if err != nil {
		return err
	}
	if status != "open" {
		return errLow
	}
	_, err = pool.Exec(ctx, "UPDATE orders SET status = 'paid' WHERE id = $1", id) // want "two callers"
	if err != nil {
		return err
	}
	return nil
}

func Claimed(db *sql.DB, worker string) error {
	var id int64
	if err := db.QueryRow("SELECT id FROM jobs WHERE status = 'new' ORDER BY id LIMIT 1").Scan(&id); err != nil {
		return err
	}
	_, err := db.Exec("UPDATE jobs SET status = 'running', worker = $1 WHERE id = $2", worker, id) // want "two callers"
	return err
}

// What follows has no edit: question marks cannot be named twice, the answer is
// used, or the statement ends otherwise.

func Asked(db *sql.DB, id, amount int64) error {
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = ?", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	_, err := db.Exec("UPDATE accounts SET balance = balance - ? WHERE id = ?", amount, id) // want "two callers"
	return err
}

func Kept(db *sql.DB, id, amount int64) (sql.Result, error) {
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return nil, err
	}
	if balance < amount {
		return nil, errLow
	}
	return db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // want "two callers"
}

func Either(db *sql.DB, id, amount int64) error {
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	_, err := db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2 OR parent = $2", amount, id)
	return err
}
