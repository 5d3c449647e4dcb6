package a

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Ranged locks rows in the order of a map, by a loop over a function.
func (s *S) Ranged(ctx context.Context, m map[int64]int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for id := range maps.Keys(m) {
			if _, err := tx.Exec(ctx, "UPDATE a SET n = n + $1 WHERE id = $2", m[id], id); err != nil { // want "40P01"
				return err
			}
		}
		return nil
	})
}

// InOrder sorts them first.
func (s *S) InOrder(ctx context.Context, m map[int64]int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(m)) {
			if _, err := tx.Exec(ctx, "UPDATE a SET n = n + $1 WHERE id = $2", m[id], id); err != nil {
				return err
			}
		}
		return nil
	})
}

// One writes another column of one row, however often.
func (s *S) One(ctx context.Context, id int64, m map[int64]int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, n := range maps.All(m) {
			if _, err := tx.Exec(ctx, "UPDATE a SET n = n + $1 WHERE id = $2", n, id); err != nil {
				return err
			}
		}
		return nil
	})
}
