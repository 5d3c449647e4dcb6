// Package deaf asks errors for much, and most of its functions not for a conflict.
package deaf

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/lib/pq"
)

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

// A deadlock is not what a serializable transaction meets.
func retryDeadlock(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && pe.Code == "40P01" // want "does not know 40001"
}

func retryCodes(err error) bool {
	var pe *pq.Error
	if errors.As(err, &pe) {
		switch pe.Code {
		case "08006", "55P03": // want "does not know 40001"
			return true
		}
	}
	return false
}

func retryConnection(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || strings.Contains(err.Error(), "connection reset") // want "does not know 40001"
}

// The words of PostgreSQL for a deadlock, and nothing else.
func retryText(err error) bool {
	return err != nil && strings.Contains(err.Error(), "deadlock detected") // want "does not know 40001"
}

// Two databases, and none of them is PostgreSQL.
func retryOthers(err error) bool {
	msg := err.Error()
	return strings.Contains(msg, "database is locked") || strings.Contains(msg, "try restarting transaction") // want "does not know 40001"
}

func retryClass(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && (strings.HasPrefix(string(pe.Code), "40") || pe.Code == "55P03")
}

func retryWords(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || strings.Contains(err.Error(), "could not serialize")
}

var codes = map[string]bool{"40001": true}

func retryListed(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && (pe.Code == "55P03" || codes[string(pe.Code)])
}

var errStale = errors.New("stale")

func retryStale(err error) bool { return errors.Is(err, errStale) }

// Nothing is run again when it says yes.
func isDuplicate(err error) bool {
	var pe *pq.Error
	return errors.As(err, &pe) && pe.Code == "23505"
}

func (s *store) deadlock(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryDeadlock(err) {
			return err
		}
	}
	return err
}

func (s *store) code(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryCodes(err) {
			return err
		}
	}
	return err
}

func (s *store) connection(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryConnection(err) {
			return err
		}
	}
	return err
}

func (s *store) text(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryText(err) {
			return err
		}
	}
	return err
}

// No function says it, and the loop asks itself.
func (s *store) inline(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.alone(ctx, f); err == nil || !strings.Contains(err.Error(), "deadlock detected") {
			return err
		}
	}
	return err
}

func (s *store) alone(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}) // want "nobody runs this transaction again"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *store) others(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryOthers(err) {
			return err
		}
	}
	return err
}

func (s *store) class(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryClass(err) {
			return err
		}
	}
	return err
}

func (s *store) words(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryWords(err) {
			return err
		}
	}
	return err
}

func (s *store) listed(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryListed(err) {
			return err
		}
	}
	return err
}

func (s *store) stale(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || !retryStale(err) {
			return err
		}
	}
	return err
}

// Two are asked, and one of them knows.
func (s *store) both(ctx context.Context, f func(*sql.Tx) error) (err error) {
	for range 5 {
		if err = s.once(ctx, f); err == nil || isDuplicate(err) || !retryWords(err) {
			return err
		}
	}
	return err
}
