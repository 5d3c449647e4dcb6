package a

import (
	"context"
	"database/sql"
	"errors"

	"b"

	"github.com/jackc/pgx/v5"
)

func earlyReturn(db *sql.DB) ([]string, error) {
	rows, err := db.Query("SELECT name FROM shop") // want `the rows opened here stay open on a path that returns at line \d+`
	if err != nil {
		return nil, err
	}
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	return cols, nil
}

func inTheLoop(db *sql.DB) (int, error) {
	rows, err := db.Query("SELECT n FROM shop") // want `opened here stay open`
	if err != nil {
		return 0, err
	}
	n := 0
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}

func toTheEnd(db *sql.DB) (n int, err error) {
	rows, err := db.Query("SELECT n FROM shop")
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

func deferred(db *sql.DB) (n int, err error) {
	rows, err := db.Query("SELECT n FROM shop")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if !rows.Next() {
		return 0, errors.New("none")
	}
	return n, rows.Scan(&n)
}

func inAClosure(db *sql.DB) (n int, err error) {
	rows, err := db.Query("SELECT n FROM shop")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	rows.Next()
	return n, rows.Scan(&n)
}

func closedByHand(db *sql.DB) (n int, err error) {
	rows, err := db.Query("SELECT n FROM shop")
	if err != nil {
		return 0, err
	}
	if rows.Next() {
		err = rows.Scan(&n)
	}
	rows.Close()
	return n, err
}

func closedByHandOnOnePath(db *sql.DB) (n int, err error) {
	rows, err := db.Query("SELECT n FROM shop") // want `opened here stay open`
	if err != nil {
		return 0, err
	}
	if !rows.Next() {
		return 0, sql.ErrNoRows
	}
	if err := rows.Scan(&n); err != nil {
		return 0, err
	}
	return n, rows.Close()
}

func toAHelper(db *sql.DB) ([]string, error) {
	rows, err := db.Query("SELECT name FROM shop") // want `opened here stay open`
	if err != nil {
		return nil, err
	}
	return b.Names(rows)
}

func toAHelperAndClosed(db *sql.DB) ([]string, error) {
	rows, err := db.Query("SELECT name FROM shop")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return b.Names(rows)
}

func toAHelperThatCloses(db *sql.DB) error {
	rows, err := db.Query("SELECT name FROM shop")
	if err != nil {
		return err
	}
	return b.Closing(rows)
}

func fromAHelper(db *sql.DB) error {
	rows, err := b.Open(db) // want `opened here stay open`
	if err != nil {
		return err
	}
	rows.Next()
	return rows.Err()
}

type cursor struct{ rows *sql.Rows }

func stored(db *sql.DB) (*cursor, error) {
	rows, err := db.Query("SELECT 1")
	if err != nil {
		return nil, err
	}
	return &cursor{rows}, nil
}

func returned(db *sql.DB) (*sql.Rows, error) { // want returned:`opens true`
	rows, err := db.Query("SELECT 1")
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func pgxScanCloses(ctx context.Context, c *pgx.Conn) (n int, err error) {
	rows, err := c.Query(ctx, "SELECT n FROM shop")
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}

func pgxEarly(ctx context.Context, c *pgx.Conn) (n int, err error) {
	rows, err := c.Query(ctx, "SELECT n FROM shop") // want `opened here stay open`
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		if n > 5 {
			return n, nil
		}
	}
	return n, rows.Err()
}

func pgxCollect(ctx context.Context, c *pgx.Conn) ([]int, error) {
	rows, err := c.Query(ctx, "SELECT n FROM shop")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(pgx.Rows) (int, error) { return 0, nil })
}

func noRollback(ctx context.Context, c *pgx.Conn) error {
	tx, err := c.Begin(ctx) // want `the transaction opened here stays open`
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM shop"); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func rollback(ctx context.Context, c *pgx.Conn) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "DELETE FROM shop"); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func nilRows(db *sql.DB, ask bool) error {
	var rows *sql.Rows
	if ask {
		var err error
		if rows, err = db.Query("SELECT 1"); err != nil {
			return err
		}
	}
	if rows != nil {
		rows.Close()
	}
	return nil
}

func inALoop(db *sql.DB, ids []int) error {
	var tx *sql.Tx
	open := false
	for range ids {
		if !open {
			var err error
			if tx, err = db.Begin(); err != nil {
				return err
			}
			open = true
		}
		if _, err := tx.Exec("DELETE FROM shop"); err != nil {
			tx.Rollback()
			return err
		}
	}
	if !open {
		return nil
	}
	return tx.Commit()
}

func collected(rows *sql.Rows, err error) (out []string, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// The helper gets both results of the query, and closes the rows.
func handedBoth(db *sql.DB) ([]string, error) {
	return collected(db.Query("SELECT name FROM shop"))
}
