// Package c throws a switch, and then runs a list of functions.
package c

import (
	"context"
	"database/sql"
)

type store struct {
	db, replica *sql.DB
	locked      bool
}

// lock sends the reads that follow to the primary.
func (s *store) lock() { s.locked = true }

func (s *store) reader() *sql.DB {
	if s.locked {
		return s.db
	}
	return s.replica
}

type app struct{ s *store }

func (a *app) first(ctx context.Context) (id int64, err error) {
	if _, err := a.s.db.ExecContext(ctx, `INSERT INTO fields (name) VALUES ('first')`); err != nil {
		return 0, err
	}
	err = a.s.reader().QueryRowContext(ctx, `SELECT id FROM fields WHERE name = 'first'`).Scan(&id)
	return id, err
}

func (a *app) start(ctx context.Context) error {
	a.s.lock()
	for _, step := range []struct {
		name string
		run  func(context.Context) (int64, error)
	}{{"first", a.first}} {
		if _, err := step.run(ctx); err != nil {
			return err
		}
	}
	return nil
}
