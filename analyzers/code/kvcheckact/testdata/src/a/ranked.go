package a

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

var errFull = errors.New("all hosts are full")

type hosts struct {
	rdb      *redis.Client
	capacity float64
}

func (h *hosts) least(ctx context.Context) (string, float64, error) {
	zs, err := h.rdb.ZRangeWithScores(ctx, "hosts", 0, 0).Result()
	if err != nil || len(zs) == 0 {
		return "", 0, errFull
	}
	return zs[0].Member.(string), zs[0].Score, nil
}

func (h *hosts) take(ctx context.Context) (string, error) {
	host, used, err := h.least(ctx)
	if err != nil {
		return "", err
	}
	if used >= h.capacity {
		return "", errFull
	}
	return host, h.rdb.ZIncrBy(ctx, "hosts", 1, host).Err() // want `ZRANGE decides, and ZINCRBY follows`
}

// counted first, and given back where that was one too many.
func (h *hosts) takeSafely(ctx context.Context) (string, error) {
	host, used, err := h.least(ctx)
	if err != nil {
		return "", err
	}
	if used >= h.capacity {
		return "", errFull
	}
	n, err := h.rdb.ZIncrBy(ctx, "hosts", 1, host).Result()
	if err != nil {
		return "", err
	}
	if n > h.capacity {
		return "", errors.Join(errFull, h.rdb.ZIncrBy(ctx, "hosts", -1, host).Err())
	}
	return host, nil
}

// visit counts whatever the table looks like.
func (h *hosts) visit(ctx context.Context, host string) ([]redis.Z, error) {
	top, err := h.rdb.ZRangeWithScores(ctx, "hosts", 0, 9).Result()
	if err != nil {
		return nil, err
	}
	return top, h.rdb.ZIncrBy(ctx, "hosts", 1, host).Err()
}
