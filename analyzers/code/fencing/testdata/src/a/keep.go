package a

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

type chair struct {
	rdb *redis.Client
	db  *sql.DB
	me  string
}

func (c *chair) take(ctx context.Context) (bool, error) {
	return c.rdb.SetNX(ctx, "chair", c.me, time.Minute).Result()
}

func (c *chair) keep(ctx context.Context) {
	for ctx.Err() == nil {
		c.rdb.Expire(ctx, "chair", time.Minute) // want `prolonged without asking whose it is`
	}
}

// finish compares the epoch in Go; what it sets is no condition.
func (c *chair) finish(ctx context.Context, id string, epoch int64) error {
	var now int64
	if err := c.db.QueryRowContext(ctx, `SELECT epoch FROM jobs WHERE id = $1`, id).Scan(&now); err != nil {
		return err
	}
	if now != epoch {
		return errors.New("lease lost")
	}
	_, err := c.db.ExecContext(ctx, `UPDATE jobs SET state = 'done' WHERE id = $1`, id) // want `the owner of a row is compared in Go`
	return err
}

type lease struct {
	shard string
	epoch int64
}

func (c *chair) lease(ctx context.Context, shard string) (*lease, error) {
	l := &lease{shard: shard}
	err := c.db.QueryRowContext(ctx, `UPDATE leases SET owner = $1, epoch = epoch + 1, expires_at = now() + interval '30 s'
		WHERE shard = $2 AND expires_at < now() RETURNING epoch`, c.me, shard).Scan(&l.epoch)
	return l, err
}

// The lease is a row: what is written under it has to name its epoch.
func (c *chair) late(ctx context.Context, shard string, pos int64) error {
	l, err := c.lease(ctx, shard)
	if err != nil {
		return err
	}
	_, err = c.db.ExecContext(ctx, "UPDATE checkpoints SET position = $1 WHERE shard = $2", pos, l.shard) // want `a write under a lock with a lease carries no token`
	return err
}

func (c *chair) fenced(ctx context.Context, shard string, pos int64) error {
	l, err := c.lease(ctx, shard)
	if err != nil {
		return err
	}
	_, err = c.db.ExecContext(ctx, "UPDATE checkpoints SET position = $1, epoch = $3 WHERE shard = $2 AND epoch <= $3", pos, l.shard, l.epoch)
	return err
}
