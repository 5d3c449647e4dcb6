package more

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"gorm.io/gorm"
)

// Pull is made by a form: the function that stores it sets one field more.
type Pull struct {
	ID     uint
	Head   string
	Base   string
	Merged bool
	At     time.Time
}

func addPull(db *gorm.DB, p *Pull) error {
	var old Pull
	err := db.Where("head = ? AND base = ? AND merged = ?", p.Head, p.Base, false).First(&old).Error
	if err == nil {
		return errors.New("exists")
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	p.At = time.Now()
	return db.Create(p).Error // want `a row of pulls is inserted because none was found`
}

func decodedPull(db *gorm.DB, r io.Reader) error {
	var p Pull
	if err := json.NewDecoder(r).Decode(&p); err != nil {
		return err
	}
	p.At = time.Now()
	err := db.Where("head = ? AND base = ?", p.Head, p.Base).First(&Pull{}).Error
	if err == nil {
		return errors.New("exists")
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return db.Create(&p).Error // want `a row of pulls is inserted because none was found`
}

// What is looked for with one constant is not what is stored with another.
func mergedPull(db *gorm.DB, head string) error {
	err := db.Where("head = ? AND merged = ?", head, false).First(&Pull{}).Error
	if err == nil {
		return errors.New("exists")
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return db.Create(&Pull{Head: head, Merged: true}).Error
}
