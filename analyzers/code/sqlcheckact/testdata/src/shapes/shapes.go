// Package shapes has checks and acts of many shapes: an edit is right for some.
package shapes

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errLow = errors.New("low")

// A1: if-init with = and a variable from before.
func A1(db *sql.DB, id, amount int64) (err error) {
	var balance int64
	if err = db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	if _, err = db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id); err != nil { // want "two callers"
		return err
	}
	return nil
}

// A2: SQL that ends in a comment.
func A2(db *sql.DB, id, amount int64) error {
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	if _, err := db.Exec( // want "two callers"
		`UPDATE accounts SET balance = balance - $1
		WHERE id = $2 -- the payer`, amount, id); err != nil {
		return err
	}
	return nil
}

// A3: the refusal uses a variable n, and err.
func A3(db *sql.DB, id, amount int64, n int) error {
	var balance int64
	err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance)
	if err != nil {
		return err
	}
	if balance < amount {
		return fmt.Errorf("try %d: %w (%v)", n, errLow, err)
	}
	if _, err := db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id); err != nil { // want "two callers"
		return err
	}
	return nil
}

// A4: columns that are quoted, in a string with escapes.
func A4(db *sql.DB, id, amount int64) error {
	var balance int64
	if err := db.QueryRow("SELECT \"Balance\" FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	_, err := db.Exec("UPDATE accounts SET \"Balance\" = \"Balance\" - $1 WHERE id = $2", amount, id) // want "two callers"
	return err
}

// A5: the refusal tells the value that was read.
func A5(ctx context.Context, db *pgxpool.Pool, id, amount int64) (left int64, err error) {
	var balance int64
	if err := db.QueryRow(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return 0, err
	}
	if balance < amount {
		return balance, fmt.Errorf("only %d are left", balance)
	}
	if _, err := db.Exec( // want "two callers"
		ctx,
		// take it
		"UPDATE accounts SET balance = balance - $1 WHERE id = $2",
		amount, id,
	); err != nil {
		return 0, fmt.Errorf("taking: %w", err)
	}
	return balance - amount, nil
}

// A6: strings.
func A6(db *sql.DB, id, who string) error {
	var status string
	if err := db.QueryRow("SELECT status FROM jobs WHERE id = $1", id).Scan(&status); err != nil {
		return err
	}
	if status != "it's new" {
		return errLow
	}
	_, err := db.Exec("UPDATE jobs SET status = 'running', worker = $2 WHERE id = $1", id, who) // want "two callers"
	return err
}

// A7: the other way round, act within.
func A7(db *sql.DB, id string) error {
	var used bool
	if err := db.QueryRow("SELECT used FROM coupons WHERE id = $1", id).Scan(&used); err != nil {
		return err
	}
	if !used {
		_, err := db.Exec("UPDATE coupons SET used = true WHERE id = $1", id) // want "two callers"
		return err
	}
	return errLow
}

// A8: named results and a bare return.
func A8(db *sql.DB, id string) (err error) {
	var used bool
	if err = db.QueryRow("SELECT used FROM coupons WHERE id = $1", id).Scan(&used); err != nil {
		return
	}
	if used {
		err = errLow
		return
	}
	_, err = db.Exec("UPDATE coupons SET used = true WHERE id = $1", id) // want "two callers"
	return
}

// A9: blank error.
func A9(db *sql.DB, id string) error {
	var used bool
	if err := db.QueryRow("SELECT used FROM coupons WHERE id = $1", id).Scan(&used); err != nil {
		return err
	}
	if used {
		return errLow
	}
	_, _ = db.Exec("UPDATE coupons SET used = true WHERE id = $1", id) // want "two callers"
	db.Exec("INSERT INTO redemptions (code) VALUES ($1)", id)
	return nil
}

// A10: the shadowed sql package.
func A10(db *sql.DB, worker string) error {
	var id int64
	if err := db.QueryRow("SELECT id FROM jobs WHERE status = 'new' ORDER BY id LIMIT 1").Scan(&id); err != nil {
		return err
	}
	sql := "x"
	_ = sql
	_, err := db.Exec("UPDATE jobs SET status = 'running', worker = $1 WHERE id = $2", worker, id) // want "two callers"
	return err
}

// A11: generic, method value.
func A11[K ~int64](db *sql.DB, id K, amount int64) error {
	exec := db.Exec
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	_, err := exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // want "two callers"
	return err
}

// A12: a condition of two parts.
func A12(db *sql.DB, id, amount int64, force bool) error {
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount && !force {
		return errLow
	}
	_, err := db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // want "two callers"
	return err
}

// A13: two columns.
func A13(db *sql.DB, id, amount int64) error {
	var balance, limit int64
	if err := db.QueryRow("SELECT balance, credit FROM accounts WHERE id = $1", id).Scan(&balance, &limit); err != nil {
		return err
	}
	if balance+limit < amount {
		return errLow
	}
	_, err := db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // want "two callers"
	return err
}

// A14: the parameter was changed between check and act.
func A14(db *sql.DB, id, amount int64) error {
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	amount += 3
	_, err := db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // want "two callers"
	return err
}

// A15: a transaction, and more after it.
func A15(db *sql.DB, id, amount int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var balance int64
	if err := tx.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return errLow
	}
	_, err = tx.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // take // want "two callers"
	if err != nil {
		return fmt.Errorf("taking: %w", err)
	}
	return tx.Commit()
}

// A16: another value than the one that is set.
func A16(db *sql.DB, id int64) error {
	var stock int
	if err := db.QueryRow("SELECT stock FROM items WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if stock <= 0 {
		return errLow
	}
	_, err := db.Exec("UPDATE items SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}

// A17: value computed in Go.
func A17(db *sql.DB, id int64) error {
	var stock int
	if err := db.QueryRow("SELECT stock FROM items WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if stock == 0 {
		return errLow
	}
	_, err := db.Exec("UPDATE items SET stock = $1 WHERE id = $2", stock-1, id) // want "two callers"
	return err
}

// A18: a check that panics, and one by switch.
func A18(db *sql.DB, id int64) error {
	var status string
	if err := db.QueryRow("SELECT status FROM items WHERE id = $1", id).Scan(&status); err != nil {
		return err
	}
	switch status {
	case "open", "new":
	default:
		return errLow
	}
	_, err := db.Exec("UPDATE items SET status = 'done' WHERE id = $1", id) // want "two callers"
	return err
}

// A19: nullable column.
func A19(db *sql.DB, id, user int64) error {
	var by sql.NullInt64
	if err := db.QueryRow("SELECT taken_by FROM seats WHERE id = $1", id).Scan(&by); err != nil {
		return err
	}
	if by.Valid {
		return errLow
	}
	_, err := db.Exec("UPDATE seats SET taken_by = $1 WHERE id = $2", user, id) // want "two callers"
	return err
}

// A27: nullable column, as a pointer.
func A27(ctx context.Context, db *pgxpool.Pool, id, user int64) error {
	var by *int64
	if err := db.QueryRow(ctx, "SELECT taken_by FROM seats WHERE id = $1", id).Scan(&by); err != nil {
		return err
	}
	if by != nil {
		return errLow
	}
	if _, err := db.Exec(ctx, "UPDATE seats SET taken_by = $1 WHERE id = $2", user, id); err != nil { // want "two callers"
		return err
	}
	return nil
}

// A28: the other way round.
func A28(db *sql.DB, id int64) error {
	var by *int64
	if err := db.QueryRow("SELECT taken_by FROM seats WHERE id = $1", id).Scan(&by); err != nil {
		return err
	}
	if by == nil {
		return errLow
	}
	_, err := db.Exec("UPDATE seats SET taken_by = NULL, freed = freed + 1 WHERE id = $1", id) // want "two callers"
	return err
}

// A20: idempotent refusal.
func A20(db *sql.DB, id int64) (bool, error) {
	var done bool
	if err := db.QueryRow("SELECT done FROM items WHERE id = $1", id).Scan(&done); err != nil {
		return false, err
	}
	if done {
		return false, nil
	}
	if _, err := db.Exec("UPDATE items SET done = TRUE WHERE id = $1", id); err != nil { // want "two callers"
		return false, err
	}
	return true, nil
}

// A21: a literal before the SQL.
func A21(ctx context.Context, db *pgxpool.Pool, id int64) (tag pgconn.CommandTag, err error) {
	var done bool
	if err := db.QueryRow(ctx, "SELECT done FROM items WHERE id = $1", id).Scan(&done); err != nil {
		return tag, err
	}
	if done {
		return tag, errLow
	}
	_, err = db.Exec(ctx, "UPDATE items SET done = TRUE, note = 'WHERE' WHERE id = $1", id) // want "two callers"
	return tag, err
}

// A22: a table with an alias.
func A22(db *sql.DB, id int64) error {
	var done bool
	if err := db.QueryRow("SELECT i.done FROM items i WHERE i.id = $1", id).Scan(&done); err != nil {
		return err
	}
	if done {
		return errLow
	}
	_, err := db.Exec("UPDATE items AS i SET done = true WHERE i.id = $1\n", id) // want "two callers"
	return err
}

// A23: in a loop, with continue.
func A23(db *sql.DB, ids []int64) error {
	for _, id := range ids {
		var done bool
		if err := db.QueryRow("SELECT done FROM items WHERE id = $1", id).Scan(&done); err != nil {
			return err
		}
		if done {
			continue
		}
		if _, err := db.Exec("UPDATE items SET done = true WHERE id = $1", id); err != nil { // want "two callers"
			return err
		}
	}
	return nil
}

// A24: nested block with =.
func A24(db *sql.DB, id int64, really bool) (n int, err error) {
	var done bool
	if err = db.QueryRow("SELECT done FROM items WHERE id = $1", id).Scan(&done); err != nil {
		return 0, err
	}
	if done {
		return 0, errLow
	}
	if really {
		_, err = db.Exec("UPDATE items SET done = true WHERE id = $1", id) // want "two callers"
		if err != nil {
			return 0, err
		}
	}
	return 1, err
}

// A25: a refusal that does something first.
func A25(db *sql.DB, id, want int64) error {
	var n int64
	if err := db.QueryRow("SELECT n FROM items WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if n < want {
		return errLow
	}
	if want := want * 2; want > 4 {
		_, err := db.Exec("UPDATE items SET n = n - $1 WHERE id = $2", want, id) // want "two callers"
		return err
	}
	return nil
}

// A26: the refusal names a variable that is another one at the act.
func A26(db *sql.DB, id, amount int64) error {
	why := errLow
	var balance int64
	if err := db.QueryRow("SELECT balance FROM accounts WHERE id = $1", id).Scan(&balance); err != nil {
		return err
	}
	if balance < amount {
		return why
	}
	for _, why := range []string{"a"} {
		_ = why
		_, err := db.Exec("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // want "two callers"
		return err
	}
	return nil
}
