package builders

import "gorm.io/gorm"

type issue struct {
	ID       uint
	Title    string
	Priority string
}

type revised struct {
	ID      uint
	Title   string
	Body    string
	Version int
}

type issues struct{ db *gorm.DB }

func (s *issues) get(id uint) (*issue, error) {
	var i issue
	err := s.db.First(&i, id).Error
	return &i, err
}

func (s *issues) save(i *issue) error { return s.db.Save(i).Error }

// prioritize writes the title back as it was.
func (s *issues) prioritize(id uint, p string) error {
	i, err := s.get(id)
	if err != nil {
		return err
	}
	i.Priority = p
	return s.save(i) // want "all columns of issues are saved"
}

func (s *issues) prioritizeHere(id uint, p string) error {
	var i issue
	if err := s.db.First(&i, id).Error; err != nil {
		return err
	}
	i.Priority = p
	return s.db.Save(&i).Error // want "all columns of issues are saved"
}

// replace sets all of them.
func (s *issues) replace(id uint, title, p string) error {
	i, err := s.get(id)
	if err != nil {
		return err
	}
	i.Title, i.Priority = title, p
	return s.save(i)
}

// prioritizeAlone writes one column.
func (s *issues) prioritizeAlone(id uint, p string) error {
	i, err := s.get(id)
	if err != nil {
		return err
	}
	return s.db.Model(i).Update("priority", p).Error
}

// again saves what nobody has read.
func (s *issues) again(i *issue, p string) error {
	i.Priority = p
	return s.save(i)
}

// revise has a version, which a plugin compares.
func (s *issues) revise(id uint, body string) error {
	var r revised
	if err := s.db.First(&r, id).Error; err != nil {
		return err
	}
	r.Body = body
	return s.db.Save(&r).Error
}
