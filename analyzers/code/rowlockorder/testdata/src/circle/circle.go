// Package circle locks rows of two tables, in two functions each.
package circle

import (
	"context"
	"database/sql"
	"errors"

	"github.com/lib/pq"
)

type Shop struct{ db *sql.DB }

func (s *Shop) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (s *Shop) Place(ctx context.Context, order, item int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE items SET reserved = reserved + 1 WHERE id = $1`, item); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE orders SET state = 'placed' WHERE id = $1`, order)
		return err
	})
}

func (s *Shop) Cancel(ctx context.Context, order, item int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM orders WHERE id = $1 FOR UPDATE`, order); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE items SET reserved = reserved - 1 WHERE id = $1`, item) // want `a row of items is locked after one of orders, and elsewhere it is the other way round`
		return err
	})
}

// Both begin with the row of the ward: they take turns.

func (s *Shop) Admit(ctx context.Context, ward, bed, patient int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM wards WHERE id = $1 FOR UPDATE`, ward); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE beds SET taken = true WHERE id = $1`, bed); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE patients SET bed = $2 WHERE id = $1`, patient, bed)
		return err
	})
}

func (s *Shop) Discharge(ctx context.Context, ward, bed, patient int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE wards SET free = free + 1 WHERE id = $1`, ward); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE patients SET bed = NULL WHERE id = $1`, patient); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE beds SET taken = false WHERE id = $1`, bed)
		return err
	})
}

// The second of these has made its row of the first table itself.

func (s *Shop) Ship(ctx context.Context, parcel, courier int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE parcels SET gone = true WHERE id = $1`, parcel); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE couriers SET load = load + 1 WHERE id = $1`, courier)
		return err
	})
}

func (s *Shop) Pack(ctx context.Context, courier int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		var parcel int64
		if err := tx.QueryRowContext(ctx, `INSERT INTO parcels (courier) VALUES ($1) RETURNING id`, courier).Scan(&parcel); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE couriers SET load = load + 1 WHERE id = $1`, courier); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE parcels SET packed = true WHERE id = $1`, parcel)
		return err
	})
}

// One of these runs again when the server ends it.

func (s *Shop) Rate(ctx context.Context, book, user int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE books SET votes = votes + 1 WHERE id = $1`, book); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE readers SET votes = votes + 1 WHERE id = $1`, user)
		return err
	})
}

func (s *Shop) Unrate(ctx context.Context, book, user int64) (err error) {
	for range 5 {
		err = s.unrate(ctx, book, user)
		var pe *pq.Error
		if !errors.As(err, &pe) || pe.Code != "40P01" {
			return err
		}
	}
	return err
}

func (s *Shop) unrate(ctx context.Context, book, user int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE readers SET votes = votes - 1 WHERE id = $1`, user); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE books SET votes = votes - 1 WHERE id = $1`, book)
		return err
	})
}

// Every statement on the pool is a transaction by itself.

func (s *Shop) Open(ctx context.Context, door, lamp int64) error {
	if _, err := s.db.ExecContext(ctx, `UPDATE doors SET open = true WHERE id = $1`, door); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `UPDATE lamps SET lit = true WHERE id = $1`, lamp)
	return err
}

func (s *Shop) Close(ctx context.Context, door, lamp int64) error {
	if _, err := s.db.ExecContext(ctx, `UPDATE lamps SET lit = false WHERE id = $1`, lamp); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `UPDATE doors SET open = false WHERE id = $1`, door)
	return err
}

// lock takes a row of a wallet.
func lock(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE`, id)
	return err
}

func (s *Shop) Transfer(ctx context.Context, from, to, n int64) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if err := lock(ctx, tx, min(from, to)); err != nil {
			return err
		}
		if err := lock(ctx, tx, max(from, to)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE wallets SET n = n - $2 WHERE id = $1`, from, n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE wallets SET n = n + $2 WHERE id = $1`, to, n)
		return err
	})
}
