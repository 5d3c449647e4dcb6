// Package a has what rowlockorder reports, and near-misses.
package a

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type S struct {
	db      *sql.DB
	pool    *pgxpool.Pool
	x       *sqlx.DB
	g       *gorm.DB
	replica *sql.DB
	slave   *gorm.DB
}

func (s *S) O1(ctx context.Context, m map[int64]int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for id, n := range m {
			if _, err := tx.Exec(ctx, "UPDATE a SET n = n + $1 WHERE id = $2", n, id); err != nil { // want "40P01"
				return err
			}
		}
		return nil
	})
}

func (s *S) O2(ctx context.Context, m map[int64]int64) error {
	ids := make([]int64, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec(ctx, "UPDATE a SET n = n + $1 WHERE id = $2", m[id], id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *S) O2Clone(ctx context.Context, ids []int64) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec(ctx, "UPDATE a SET n = n + 1 WHERE id = $1", id); err != nil {
				return err
			}
		}
		return nil
	})
}

// What the literal is given is not what was sorted.
func (s *S) O2Other(ctx context.Context, ids, more []int64) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = append(ids, more...)
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec(ctx, "UPDATE a SET n = n + 1 WHERE id = $1", id); err != nil { // want "40P01"
				return err
			}
		}
		return nil
	})
}

type Item struct {
	ID  int64
	Qty int
}

func (s *S) deduct(tx *gorm.DB, it Item) error {
	res := tx.Model(&Item{}).Where("id = ? AND qty >= ?", it.ID, it.Qty).Update("qty", gorm.Expr("qty - ?", it.Qty))
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errors.New("out of stock")
	}
	return nil
}

func (s *S) O3(items []Item) error {
	return s.g.Transaction(func(tx *gorm.DB) error {
		for _, it := range items {
			if err := s.deduct(tx, it); err != nil { // want "40P01"
				return err
			}
		}
		return nil
	})
}

func (s *S) O4(ids []uint) error {
	return s.g.Transaction(func(tx *gorm.DB) error {
		var items []Item
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id IN ?", ids).Find(&items).Error; err != nil { // want "40P01"
			return err
		}
		return nil
	})
}

func (s *S) O5(ctx context.Context, a, b int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, k := range []int64{a, b} {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", k); err != nil { // want "40P01"
			return err
		}
	}
	return tx.Commit()
}

func (s *S) O6(ctx context.Context, a, b int64) error {
	if a > b {
		a, b = b, a
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", a); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", b); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *S) O7(ctx context.Context, ids []string) error {
	tx, err := s.x.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q, args, err := sqlx.In("SELECT id FROM a WHERE id IN (?) FOR UPDATE", ids)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, tx.Rebind(q), args...) // want "40P01"
	if err != nil {
		return err
	}
	defer rows.Close()
	return tx.Commit()
}

func (s *S) O8(ctx context.Context, ids []string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	marks := strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	rows, err := tx.QueryContext(ctx, "SELECT id FROM a WHERE id IN ("+marks+") FOR UPDATE", args...) // want "40P01"
	if err != nil {
		return err
	}
	defer rows.Close()
	return tx.Commit()
}

type order struct{ From, To int64 }

func (s *S) O9(ctx context.Context, o order, n int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var a, b int64
		if err := tx.QueryRow(ctx, "SELECT n FROM a WHERE id = $1 FOR UPDATE", o.From).Scan(&a); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT n FROM a WHERE id = $1 FOR UPDATE", o.To).Scan(&b); err != nil { // want "40P01"
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE a SET n = n - $1 WHERE id = $2", n, o.From)
		return err
	})
}

func (s *S) O10(ctx context.Context, order int64, lines []Item) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, l := range lines {
			if _, err := tx.Exec(ctx, "INSERT INTO lines (order_id, item, qty) VALUES ($1, $2, $3)", order, l.ID, l.Qty); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *S) O11(ctx context.Context, ids []int64) error {
	for _, id := range ids {
		if _, err := s.db.ExecContext(ctx, "UPDATE a SET n = 0 WHERE id = $1", id); err != nil {
			return err
		}
	}
	return nil
}

// --- rows affected
