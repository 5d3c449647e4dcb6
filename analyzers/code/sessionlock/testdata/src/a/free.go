package a

import (
	"errors"

	"gorm.io/gorm"
)

func WithLock(db *gorm.DB, key int64, f func() error) error {
	var ok bool
	if err := db.Raw("SELECT pg_try_advisory_lock(?)", key).Scan(&ok).Error; err != nil { // want "whichever connection"
		return err
	}
	if !ok {
		return errors.New("busy")
	}
	return f()
}
