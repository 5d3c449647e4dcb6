// Package b has helpers that a uses.
package b

import "database/sql"

// Names reads to the end, or returns in the middle.
func Names(rows *sql.Rows) ([]string, error) { // want Names:`leaves open`
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// Closing closes.
func Closing(rows *sql.Rows) error {
	defer rows.Close()
	return nil
}

// Open opens what it returns.
func Open(db *sql.DB) (*sql.Rows, error) { return db.Query("SELECT 1") } // want Open:`opens true`
