// Package cli has the commands of an administrator, who runs one at a time.
package cli

import "database/sql"

func deactivate(db *sql.DB, id int) error {
	var left int
	if err := db.QueryRow(`SELECT left_over FROM plugins WHERE id = $1`, id).Scan(&left); err != nil {
		return err
	}
	_, err := db.Exec(`UPDATE plugins SET left_over = $2 WHERE id = $1`, id, left-1)
	return err
}
