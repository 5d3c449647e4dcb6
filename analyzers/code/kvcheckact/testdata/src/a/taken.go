package a

import (
	"context"
	"errors"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/redis/go-redis/v9"
)

// Two callers get the same jobs, and then twice as many are cut off.
func (s *sessions) Batch(ctx context.Context) ([]string, error) {
	jobs, err := s.rdb.LRange(ctx, "jobs", 0, 9).Result()
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	return jobs, s.rdb.LTrim(ctx, "jobs", 10, -1).Err() // want `LRANGE decides, and LTRIM follows`
}

func (s *sessions) Shorten(ctx context.Context) error {
	n, err := s.rdb.LLen(ctx, "log").Result()
	if err != nil || n < 1000 {
		return err
	}
	return s.rdb.LTrim(ctx, "log", 0, 999).Err()
}

// The counter that is compared is raised; to set it back does no harm.
func (s *sessions) Login(ctx context.Context, rdb *redis.Client, who string, right func() bool) error {
	n, err := rdb.Exists(ctx, "failures:"+who).Result()
	if err != nil || n >= 5 {
		return errors.New("locked")
	}
	if right() {
		return rdb.Del(ctx, "failures:"+who).Err()
	}
	return rdb.Incr(ctx, "failures:"+who).Err() // want `EXISTS decides, and INCR follows`
}

// memcached tells the second one that nothing was there.
func Redeem(mc *memcache.Client, code string) (string, error) {
	it, err := mc.Get("code:" + code)
	if err != nil {
		return "", err
	}
	return string(it.Value), mc.Delete("code:" + code)
}

func RedeemLoosely(mc *memcache.Client, code string) (string, error) {
	it, err := mc.Get("code:" + code)
	if err != nil {
		return "", err
	}
	mc.Delete("code:" + code) // want `get decides, and delete follows`
	return string(it.Value), nil
}
