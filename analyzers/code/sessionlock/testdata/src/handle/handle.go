// Package handle locks on what callers hand over: a database, or one connection.
package handle

import (
	"context"

	"gorm.io/gorm"
)

func unlock(mainDB *gorm.DB) error {
	return mainDB.Exec("SELECT pg_advisory_unlock(?)", 7).Error
}

func promote(gdb *gorm.DB, work func() error) error {
	var got bool
	if err := gdb.Raw("SELECT pg_try_advisory_lock(?)", 7).Scan(&got).Error; err != nil || !got { // want `whichever connection the pool picks`
		return err
	}
	defer unlock(gdb)
	return work()
}

// The transaction that gorm gives is one connection, whatever it is called.

func take(db *gorm.DB, id int64) error {
	return db.Exec("SELECT pg_advisory_lock(?)", id).Error
}

func give(db *gorm.DB, id int64) error {
	return db.Exec("SELECT pg_advisory_unlock(?)", id).Error
}

func migrate(gdb *gorm.DB, up func(*gorm.DB) error) error {
	return gdb.Transaction(func(db *gorm.DB) error {
		if err := take(db, 8); err != nil {
			return err
		}
		failed := up(db)
		if err := give(db, 8); err != nil {
			return err
		}
		return failed
	})
}

func inTx(txDB *gorm.DB, id int64) error {
	return txDB.Exec("SELECT pg_advisory_lock(?)", id).Error
}

// A handle with a context is as many connections as the database is.

func nightly(ctx context.Context, db *gorm.DB, work func() error) error {
	db = db.WithContext(ctx)
	if err := db.Exec("SELECT pg_advisory_lock(?)", 9).Error; err != nil { // want `whichever connection the pool picks`
		return err
	}
	defer db.Exec("SELECT pg_advisory_unlock(?)", 9)
	return work()
}

func nightlyIn(ctx context.Context, tx *gorm.DB, work func() error) error {
	tx = tx.WithContext(ctx)
	if err := tx.Exec("SELECT pg_advisory_lock(?)", 9).Error; err != nil {
		return err
	}
	defer tx.Exec("SELECT pg_advisory_unlock(?)", 9)
	return work()
}
