package a

import (
	"context"

	"github.com/redis/go-redis/v9"
)

type timers struct{ rdb *redis.Client }

// due runs what it took out itself: of two only one is told that it was there.
func (t *timers) due(ctx context.Context, now string, run func(string)) error {
	jobs, err := t.rdb.ZRangeByScore(ctx, "timers", &redis.ZRangeBy{Min: "-inf", Max: now}).Result()
	if err != nil || len(jobs) == 0 {
		return err
	}
	for _, job := range jobs {
		n, err := t.rdb.ZRem(ctx, "timers", job).Result()
		if err != nil {
			return err
		}
		if n == 1 {
			run(job)
		}
	}
	return nil
}

// drop tells its caller whether it was the one.
func (t *timers) drop(ctx context.Context, at string) (bool, error) {
	jobs, err := t.rdb.ZRangeByScore(ctx, "timers", &redis.ZRangeBy{Min: at, Max: at}).Result()
	if err != nil || len(jobs) == 0 {
		return false, err
	}
	n, err := t.rdb.ZRem(ctx, "timers", jobs[0]).Result()
	return n == 1, err
}

// both runs what it read, whoever took it out.
func (t *timers) both(ctx context.Context, now string, run func(string)) error {
	jobs, err := t.rdb.ZRangeByScore(ctx, "timers", &redis.ZRangeBy{Min: "-inf", Max: now}).Result()
	if err != nil || len(jobs) == 0 {
		return err
	}
	if err := t.rdb.ZRem(ctx, "timers", jobs[0]).Err(); err != nil { // want `ZRANGEBYSCORE decides, and ZREM follows`
		return err
	}
	run(jobs[0])
	return nil
}
