package a

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var unlock = redis.NewScript("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0")

type Locker struct {
	rdb *redis.Client
	db  *sql.DB
}

type Lock struct {
	rdb *redis.Client
	key string
	tok string
}

func (l *Locker) Acquire(ctx context.Context, key string) (*Lock, error) {
	tok := uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, key, tok, time.Minute).Result()
	if err != nil || !ok {
		return nil, errors.Join(err, errors.New("busy"))
	}
	return &Lock{l.rdb, key, tok}, nil
}

func (l *Lock) Drop(ctx context.Context) error {
	return l.rdb.Del(ctx, l.key).Err() // want `released without asking whose it is`
}

func (l *Lock) Release(ctx context.Context) error {
	v, err := l.rdb.Get(ctx, l.key).Result()
	if err != nil {
		return err
	}
	if v == l.tok {
		return l.rdb.Del(ctx, l.key).Err() // want `compared in Go, and the lock deleted by a second command`
	}
	return nil
}

func (l *Lock) Good(ctx context.Context) error {
	return unlock.Run(ctx, l.rdb, []string{l.key}, l.tok).Err()
}

func (l *Locker) Rename(ctx context.Context, id int64, name string) error {
	key := "lock:doc"
	ok, err := l.rdb.SetNX(ctx, key, 1, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer l.rdb.Del(ctx, key)                                                           // want `released without asking whose it is`
	_, err = l.db.ExecContext(ctx, "UPDATE docs SET name = $1 WHERE id = $2", name, id) // want `a write under a lock with a lease carries no token`
	return err
}

func (l *Locker) Fenced(ctx context.Context, id, fence int64, name string) error {
	ok, err := l.rdb.SetNX(ctx, "lock:doc", fence, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	_, err = l.db.ExecContext(ctx, "UPDATE docs SET name = $1, fence = $2 WHERE id = $3 AND fence < $2", name, fence, id)
	return err
}

func (l *Locker) RandomFence(ctx context.Context, id int64, name string) error {
	tok := uuid.NewString() // want `the fencing token comes from a random value`
	_, err := l.db.ExecContext(ctx, "UPDATE docs SET name = $1, fence = $2 WHERE id = $3 AND fence < $2", name, tok, id)
	return err
}

func (l *Locker) ClockToken(ctx context.Context, key string) (int64, error) {
	tok := time.Now().UnixNano() // want `the fencing token comes from the clock of the holder`
	_, err := l.rdb.SetNX(ctx, key, tok, time.Minute).Result()
	return tok, err
}

func Lead(ctx context.Context, c *clientv3.Client, s *concurrency.Session, plan string) error {
	e := concurrency.NewElection(s, "/leader")
	if err := e.Campaign(ctx, "me"); err != nil {
		return err
	}
	_, err := c.Put(ctx, "/plan", plan) // want `a write under a lock with a lease carries no token`
	return err
}

func LeadFenced(ctx context.Context, c *clientv3.Client, s *concurrency.Session, plan string) error {
	e := concurrency.NewElection(s, "/leader")
	if err := e.Campaign(ctx, "me"); err != nil {
		return err
	}
	_, err := c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(e.Key()), "=", e.Rev())).Then(clientv3.OpPut("/plan", plan)).Commit()
	return err
}

// A lock that only saves work, and a mark that is no lock.

func (l *Locker) Warm(ctx context.Context, render func() string) error {
	ok, err := l.rdb.SetNX(ctx, "warm:lock", "1", time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	return l.rdb.Set(ctx, "page", render(), time.Hour).Err()
}

func (l *Locker) Seen(ctx context.Context, id string) error {
	ok, err := l.rdb.SetNX(ctx, "event:"+id, 1, time.Hour).Result()
	if err != nil || !ok {
		return err
	}
	_, err = l.db.ExecContext(ctx, "INSERT INTO events (id) VALUES ($1)", id)
	return err
}

func (l *Lock) Renew(ctx context.Context) error {
	return l.rdb.Expire(ctx, l.key, time.Minute).Err() // want `prolonged without asking whose it is`
}

func (l *Locker) Finish(ctx context.Context, id int64, me string) error {
	var owner string
	if err := l.db.QueryRowContext(ctx, "SELECT owner FROM jobs WHERE id = $1", id).Scan(&owner); err != nil {
		return err
	}
	if owner != me {
		return errors.New("lost")
	}
	_, err := l.db.ExecContext(ctx, "UPDATE jobs SET done = true WHERE id = $1", id) // want `the owner of a row is compared in Go`
	return err
}

func (l *Locker) FinishOwned(ctx context.Context, id int64, me string) error {
	var owner string
	if err := l.db.QueryRowContext(ctx, "SELECT owner FROM jobs WHERE id = $1", id).Scan(&owner); err != nil {
		return err
	}
	if owner != me {
		return errors.New("lost")
	}
	_, err := l.db.ExecContext(ctx, "UPDATE jobs SET done = true WHERE id = $1 AND owner = $2", id, me)
	return err
}
