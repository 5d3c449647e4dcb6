package more

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

// Caller has one key that nobody else may have.
type Caller struct {
	ID  uint
	Key string `gorm:"uniqueIndex"`
}

type callers struct{ db *gorm.DB }

func (c *callers) find(key string) (*Caller, error) {
	var u Caller
	res := c.db.Where("key = ?", key).Limit(1).Find(&u)
	if res.Error != nil || res.RowsAffected == 0 {
		return nil, res.Error
	}
	return &u, nil
}

func (c *callers) create(key string) (*Caller, error) {
	u := &Caller{Key: key}
	return u, c.db.Create(u).Error
}

// findOrMake fails where the caller should have got the row of another one.
func (c *callers) findOrMake(key string) (*Caller, error) {
	u, err := c.find(key)
	if err != nil || u != nil {
		return u, err
	}
	return c.create(key) // want "a row of callers is inserted because none was found"
}

// register refuses the second of two in one way or the other.
func (c *callers) register(key string) (*Caller, error) {
	u, err := c.find(key)
	if err != nil {
		return nil, err
	}
	if u != nil {
		return nil, errTaken
	}
	return c.create(key)
}

type run struct {
	id            string
	status, notes string
}

type runs struct{ db *sql.DB }

// change lets a function of the caller change what is written back.
func (r *runs) change(ctx context.Context, id string, mutate func(*run)) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	e := run{id: id}
	if err := tx.QueryRowContext(ctx, `SELECT status, notes FROM runs WHERE id = $1`, id).Scan(&e.status, &e.notes); err != nil {
		return err
	}
	mutate(&e)
	if _, err := tx.ExecContext(ctx, `UPDATE runs SET status = $1, notes = $2 WHERE id = $3`, e.status, e.notes, id); err != nil { // want "status of runs is set to a value computed from an earlier read"
		return err
	}
	return tx.Commit()
}

func (r *runs) changeLocked(ctx context.Context, id string, mutate func(*run)) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	e := run{id: id}
	if err := tx.QueryRowContext(ctx, `SELECT status, notes FROM runs WHERE id = $1 FOR UPDATE`, id).Scan(&e.status, &e.notes); err != nil {
		return err
	}
	mutate(&e)
	if _, err := tx.ExecContext(ctx, `UPDATE runs SET status = $1, notes = $2 WHERE id = $3`, e.status, e.notes, id); err != nil {
		return err
	}
	return tx.Commit()
}

// look hands the row to a function that gets a copy.
func (r *runs) look(ctx context.Context, id string, seen func(run)) error {
	e := run{id: id}
	if err := r.db.QueryRowContext(ctx, `SELECT status, notes FROM runs WHERE id = $1`, id).Scan(&e.status, &e.notes); err != nil {
		return err
	}
	seen(e)
	_, err := r.db.ExecContext(ctx, `UPDATE runs SET notes = $1 WHERE id = $2`, e.notes, id)
	return err
}
