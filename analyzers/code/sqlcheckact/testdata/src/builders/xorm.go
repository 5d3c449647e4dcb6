package builders

import (
	"errors"

	"xorm.io/xorm"
)

type Gift struct {
	Id   int64
	Code string
	Used bool
	Left int
}

func xormRedeem(x *xorm.Engine, code string) error {
	g := &Gift{Code: code}
	has, err := x.Get(g)
	if err != nil || !has || g.Used {
		return errors.Join(err, errors.New("not valid"))
	}
	g.Used = true
	_, err = x.ID(g.Id).Cols("used").Update(g) // want `used of gifts is written because of what was read`
	return err
}

func xormGuarded(x *xorm.Engine, code string) error {
	g := &Gift{Code: code}
	has, err := x.Get(g)
	if err != nil || !has || g.Used {
		return errors.Join(err, errors.New("not valid"))
	}
	n, err := x.Where("id = ? AND used = ?", g.Id, false).Cols("used").Update(&Gift{Used: true})
	if err == nil && n == 0 {
		err = errors.New("not valid")
	}
	return err
}

func xormTake(x *xorm.Engine, id int64) error {
	var g Gift
	if has, err := x.ID(id).Get(&g); err != nil || !has || g.Left < 1 {
		return errors.Join(err, errors.New("none left"))
	}
	_, err := x.ID(id).Decr("left").Update(&Gift{}) // want `left of gifts is written because of what was read`
	return err
}

func xormLocked(x *xorm.Engine, id int64) error {
	s := x.NewSession()
	defer s.Close()
	if err := s.Begin(); err != nil {
		return err
	}
	var g Gift
	if has, err := s.ID(id).ForUpdate().Get(&g); err != nil || !has || g.Left < 1 {
		return errors.Join(err, errors.New("none left"))
	}
	if _, err := s.ID(id).Decr("left").Update(&Gift{}); err != nil {
		return err
	}
	return s.Commit()
}

func xormAdd(x *xorm.Engine, code string, wait bool) error {
	s := x.NewSession()
	defer s.Close()
	if err := s.Begin(); err != nil {
		return err
	}
	has, err := s.Where("code = ?", code).Exist(&Gift{})
	if err != nil || has {
		return err
	}
	if _, err := s.Insert(&Gift{Code: code}); err != nil { // want `a row of gifts is inserted because none was found`
		return err
	}
	return s.Commit()
}

func xormAlone(x *xorm.Engine, code string) error {
	s := x.NewSession()
	defer s.Close()
	if err := s.Begin(); err != nil {
		return err
	}
	if _, err := s.Exec("SELECT pg_advisory_xact_lock(hashtext(?))", code); err != nil {
		return err
	}
	has, err := s.Where("code = ?", code).Exist(&Gift{})
	if err != nil || has {
		return err
	}
	if _, err := s.Insert(&Gift{Code: code}); err != nil {
		return err
	}
	return s.Commit()
}

// Label has a unique name: the second of two callers gets an error.
type Label struct {
	Id   int64
	Name string `xorm:"not null default '' VARCHAR(50) UNIQUE title"`
	Team int64  `xorm:"UNIQUE(s)"`
	Code string `xorm:"UNIQUE(s)"`
}

func xormLabel(x *xorm.Engine, name string) error {
	has, err := x.Get(&Label{Name: name})
	if err != nil || has {
		return err
	}
	_, err = x.NewSession().Insert(&Label{Name: name})
	return err
}

func xormTeam(x *xorm.Engine, team int64, code string) error {
	has, err := x.Get(&Label{Team: team, Code: code})
	if err != nil || has {
		return err
	}
	_, err = x.NewSession().Insert(&Label{Team: team, Code: code})
	return err
}

func xormOfTeam(x *xorm.Engine, team int64) error {
	has, err := x.Get(&Label{Team: team})
	if err != nil || has {
		return err
	}
	_, err = x.NewSession().Insert(&Label{Team: team}) // want `a row of labels is inserted because none was found`
	return err
}

// Pair has a unique key whose columns are reserved words, in quotes.
type Pair struct {
	Id    int64
	Group string `xorm:"not null VARCHAR(128) UNIQUE(pair) 'group'"`
	Key   string `xorm:"not null VARCHAR(128) UNIQUE(pair) 'key'"`
	Value string `xorm:"TEXT value"`
}

func xormPair(x *xorm.Engine, group, key, value string) error {
	data := &Pair{Group: group, Key: key, Value: value}
	n, err := x.Where("`group` = ? AND `key` = ?", group, key).Cols("value").Update(data)
	if err != nil || n > 0 {
		return err
	}
	_, err = x.NewSession().Insert(data) // want `ERROR 23505 duplicate key value`
	return err
}

func xormHalf(x *xorm.Engine, group, value string) error {
	data := &Pair{Group: group, Value: value}
	n, err := x.Where("`group` = ?", group).Cols("value").Update(data)
	if err != nil || n > 0 {
		return err
	}
	_, err = x.NewSession().Insert(data) // want `a row of pairs is inserted because none was found`
	return err
}

// An insert fills in its bean: the row is not one's own before.
func xormFilled(x *xorm.Engine, g *Gift) error {
	s := x.NewSession()
	defer s.Close()
	if err := s.Begin(); err != nil {
		return err
	}
	has, err := s.ForUpdate().Get(&Gift{Code: g.Code})
	if err != nil || has {
		return err
	}
	if _, err = s.Insert(g); err != nil { // want `a row of gifts is inserted because none was found`
		return err
	}
	return s.Commit()
}
