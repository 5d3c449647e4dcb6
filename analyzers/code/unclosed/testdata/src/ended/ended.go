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

// inTx prepares on a transaction, which closes its statements when it ends.
func inTx(tx *sql.Tx, names []string) error { // want inTx:`leaves open \[true false\], opens false`
	insert, err := tx.Prepare("INSERT INTO shop (name) VALUES ($1)")
	if err != nil {
		return err
	}
	for _, n := range names {
		if _, err := insert.Exec(n); err != nil {
			return err
		}
	}
	return nil
}

// onPool prepares on the pool, which keeps the statement until somebody closes it.
func onPool(db *sql.DB, names []string) error {
	insert, err := db.Prepare("INSERT INTO shop (name) VALUES ($1)") // want `the statement opened here stays open on a path that returns at line \d+`
	if err != nil {
		return err
	}
	for _, n := range names {
		if _, err := insert.Exec(n); err != nil {
			return err
		}
	}
	return insert.Close()
}

type preparer interface {
	Prepare(query string) (*sql.Stmt, error)
}

// onEither may be given a pool.
func onEither(p preparer, name string) error {
	insert, err := p.Prepare("INSERT INTO shop (name) VALUES ($1)") // want `the statement opened here stays open on a path that returns at line \d+`
	if err != nil {
		return err
	}
	_, err = insert.Exec(name)
	return err
}
