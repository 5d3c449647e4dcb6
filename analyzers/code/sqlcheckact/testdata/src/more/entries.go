package more

import (
	"database/sql"

	"gorm.io/gorm"
)

type ration struct {
	ID    int64
	Units int
	Name  string
}

type rations struct{ db *gorm.DB }

func (r *rations) find(id int64) (*ration, error) {
	var x ration
	return &x, r.db.First(&x, id).Error
}

// patch sets what the caller says.
func (r *rations) patch(id int64, fields map[string]any) error {
	return r.db.Model(&ration{}).Where("id = ?", id).Updates(fields).Error
}

func (r *rations) patchSome(id int64, fields map[string]any) error {
	return r.db.Model(&ration{}).Where("id = ? AND units > 0", id).Updates(fields).Error
}

func (r *rations) draw(id int64) error {
	x, err := r.find(id)
	if err != nil {
		return err
	}
	if x.Units == 0 {
		return errBadge
	}
	return r.patch(id, map[string]any{"units": x.Units - 1}) // want `units of rations is set to a value computed from an earlier read`
}

// decrease leaves the sum to the server, and the question to Go.
func (r *rations) decrease(id int64) error {
	x, err := r.find(id)
	if err != nil {
		return err
	}
	if x.Units == 0 {
		return errBadge
	}
	return r.patch(id, map[string]any{"units": gorm.Expr("units - 1")}) // want `units of rations`
}

// rename sets another column than the one that it has asked for.
func (r *rations) rename(id int64, name string) error {
	x, err := r.find(id)
	if err != nil {
		return err
	}
	if x.Units == 0 {
		return errBadge
	}
	return r.patch(id, map[string]any{"name": name})
}

// take has the question in the WHERE of the method that it calls.
func (r *rations) take(id int64) error {
	x, err := r.find(id)
	if err != nil {
		return err
	}
	if x.Units == 0 {
		return errBadge
	}
	return r.patchSome(id, map[string]any{"units": gorm.Expr("units - 1")})
}

// rewrite writes the key with the rest, which is no condition.
func rewrite(db *sql.DB, id int64, n int) error {
	var units int
	if err := db.QueryRow(`SELECT units FROM rations WHERE id = $1`, id).Scan(&units); err != nil {
		return err
	}
	if units < n {
		return errBadge
	}
	_, err := db.Exec(`UPDATE rations SET id = $1, units = $2 WHERE id = $1`, id, units-n) // want `units of rations is set to a value computed`
	return err
}

// confirm asks for the owner again where it writes the owner.
func confirm(db *sql.DB, id, owner int64) error {
	var has int64
	if err := db.QueryRow(`SELECT owner FROM rations WHERE id = $1`, id).Scan(&has); err != nil {
		return err
	}
	if has != owner {
		return errBadge
	}
	_, err := db.Exec(`UPDATE rations SET owner = $2 WHERE id = $1 AND owner = $2`, id, owner)
	return err
}
