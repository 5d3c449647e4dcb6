package a

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

type R struct {
	rdb *redis.Client
	db  *sql.DB
	mu  sync.Mutex
}

func (r *R) Window(ctx context.Context, k string) error {
	n, err := r.rdb.Exists(ctx, k).Result()
	if err != nil {
		return err
	}
	if n == 0 {
		return r.rdb.Set(ctx, k, 1, time.Minute).Err() // want `EXISTS decides, and SET follows`
	}
	return nil
}

func (r *R) has(ctx context.Context, k string) (bool, error) {
	_, err := r.rdb.Get(ctx, "user:"+k).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

func (r *R) put(ctx context.Context, k, who string) error {
	return r.rdb.Set(ctx, "user:"+k, who, 0).Err()
}

func (r *R) Reserve(ctx context.Context, k, who string) error {
	taken, err := r.has(ctx, k)
	if err != nil || taken {
		return err
	}
	return r.put(ctx, k, who) // want `GET decides, and SET follows`
}

func (r *R) Balance(ctx context.Context, k string, by int) error {
	v, err := r.rdb.Get(ctx, k).Result()
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(v)
	return r.rdb.Set(ctx, k, n-by, 0).Err() // want `lost update on a key`
}

func (r *R) Once(ctx context.Context, code string) (string, error) {
	who, err := r.rdb.Get(ctx, code).Result()
	if err != nil {
		return "", err
	}
	return who, r.rdb.Del(ctx, code).Err() // want `GET decides, and DEL follows`
}

func (r *R) Join(ctx context.Context, k, who string) error {
	n, err := r.rdb.SCard(ctx, k).Result()
	if err != nil {
		return err
	}
	if n >= 10 {
		return errors.New("full")
	}
	return r.rdb.SAdd(ctx, k, who).Err() // want `SCARD decides, and SADD follows`
}

func (r *R) Rate(ctx context.Context, k string) (bool, error) {
	n, err := r.rdb.Incr(ctx, k).Result()
	if err != nil {
		return false, err
	}
	if n == 1 {
		r.rdb.Expire(ctx, k, time.Minute) // want `time to live by a second command`
	}
	return n < 10, nil
}

func (r *R) Lock(ctx context.Context, k string) error {
	ok, err := r.rdb.SetNX(ctx, k, 1, 0).Result()
	if err != nil || !ok {
		return err
	}
	return r.rdb.Expire(ctx, k, time.Minute).Err() // want `time to live by a second command`
}

func Etcd(ctx context.Context, c *clientv3.Client, k string) error {
	g, err := c.Get(ctx, k)
	if err != nil {
		return err
	}
	if len(g.Kvs) == 0 {
		_, err = c.Put(ctx, k, "{}") // want `Get decides, and Put follows`
	}
	return err
}

func Memcache(c *memcache.Client, k string) error {
	if _, err := c.Get(k); err == memcache.ErrCacheMiss {
		return c.Set(&memcache.Item{Key: k, Value: []byte("1")}) // want `get decides, and set follows`
	}
	return nil
}

// Near misses.

func (r *R) CacheAside(ctx context.Context, id string) (string, error) {
	if v, err := r.rdb.Get(ctx, id).Result(); err == nil {
		return v, nil
	}
	var v string
	if err := r.db.QueryRowContext(ctx, "SELECT name FROM people WHERE id = $1", id).Scan(&v); err != nil {
		return "", err
	}
	return v, r.rdb.Set(ctx, id, v, time.Minute).Err()
}

func (r *R) Watched(ctx context.Context, k string) error {
	return r.rdb.Watch(ctx, func(tx *redis.Tx) error {
		n, err := tx.Exists(ctx, k).Result()
		if err != nil || n > 0 {
			return err
		}
		return tx.Set(ctx, k, 1, 0).Err()
	}, k)
}

func (r *R) Guarded(ctx context.Context, k string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, err := r.rdb.Exists(ctx, k).Result(); err != nil || n > 0 {
		return err
	}
	return r.rdb.Set(ctx, k, 1, 0).Err()
}

func (r *R) UnderLock(ctx context.Context, k string) error {
	ok, err := r.rdb.SetNX(ctx, "lock:"+k, 1, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	if n, err := r.rdb.Exists(ctx, k).Result(); err != nil || n > 0 {
		return err
	}
	return r.rdb.Set(ctx, k, 1, 0).Err()
}

func (r *R) Forget(ctx context.Context, k string) error {
	if n, err := r.rdb.Exists(ctx, k).Result(); err != nil || n == 0 {
		return err
	}
	return r.rdb.Del(ctx, "other:"+k).Err()
}

func (r *R) Member(ctx context.Context, k, who string) error {
	in, err := r.rdb.SIsMember(ctx, k, who).Result()
	if err != nil || in {
		return err
	}
	return r.rdb.SAdd(ctx, k, who).Err()
}

func EtcdTxn(ctx context.Context, c *clientv3.Client, k string) error {
	g, err := c.Get(ctx, k)
	if err != nil || len(g.Kvs) > 0 {
		return err
	}
	_, err = c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(k), "=", 0)).Then(clientv3.OpPut(k, "{}")).Commit()
	return err
}
