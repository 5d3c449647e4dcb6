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
