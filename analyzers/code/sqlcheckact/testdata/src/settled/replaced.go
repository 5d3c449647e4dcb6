package settled

import (
	"errors"

	"gorm.io/gorm"
)

type Remark struct {
	ID     int64
	Poster int64
	Text   string
}

func remark(db *gorm.DB, id int64) (*Remark, error) {
	r := new(Remark)
	if err := db.First(r, id).Error; err != nil {
		return nil, err
	}
	return r, nil
}

// editRemark asks what it was given, and not what was there before.
func editRemark(db *gorm.DB, id int64, text string) error {
	r, err := remark(db, id)
	if err != nil {
		return err
	}
	r.Text = text
	if r.Text == "" {
		return errors.New("empty")
	}
	return db.Model(r).Update("text", r.Text).Error
}
