// Package asked has questions that are put to what was read, and to something computed from it.
package asked

import (
	"database/sql"
	"errors"
	"strings"
)

var errTaken = errors.New("taken")

func payable(status string) bool { return len(status) > 3 }

// Pay marks an order.
func Pay(db *sql.DB, id int64) error {
	var status string
	if err := db.QueryRow("SELECT status FROM orders WHERE id = $1", id).Scan(&status); err != nil {
		return err
	}
	if !payable(status) {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET status = 'paid' WHERE id = $1", id) // want "two callers"
	return err
}

func Direct(db *sql.DB, id int64) error {
	var status string
	if err := db.QueryRow("SELECT status FROM orders WHERE id = $1", id).Scan(&status); err != nil {
		return err
	}
	if len(status) <= 3 {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET status = 'paid' WHERE id = $1", id) // want "two callers"
	return err
}

func Lower(db *sql.DB, id int64) error {
	var status string
	if err := db.QueryRow("SELECT status FROM orders WHERE id = $1", id).Scan(&status); err != nil {
		return err
	}
	if strings.ToLower(status) != "new" {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET status = 'paid' WHERE id = $1", id) // want "two callers"
	return err
}

func Twice(db *sql.DB, id int64) error {
	var stock int
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if stock*2 < 5 {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}

func TwicePar(db *sql.DB, id, n int64) error {
	var stock int64
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if stock-1 < n {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - $2 WHERE id = $1", id, n) // want "two callers"
	return err
}

func Sub(db *sql.DB, id, n int64) error {
	var stock int64
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	left := stock - n
	if left < 0 {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - $2 WHERE id = $1", id, n) // want "two callers"
	return err
}

func Helper(db *sql.DB, id int64) error {
	var stock int64
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if !left(stock, 2) {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}

func left(have, n int64) bool { return n < have }

func Plain(db *sql.DB, id int64) error {
	var stock int64
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if none(stock) {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}

func none(have int64) bool { return have == 0 }

func Right(db *sql.DB, id int64) error {
	var stock int64
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if 1 > stock {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}

func Rune(db *sql.DB, id int64) error {
	var status string
	if err := db.QueryRow("SELECT status FROM orders WHERE id = $1", id).Scan(&status); err != nil {
		return err
	}
	if status[0] == 'p' {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET status = 'paid' WHERE id = $1", id) // want "two callers"
	return err
}

func Cents(db *sql.DB, id int64) error {
	var price float64
	if err := db.QueryRow("SELECT price FROM orders WHERE id = $1", id).Scan(&price); err != nil {
		return err
	}
	if int(price) == 3 {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET price = 3 WHERE id = $1", id) // want "two callers"
	return err
}

func Both(db *sql.DB, id int64) error {
	var stock int64
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if stock <= 0 {
		return errTaken
	}
	if stock > 100 {
		return errors.New("much")
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}

func Changed(db *sql.DB, id int64) error {
	var stock int64
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	stock -= 5
	if stock <= 0 {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}

func Wide(db *sql.DB, id int64) error {
	var stock int32
	if err := db.QueryRow("SELECT stock FROM orders WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if int64(stock) <= 7 {
		return errTaken
	}
	_, err := db.Exec("UPDATE orders SET stock = stock - 1 WHERE id = $1", id) // want "two callers"
	return err
}
