// Package cli has commands that an administrator gives, once.
package cli

import (
	"context"

	"github.com/redis/go-redis/v9"
)

func upgrade(ctx context.Context, rdb *redis.Client, k string) error {
	n, err := rdb.Exists(ctx, k).Result()
	if err != nil || n > 0 {
		return err
	}
	return rdb.Set(ctx, k, 1, 0).Err()
}
