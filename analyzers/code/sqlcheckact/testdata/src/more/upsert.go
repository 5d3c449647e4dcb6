package more

import (
	"context"
	"database/sql"
	"errors"

	"gorm.io/gorm"
)

const preferenceDDL = `CREATE TABLE preferences (user_id bigint PRIMARY KEY, lang text, seen_at timestamptz)`

// prefer puts the value there either way: of two callers one gets an error.
func prefer(ctx context.Context, db *sql.DB, user int64, lang string) error {
	var old string
	err := db.QueryRowContext(ctx, `SELECT lang FROM preferences WHERE user_id = $1`, user).Scan(&old)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = db.ExecContext(ctx, `INSERT INTO preferences (user_id, lang) VALUES ($1, $2)`, user, lang) // want `although the row that it wants is there`
	case err == nil:
		_, err = db.ExecContext(ctx, `UPDATE preferences SET lang = $2 WHERE user_id = $1`, user, lang)
	}
	return err
}

// counted adds a row where the UPDATE has met none.
func counted(ctx context.Context, db *sql.DB, user int64, lang string) error {
	res, err := db.ExecContext(ctx, `UPDATE preferences SET lang = $2 WHERE user_id = $1`, user, lang)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO preferences (user_id, lang) VALUES ($1, $2)`, user, lang) // want `although the row that it wants is there`
	return err
}

// prefers refuses who has one, which it notes in the row: the error says the same.
func prefers(ctx context.Context, db *sql.DB, user int64, lang string) error {
	var old string
	err := db.QueryRowContext(ctx, `SELECT lang FROM preferences WHERE user_id = $1`, user).Scan(&old)
	if err == nil {
		if _, err := db.ExecContext(ctx, `UPDATE preferences SET seen_at = now() WHERE user_id = $1`, user); err != nil {
			return err
		}
		return errBadge
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO preferences (user_id, lang) VALUES ($1, $2)`, user, lang)
	return err
}

type device struct {
	ID    int64
	Name  string `gorm:"unique"`
	Token string
}

func findDevice(db *gorm.DB, name string) (*device, error) {
	var d device
	err := db.Where("name = ?", name).First(&d).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	return &d, err
}

func saveDevice(db *gorm.DB, d *device) error {
	old, err := findDevice(db, d.Name)
	if err != nil {
		return err
	}
	if old != nil {
		return db.Model(old).Updates(map[string]any{"token": d.Token}).Error
	}
	return db.Create(d).Error // want `although the row that it wants is there`
}
