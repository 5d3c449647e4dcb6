package more

import (
	"errors"

	"gorm.io/gorm"
)

// Device has its token as primary key: the second of two gets an error.
type Device struct {
	Token  string `gorm:"size:190;not null;primaryKey"`
	UserID int64  `gorm:"not null;index"`
}

func addDevice(db *gorm.DB, token string, user int64) error {
	var d Device
	err := db.Where("token = ?", token).First(&d).Error
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return db.Create(&Device{Token: token, UserID: user}).Error
}

// Member has two columns in one index.
type Member struct {
	ID   int64
	Team int64  `gorm:"uniqueIndex:team_mail"`
	Mail string `gorm:"column:address;uniqueIndex:team_mail,sort:desc"`
	Name string `gorm:"uniqueIndex:live,where:deleted_at IS NULL"`
}

func addMember(db *gorm.DB, team int64, mail string) error {
	var m Member
	err := db.Where("team = ? AND address = ?", team, mail).First(&m).Error
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return db.Create(&Member{Team: team, Mail: mail}).Error
}

// One of the two columns is no key, and an index with a condition is none either.
func addMail(db *gorm.DB, team int64, mail string) error {
	var m Member
	err := db.Where("address = ?", mail).First(&m).Error
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return db.Create(&Member{Team: team, Mail: mail}).Error // want `a row of members is inserted because none was found`
}

func addName(db *gorm.DB, name string) error {
	var m Member
	err := db.Where("name = ?", name).First(&m).Error
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return db.Create(&Member{Name: name}).Error // want `a row of members is inserted because none was found`
}
