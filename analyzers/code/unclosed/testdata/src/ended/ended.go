package ended

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

// ended: the transaction is rolled back when its context is over, on each return.
func ended(db *sql.DB, id int) (name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	if err := tx.QueryRow("SELECT name FROM accounts WHERE id = $1", id).Scan(&name); err != nil {
		return "", err
	}
	return name, tx.Commit()
}

// another has a context that ends, and begins with one that does not.
func another(db *sql.DB, id int) (name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tx, err := db.BeginTx(context.Background(), nil) // want `the transaction opened here stays open`
	if err != nil {
		return "", err
	}
	if err := tx.QueryRowContext(ctx, "SELECT name FROM accounts WHERE id = $1", id).Scan(&name); err != nil {
		return "", err
	}
	return name, tx.Commit()
}

// reserved: the end of a context does not give back a connection.
func reserved(db *sql.DB, id int) (name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := db.Conn(ctx) // want `the connection opened here stays open`
	if err != nil {
		return "", err
	}
	if err := conn.QueryRowContext(ctx, "SELECT name FROM accounts WHERE id = $1", id).Scan(&name); err != nil {
		return "", err
	}
	return name, conn.Close()
}

// falls off its end: the line of the report is that of the brace.
func falls(u string, log func(int)) {
	resp, err := http.Get(u) // want `the response opened here stays open on a path that returns at line 61`
	if err != nil {
		return
	}
	if resp.StatusCode != http.StatusOK {
		log(resp.StatusCode)
	}
}
