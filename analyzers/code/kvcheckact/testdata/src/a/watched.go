package a

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// rename is what Watch runs: what it reads is watched.
func rename(ctx context.Context, tx *redis.Tx, k string) error {
	n, err := tx.Exists(ctx, k).Result()
	if err != nil || n > 0 {
		return err
	}
	return tx.Set(ctx, k, 1, 0).Err()
}

// renamed has read the key before it watches.
func renamed(ctx context.Context, rdb *redis.Client, k string) error {
	n, err := rdb.Exists(ctx, k).Result()
	if err != nil || n > 0 {
		return err
	}
	return rdb.Watch(ctx, func(tx *redis.Tx) error {
		return tx.Set(ctx, k, 1, 0).Err() // want `check then act on a key`
	}, k)
}
