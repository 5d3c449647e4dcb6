package more

import (
	"errors"

	"gorm.io/gorm"
)

type project struct {
	Name  string `gorm:"primaryKey"`
	Title string
}

func getProject(db *gorm.DB, name string) (*project, error) {
	var p project
	err := db.First(&p, "name = ?", name).Error
	return &p, err
}

func saveProject(db *gorm.DB, p *project) error { return db.Save(p).Error }

// createProject saves over a project that another caller has made in between.
func createProject(db *gorm.DB, name, title string) error {
	_, err := getProject(db, name)
	if err == nil {
		return errors.New("exists")
	}
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return saveProject(db, &project{Name: name, Title: title}) // want `a row of projects is saved where none was found`
}

// putProject saves whatever there is.
func putProject(db *gorm.DB, name, title string) error {
	if _, err := getProject(db, name); err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return err
	}
	return saveProject(db, &project{Name: name, Title: title})
}
