// Package flags has what a process remembers of a lock, and asks before it writes.
package flags

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errLost = errors.New("not the leader")

type node struct {
	cli    *clientv3.Client
	db     *sql.DB
	leader atomic.Bool
	ready  atomic.Bool
}

func (n *node) run(ctx context.Context, s *concurrency.Session) error {
	e := concurrency.NewElection(s, "/leader")
	if err := e.Campaign(ctx, "me"); err != nil {
		return err
	}
	n.leader.Store(true)
	<-s.Done()
	n.leader.Store(false)
	return nil
}

func (n *node) assign(ctx context.Context, shard, worker string) error {
	if !n.leader.Load() {
		return errLost
	}
	_, err := n.cli.Put(ctx, "/assign/"+shard, worker) // want `a write under a lock with a lease carries no token`
	return err
}

// Reading, adding what is not there, and a write that names its term; a flag that
// says something else.

func (n *node) enqueue(ctx context.Context, id string) error {
	if !n.leader.Load() {
		return errLost
	}
	_, err := n.db.ExecContext(ctx, `INSERT INTO jobs (id) VALUES ($1) ON CONFLICT DO NOTHING`, id)
	return err
}

func (n *node) assignFenced(ctx context.Context, id, to string, term int64) error {
	if !n.leader.Load() {
		return errLost
	}
	_, err := n.db.ExecContext(ctx, `UPDATE jobs SET worker = $1, term = $2 WHERE id = $3 AND term <= $2`, to, term, id)
	return err
}

func (n *node) note(ctx context.Context, body string) error {
	if !n.ready.Load() {
		return errors.New("starting")
	}
	_, err := n.db.ExecContext(ctx, `UPDATE notes SET body = $1`, body)
	return err
}

// The key of the lock is asked, and the row written by another command.

type worker struct {
	rdb *redis.Client
	db  *sql.DB
	id  string
}

func (w *worker) lock(ctx context.Context, doc string) (bool, error) {
	return w.rdb.SetNX(ctx, "lock:"+doc, w.id, 20*time.Second).Result()
}

func (w *worker) save(ctx context.Context, doc, body string) error {
	owner, err := w.rdb.Get(ctx, "lock:"+doc).Result()
	if err != nil {
		return err
	}
	if owner != w.id {
		return errLost
	}
	_, err = w.db.ExecContext(ctx, `UPDATE docs SET body = $1 WHERE id = $2`, body, doc) // want `a write under a lock with a lease carries no token`
	return err
}

func (w *worker) saveFenced(ctx context.Context, doc, body string, fence int64) error {
	owner, err := w.rdb.Get(ctx, "lock:"+doc).Result()
	if err != nil {
		return err
	}
	if owner != w.id {
		return errLost
	}
	_, err = w.db.ExecContext(ctx, `UPDATE docs SET body = $1, fence = $3 WHERE id = $2 AND fence <= $3`, body, doc, fence)
	return err
}

// The end of the lease is compared with a clock.

type Lease struct {
	Name    string
	Expires time.Time
}

func (w *worker) flush(ctx context.Context, l *Lease, body string) error {
	if time.Now().After(l.Expires) {
		return errLost
	}
	_, err := w.db.ExecContext(ctx, `UPDATE segments SET body = $1 WHERE name = $2`, body, l.Name) // want `a write under a lock with a lease carries no token`
	return err
}

type coupon struct {
	code    string
	expires time.Time
}

func (w *worker) redeem(ctx context.Context, c *coupon, by string) error {
	if time.Now().After(c.expires) {
		return errors.New("expired")
	}
	_, err := w.db.ExecContext(ctx, `UPDATE coupons SET used_by = $1 WHERE code = $2`, by, c.code)
	return err
}
