package unsettled

import (
	"errors"

	"gorm.io/gorm"
)

type Remark struct {
	ID    int64
	Text  string
	State string
}

// closeRemark asks what was there, and puts something else there afterwards.
func closeRemark(db *gorm.DB, id int64) error {
	var r Remark
	if err := db.First(&r, id).Error; err != nil {
		return err
	}
	if r.State != "open" {
		return errors.New("closed")
	}
	r.State = "closed"
	return db.Model(&r).Update("state", r.State).Error // want `two callers can both pass the check`
}

type Hall struct {
	ID    int64
	Seats int
}

// countDown asks for what it computed from what was there.
func countDown(db *gorm.DB, id int64) error {
	var h Hall
	if err := db.First(&h, id).Error; err != nil {
		return err
	}
	h.Seats -= 1
	if h.Seats < 0 {
		return errors.New("full")
	}
	return db.Model(&h).Update("seats", h.Seats).Error // want `one update is lost`
}
