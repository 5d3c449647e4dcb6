package a

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// K1: of a key of two columns one is the same for all rows.
func (s *S) K1(ctx context.Context, tenant int64, cart []Item) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, it := range cart {
			if _, err := tx.Exec(ctx, "UPDATE stock SET n = n - $1 WHERE tenant = $2 AND item = $3", it.Qty, tenant, it.ID); err != nil { // want "40P01"
				return err
			}
		}
		return nil
	})
}

func (s *S) K2(ctx context.Context, tenant int64, cart []Item) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, it := range cart {
			if _, err := tx.Exec(ctx, "INSERT INTO held (tenant, item, n) VALUES ($1, $2, $3) ON CONFLICT (tenant, item) DO UPDATE SET n = excluded.n", tenant, it.ID, it.Qty); err != nil { // want "40P01"
				return err
			}
		}
		return nil
	})
}

func (s *S) K3(ctx context.Context, tenant, from, to, n int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE accounts SET n = n - $1 WHERE tenant = $2 AND id = $3", n, tenant, from); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE accounts SET n = n + $1 WHERE tenant = $2 AND id = $3", n, tenant, to) // want "40P01"
		return err
	})
}

// K4 changes one row twice.
func (s *S) K4(ctx context.Context, tenant, id, n int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE accounts SET n = n - $1 WHERE tenant = $2 AND id = $3", n, tenant, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE accounts SET held = held + $1 WHERE tenant = $2 AND id = $3", n, tenant, id)
		return err
	})
}

// K5 changes the row first to which the others belong.
func (s *S) K5(ctx context.Context, board int64, cards []int64) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE boards SET changed = now() WHERE id = $1", board); err != nil {
			return err
		}
		for i, c := range cards {
			if _, err := tx.Exec(ctx, "UPDATE cards SET pos = $1 WHERE board = $2 AND id = $3", i, board, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// K6 writes rows of an order that nobody else can see.
func (s *S) K6(ctx context.Context, customer int64, cart []Item) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var id int64
		if err := tx.QueryRow(ctx, "INSERT INTO orders (customer) VALUES ($1) RETURNING id", customer).Scan(&id); err != nil {
			return err
		}
		for _, it := range cart {
			if _, err := tx.Exec(ctx, "INSERT INTO lines (order_id, item, n) VALUES ($1, $2, $3) ON CONFLICT (order_id, item) DO UPDATE SET n = excluded.n", id, it.ID, it.Qty); err != nil {
				return err
			}
		}
		return nil
	})
}
