package more

import (
	"errors"

	"gorm.io/gorm"
)

// Badge has a unique name.
type Badge struct {
	ID   int64
	Name string `gorm:"uniqueIndex"`
}

// Who wants the row gets an error, although another one has made it.
func badge(db *gorm.DB, name string) (*Badge, error) {
	var b Badge
	err := db.Where("name = ?", name).First(&b).Error
	if err == nil {
		return &b, nil
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, err
	}
	b = Badge{Name: name}
	return &b, db.Create(&b).Error // want `of two callers one gets an error, although the row that it wants is there by then`
}

var errBadge = errors.New("there is one")

// Who must not have one is content with an error.
func newBadge(db *gorm.DB, name string) error {
	var b Badge
	err := db.Where("name = ?", name).First(&b).Error
	if err == nil {
		return errBadge
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return db.Create(&Badge{Name: name}).Error
}

// registration is a literal whose parts are asked for before it is inserted.
func registration(db *gorm.DB, form map[string]string) error {
	m := Member{Mail: form["mail"], Name: form["name"]}
	var n int64
	if err := db.Model(&Member{}).Where("name = ?", m.Name).Count(&n).Error; err != nil {
		return err
	}
	if n > 0 {
		return errBadge
	}
	return db.Create(&m).Error // want `a row of members is inserted because none was found`
}
