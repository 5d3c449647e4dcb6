package a

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type sessions struct {
	rdb *redis.Client
	ttl time.Duration
}

// SET could have given the time to live.
func (s *sessions) Put(ctx context.Context, id, v string) error {
	if err := s.rdb.Set(ctx, "session:"+id, v, 0).Err(); err != nil {
		return err
	}
	return s.rdb.Expire(ctx, "session:"+id, s.ttl).Err() // want `the key gets its time to live by a second command`
}

func (s *sessions) save(ctx context.Context, key, v string) error {
	return s.rdb.Set(ctx, key, v, 0).Err()
}

func (s *sessions) touch(ctx context.Context, key string) { s.rdb.Expire(ctx, key, s.ttl) }

func (s *sessions) PutByHelpers(ctx context.Context, id, v string) error {
	err := s.save(ctx, "session:"+id, v)
	if err == nil && s.ttl > 0 {
		s.touch(ctx, "session:"+id) // want `the key gets its time to live by a second command`
	}
	return err
}

func (s *sessions) PutLonger(ctx context.Context, id, v string) error {
	if err := s.rdb.Set(ctx, id, v, time.Minute).Err(); err != nil {
		return err
	}
	return s.rdb.Expire(ctx, id, s.ttl).Err()
}

func (s *sessions) PutQueued(ctx context.Context, id, v string) error {
	p := s.rdb.TxPipeline()
	p.Set(ctx, id, v, 0)
	p.Expire(ctx, id, s.ttl)
	return p.Exec(ctx)
}

func (s *sessions) PutWithin(ctx context.Context, id, v string) error {
	return s.rdb.TxPipelined(ctx, func(tx redis.Pipeliner) error {
		tx.Set(ctx, id, v, 0)
		tx.Expire(ctx, id, s.ttl)
		return nil
	})
}

// Nobody here knows whether the commands are sent one by one.
func (s *sessions) PutOn(ctx context.Context, c redis.Cmdable, id, v string) {
	c.Set(ctx, id, v, 0)
	c.Expire(ctx, id, s.ttl)
}
