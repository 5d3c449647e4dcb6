// Package shapes has resources of many shapes: an edit is right for some.
package shapes

import (
	"database/sql"
	"errors"
	"io"
	"net/http"
)

func open(db *sql.DB) (int, *sql.Rows, error) { // want open:`opens true`
	rows, err := db.Query("SELECT 1")
	return 1, rows, err
}

func Second(db *sql.DB) (int, error) {
	n, rows, err := open(db) // want "stays? open"
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

func OtherCheck(db *sql.DB, limit int) error {
	rows, err := db.Query("SELECT 1") // want "stays? open"
	if limit > 3 {
		return errors.New("too many")
	}
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := rows.Scan(&limit); err != nil {
			return err
		}
	}
	return rows.Err()
}

func Loop(db *sql.DB, ids []int) (n int) {
	for _, id := range ids {
		rows, err := db.Query("SELECT $1", id) // want "stays? open"
		if err != nil {
			continue
		}
		for rows.Next() {
			if err := rows.Scan(&n); err != nil {
				return n
			}
		}
	}
	return n
}

func Returned(db *sql.DB, want int) (*sql.Rows, error) { // want Returned:`opens true`
	rows, err := db.Query("SELECT 1") // want "stays? open"
	if err != nil {
		return nil, err
	}
	if want > 3 {
		return nil, errors.New("too many")
	}
	return rows, nil
}

type keeper struct{ rows *sql.Rows }

func (k *keeper) Kept(db *sql.DB, want int) error {
	rows, err := db.Query("SELECT 1") // want "stays? open"
	if err != nil {
		return err
	}
	if want > 3 {
		return errors.New("too many")
	}
	k.rows = rows
	return nil
}

func Sent(db *sql.DB, ch chan *sql.Rows, want int) error {
	rows, err := db.Query("SELECT 1") // want "stays? open"
	if err != nil {
		return err
	}
	if want > 3 {
		return errors.New("too many")
	}
	ch <- rows
	return nil
}

func KeptAtOnce(db *sql.DB, k *keeper, want int) error {
	rows, err := db.Query("SELECT 1")
	if err != nil {
		return err
	}
	k.rows = rows
	if want > 3 {
		return errors.New("too many")
	}
	return nil
}

func Body(url string) ([]byte, error) {
	resp, err := http.Get(url) // want "stays? open"
	if err != nil {            // no answer
		return nil, err
	}
	if resp.StatusCode != 200 {
		return nil, errors.New("bad")
	}
	return io.ReadAll(resp.Body)
}

func Reader(url string) (io.ReadCloser, error) {
	resp, err := http.Get(url) // want "stays? open"
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != 200 {
		return nil, errors.New("bad")
	}
	return resp.Body, nil
}

func Named(db *sql.DB) (n int, err error) {
	rows, e := db.Query("SELECT 1") // want "stays? open"
	if e != nil {
		err = e
		return
	}
	if rows.Next() {
		if err = rows.Scan(&n); err != nil {
			return
		}
	}
	err = rows.Close()
	return
}

func Init(db *sql.DB) (n int, err error) {
	if rows, err := db.Query("SELECT 1"); err == nil { // want "stays? open"
		if rows.Next() {
			if err := rows.Scan(&n); err != nil {
				return 0, err
			}
		}
		return n, rows.Close()
	}
	return 0, err
}

func Ok(db *sql.DB) (n int, err error) {
	rows, err := db.Query("SELECT 1") // want "stays? open"
	if err == nil {
		return 0, nil
	}
	rows.Next()
	return 0, err
}

func Gen[T any](db *sql.DB) (all []T, err error) {
	q := db.Query
	rows, err := q("SELECT 1") // want "stays? open"
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var t T
		if err := rows.Scan(&t); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func Close() {}

func Two(db *sql.DB, m int) (n int, err error) {
	rows, err := db.Query("SELECT 1") // want "stays? open"
	if err != nil {
		return 0, err
	}
	if rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	rows.Close()
	rows, err = db.Query("SELECT $1", n) // want "stays? open"
	if err != nil {
		return 0, err
	}
	if rows.Next() {
		if err := rows.Scan(&m); err != nil {
			return 0, err
		}
	}
	rows.Close()
	return n + m, nil
}

func Blank(db *sql.DB) (n int) {
	rows, _ := db.Query("SELECT 1") // want "stays? open"
	if rows == nil {
		return 0
	}
	if rows.Next() {
		_ = rows.Scan(&n)
	}
	return n
}

func Switch(db *sql.DB, kind int) (n int, err error) {
	switch kind {
	case 1:
		rows, err := db.Query("SELECT 1") // want "stays? open"
		if err != nil {
			return 0, err
		}
		if rows.Next() {
			err = rows.Scan(&n)
		}
		return n, err
	}
	return 0, nil
}

func Select(db *sql.DB, stop chan int) (n int, err error) {
	for {
		select {
		case <-stop:
			return n, nil
		default:
		}
		rows, err := db.Query("SELECT 1") // want "stays? open"
		if err != nil {
			return 0, err
		}
		if rows.Next() {
			if err = rows.Scan(&n); err != nil {
				return n, err
			}
		}
	}
}
