// Package listed has lists of the codes after which it tries again.
package listed

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/lib/pq"
)

var (
	passing  = map[pq.ErrorCode]struct{}{"40P01": {}, "55P03": {}}
	lost     = []string{"08006", "57P01"}
	complete = map[string]bool{"40001": true, "40P01": true}
	whole    = []string{"40001", "40P01"}
	grown    = map[string]bool{"40P01": true}
)

func init() { grown["40001"] = true }

func code(err error) string {
	var pe *pq.Error
	if errors.As(err, &pe) {
		return string(pe.Code)
	}
	return ""
}

func retryPassing(err error) bool {
	var pe *pq.Error
	if !errors.As(err, &pe) {
		return false
	}
	_, ok := passing[pe.Code] // want "does not know 40001"
	return ok
}

func retryLost(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && slices.Contains(lost, string(pe.Code)) // want "does not know 40001"
}

func mayDo(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && complete[string(pe.Code)]
}

func mayDoAll(err error) bool {
	var pe *pq.Error
	if errors.As(err, &pe) {
		for _, c := range whole {
			if string(pe.Code) == c {
				return true
			}
		}
	}
	return false
}

// What the list has in the end is not written where it is declared.
func retryGrown(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && grown[string(pe.Code)]
}

type store struct{ db *sql.DB }

func (s *store) once(ctx context.Context, f func(*sql.Tx) error) error {
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

func (s *store) set(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryPassing(err) {
			return err
		}
	}
	return err
}

func (s *store) list(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryLost(err) {
			return err
		}
	}
	return err
}

func (s *store) grow(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryGrown(err) {
			return err
		}
	}
	return err
}

func (s *store) first(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		err = errors.Join(f(tx), tx.Commit())
		if err == nil || !mayDo(err) {
			return err
		}
	}
	return err
}

func (s *store) second(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		err = errors.Join(f(tx), tx.Commit())
		if err == nil || !mayDoAll(err) {
			return err
		}
	}
	return err
}

// A loop that asks for the code itself.
func (s *store) third(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		err = errors.Join(f(tx), tx.Commit())
		if err == nil || !slices.Contains(whole, code(err)) {
			return err
		}
	}
	return err
}
