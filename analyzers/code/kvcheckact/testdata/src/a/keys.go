package a

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

type cart struct {
	UserID string
	Parent string
	Items  []string
}

type carts struct{ rdb *redis.Client }

func (c *carts) load(ctx context.Context, userID string) (*cart, error) {
	raw, err := c.rdb.Get(ctx, "cart:"+userID).Bytes()
	if err != nil {
		return nil, err
	}
	var v cart
	return &v, json.Unmarshal(raw, &v)
}

func (c *carts) save(ctx context.Context, v *cart) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.rdb.Set(ctx, "cart:"+v.UserID, raw, time.Hour).Err()
}

func (c *carts) Add(ctx context.Context, userID, item string) error {
	v, err := c.load(ctx, userID)
	if err != nil {
		return err
	}
	v.Items = append(v.Items, item)
	return c.save(ctx, v) // want `lost update on a key`
}

// Copy writes another cart than it read.
func (c *carts) Copy(ctx context.Context, userID string) error {
	v, err := c.load(ctx, userID)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.rdb.Set(ctx, "cart:"+v.Parent, raw, time.Hour).Err()
}

type routes struct {
	kv     clientv3.KV
	prefix string
}

func (r *routes) taken(ctx context.Context, path string) (bool, error) {
	resp, err := r.kv.Get(ctx, r.prefix, clientv3.WithPrefix())
	if err != nil {
		return false, err
	}
	for _, kv := range resp.Kvs {
		if string(kv.Value) == path {
			return true, nil
		}
	}
	return false, nil
}

func (r *routes) Claim(ctx context.Context, id, path string) error {
	taken, err := r.taken(ctx, path)
	if err != nil || taken {
		return err
	}
	_, err = r.kv.Put(ctx, r.prefix+id, path) // want `check then act on a key`
	return err
}

// client is the part of the library that the application needs.
type client interface {
	Get(ctx context.Context, key string) *redis.StringCmd
	Del(ctx context.Context, keys ...string) *redis.IntCmd
}

type resets struct{ cache client }

func (r *resets) Use(ctx context.Context, token string) (string, error) {
	user, err := r.cache.Get(ctx, "reset:"+token).Result()
	if err != nil {
		return "", err
	}
	return user, r.cache.Del(ctx, "reset:"+token).Err() // want `check then act on a key`
}

// bump counts in the item that was read, or in a new one.
func bump(mc *memcache.Client, key string) error {
	it, err := mc.Get(key)
	if errors.Is(err, memcache.ErrCacheMiss) {
		it, err = &memcache.Item{Key: key}, nil
	}
	if err != nil {
		return err
	}
	it.Value = append(it.Value, 'x')
	return mc.Set(it) // want "lost update on a key"
}

// elsewhere writes another item than the one that was read.
func elsewhere(mc *memcache.Client, key, other string) error {
	if _, err := mc.Get(key); err != nil {
		return err
	}
	return mc.Set(&memcache.Item{Key: other, Value: []byte("x")})
}
