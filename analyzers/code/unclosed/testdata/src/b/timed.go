package b

import (
	"context"
	"database/sql"
	"log"
	"time"
)

type timed struct{ *sql.DB }

// Query defers, so that its results are in variables.
func (t timed) Query(ctx context.Context, q string, args ...any) (*sql.Rows, error) { // want Query:`opens true`
	defer func(start time.Time) { log.Print(q, time.Since(start)) }(time.Now())
	return t.DB.QueryContext(ctx, q, args...)
}

func one(rows *sql.Rows) (name string, err error) { // want one:`leaves open`
	err = rows.Scan(&name)
	return name, err
}

func first(ctx context.Context, t timed) (string, error) {
	rows, err := t.Query(ctx, "SELECT name FROM shop") // want "rows opened here stay open"
	if err != nil {
		return "", err
	}
	if rows.Next() {
		return one(rows)
	}
	return "", rows.Err()
}

func firstClosed(ctx context.Context, t timed) (string, error) {
	rows, err := t.Query(ctx, "SELECT name FROM shop")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if rows.Next() {
		return one(rows)
	}
	return "", rows.Err()
}

// open hands on what somebody else has opened.
func (t timed) open(tx *sql.Tx) *sql.Tx {
	defer log.Print("opened")
	return tx
}

func inside(t timed, tx *sql.Tx) error {
	_, err := t.open(tx).Exec("DELETE FROM shop")
	return err
}

// prepare returns with the transaction the function that ends it.
func prepare(db *sql.DB) (*sql.Tx, func(), error) {
	tx, err := db.Begin()
	if err != nil {
		return nil, nil, err
	}
	return tx, func() { log.Print(tx.Rollback()) }, nil
}

func prepared(db *sql.DB) error {
	tx, end, err := prepare(db)
	if err != nil {
		return err
	}
	defer end()
	_, err = tx.Exec("DELETE FROM shop")
	return err
}

func oneOf[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) (T, error) { // want oneOf:`leaves open`
	if !rows.Next() {
		var none T
		return none, rows.Err()
	}
	return scan(rows)
}

// each hands the rows to a function that may close them.
func each(rows *sql.Rows, use func(*sql.Rows) error) error { return use(rows) }

func used(db *sql.DB, use func(*sql.Rows) error) error {
	rows, err := db.Query("SELECT name FROM shop")
	if err != nil {
		return err
	}
	return each(rows, use)
}
