// Package locker has a lock whose key its callers name.
package locker

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type CronLock struct{ rdb *redis.Client }

func (l *CronLock) Take(ctx context.Context, job string, ttl time.Duration) (bool, error) {
	return l.rdb.SetNX(ctx, job, uuid.NewString(), ttl).Result()
}

func (l *CronLock) KeepAlive(ctx context.Context, job string, ttl time.Duration) error {
	return l.rdb.Expire(ctx, job, ttl).Err() // want `prolonged without asking whose it is`
}
