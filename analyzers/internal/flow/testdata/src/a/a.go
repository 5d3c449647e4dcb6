// Package a has one function for each thing that a summary tells.
package a

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
)

type row struct {
	ID   int64
	Left int64
	Used bool
}

type store struct {
	mu   sync.Mutex
	db   *sql.DB
	seen map[string]*row
}

// get: columns go into fields, and the error out.
func (s *store) get(ctx context.Context, id int64) (*row, error) {
	r := &row{ID: id}
	err := s.db.QueryRowContext(ctx, "SELECT left_uses, used FROM passes WHERE id = $1", id).Scan(&r.Left, &r.Used)
	return r, err
}

// put: fields of a parameter become bound values.
func put(ctx context.Context, tx *sql.Tx, r *row) error {
	_, err := tx.ExecContext(ctx, "UPDATE passes SET left_uses = $1 WHERE id = $2", r.Left, r.ID)
	return err
}

// use: two callees folded into one function, with a decision and a computed value.
func (s *store) use(ctx context.Context, id int64) error {
	r, err := s.get(ctx, id)
	if err != nil {
		return err
	}
	if r.Left < 1 {
		return errors.New("none left")
	}
	r.Left--
	return s.inTx(ctx, func(tx *sql.Tx) error { return put(ctx, tx, r) })
}

// inTx: a function value is called with what the function made.
func (s *store) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// find: whether a row is there is chosen by the error.
func (s *store) find(ctx context.Context, id int64) (*row, bool, error) {
	r, err := s.get(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return r, err == nil, err
}

// all: a loop over sorted keys, under a lock.
func (s *store) all(ctx context.Context, ids []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(ids)
	for _, id := range ids {
		if _, err := s.db.ExecContext(ctx, "DELETE FROM passes WHERE id = $1", id); err != nil {
			return err
		}
	}
	return nil
}

type finder interface {
	find(ctx context.Context, id int64) (*row, bool, error)
}

// through: a call that only the whole module can resolve.
func through(ctx context.Context, f finder, key string, s *store) (*row, error) {
	r, ok, err := f.find(ctx, 1)
	if err != nil || !ok {
		return nil, err
	}
	s.seen[key] = r
	return r, nil
}
