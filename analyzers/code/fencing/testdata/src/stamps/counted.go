package stamps

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

var turns atomic.Uint64

// Each process counts for itself.
func (s *store) turn(ctx context.Context, gate string) (uint64, error) {
	n := turns.Add(1) // want `the fencing token is counted by each process for itself`
	ok, err := s.rdb.SetNX(ctx, "lock:gate:"+gate, n, time.Minute).Result()
	if err == nil && !ok {
		err = errBusy
	}
	return n, err
}

type counters struct {
	rdb   *redis.Client
	known atomic.Int64
	local atomic.Int64
	host  string
}

// The counter goes on where the store says.
func (c *counters) load(ctx context.Context) error {
	n, err := c.rdb.Incr(ctx, "gates").Result()
	c.known.Store(n << 32)
	return err
}

func (c *counters) seededTurn(ctx context.Context, gate string) (int64, error) {
	n := c.known.Add(1)
	return n, c.rdb.SetNX(ctx, "lock:gate:"+gate, n, time.Minute).Err()
}

// The number is one part of what tells owners apart.
func (c *counters) owner(ctx context.Context, gate string) (string, error) {
	me := c.host + ":" + strconv.FormatInt(c.local.Add(1), 10)
	return me, c.rdb.SetNX(ctx, "lock:gate:"+gate, me, time.Minute).Err()
}

// The store counts.
func (c *counters) storeTurn(ctx context.Context, gate string) (int64, error) {
	n, err := c.rdb.Incr(ctx, "turns:"+gate).Result()
	if err != nil {
		return 0, err
	}
	return n, c.rdb.SetNX(ctx, "lock:gate:"+gate, n, time.Minute).Err()
}
