package a

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

var errNotYours = errors.New("no")

func RedeemMember(ctx context.Context, rdb *redis.Client, code string) error {
	ok, err := rdb.SIsMember(ctx, "codes", code).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errNotYours
	}
	return rdb.SRem(ctx, "codes", code).Err() // want `check then act on a set: S`
}

func TakeName(ctx context.Context, rdb *redis.Client, name string) error {
	if rdb.SIsMember(ctx, "names", name).Val() {
		return errNotYours
	}
	return rdb.SAdd(ctx, "names", name).Err() // want `check then act on a set: S`
}

// Who may change the set is asked of another member.
func Allow(ctx context.Context, rdb *redis.Client, by, name string) error {
	if !rdb.SIsMember(ctx, "admins", by).Val() {
		return errNotYours
	}
	return rdb.SAdd(ctx, "admins", name).Err()
}

func Disallow(ctx context.Context, rdb *redis.Client, by, name string) error {
	if !rdb.SIsMember(ctx, "admins", by).Val() {
		return errNotYours
	}
	return rdb.SRem(ctx, "admins", name).Err()
}

// The answer tells who was first.
func RedeemFirst(ctx context.Context, rdb *redis.Client, code string) error {
	if !rdb.SIsMember(ctx, "codes", code).Val() {
		return errNotYours
	}
	n, err := rdb.SRem(ctx, "codes", code).Result()
	if err != nil {
		return err
	}
	if n == 0 {
		return errNotYours
	}
	return nil
}

// To be in it twice is to be in it.
func Follow(ctx context.Context, rdb *redis.Client, who string) error {
	if rdb.SIsMember(ctx, "fans", who).Val() {
		return nil
	}
	return rdb.SAdd(ctx, "fans", who).Err()
}
