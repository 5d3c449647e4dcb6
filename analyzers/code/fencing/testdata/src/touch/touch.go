// Package touch prolongs what is no lock: whoever uses a session keeps it.
package touch

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Sessions struct{ rdb *redis.Client }

func (s *Sessions) Create(ctx context.Context, ttl time.Duration) (string, error) {
	id := uuid.NewString()
	return id, s.add(ctx, id, ttl)
}

func (s *Sessions) add(ctx context.Context, id string, ttl time.Duration) error {
	_, err := s.rdb.SetNX(ctx, id, "{}", ttl).Result()
	return err
}

func (s *Sessions) Touch(ctx context.Context, id string, ttl time.Duration) error {
	return s.rdb.Expire(ctx, id, ttl).Err()
}
