package a

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/redis/go-redis/v9"
)

// A mutex keeps out the goroutines of one process. Others count on the key too.
type meter struct {
	mu  sync.Mutex
	rdb *redis.Client
}

func (m *meter) used(ctx context.Context, key string) (int64, error) {
	all, err := m.rdb.HGetAll(ctx, key).Result()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(all["used"], 10, 64)
}

func (m *meter) Spend(ctx context.Context, who string, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	used, err := m.used(ctx, "meter:"+who)
	if err != nil {
		return err
	}
	used += n
	return m.rdb.HSet(ctx, "meter:"+who, "used", used).Err() // want `lost update on a key`
}

// Welcome sets a mark that says the same whoever sets it.
func (m *meter) Welcome(ctx context.Context, who string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.rdb.Exists(ctx, "known:"+who).Result()
	if err != nil || n > 0 {
		return err
	}
	return m.rdb.Set(ctx, "known:"+who, "1", 0).Err()
}

// A part of the key is what an object is called, asked for twice.
type issuer interface {
	Name() string
	NextID() string
	Renew(context.Context, string) (string, error)
}

func (m *meter) Renew(ctx context.Context, i issuer) error {
	old, err := m.rdb.Get(ctx, "token:"+i.Name()).Result()
	if err != nil {
		return err
	}
	return m.rdb.Set(ctx, "token:"+i.Name(), old+"+", time.Hour).Err() // want `lost update on a key`
}

func (m *meter) Follow(ctx context.Context, i issuer) error {
	old, err := m.rdb.Get(ctx, "token:"+i.NextID()).Result()
	if err != nil {
		return err
	}
	return m.rdb.Set(ctx, "token:"+i.NextID(), old+"+", time.Hour).Err()
}

// The answer of a write decides on the time to live.
func (m *meter) Join(ctx context.Context, room, who string) error {
	added, err := m.rdb.SAdd(ctx, "room:"+room, who).Result()
	if err != nil {
		return err
	}
	if added == 1 {
		return m.rdb.Expire(ctx, "room:"+room, time.Hour).Err() // want `the key gets its time to live by a second command`
	}
	return nil
}

func (m *meter) Beat(ctx context.Context, room, who string) error {
	if err := m.rdb.HSet(ctx, "beat:"+room, who, time.Now().Unix()).Err(); err != nil {
		return err
	}
	return m.rdb.Expire(ctx, "beat:"+room, time.Hour).Err() // each beat sets it again
}

// A counter that is not there is begun anew.
type window struct{ mc *memcache.Client }

func (w *window) Hit(who string) (uint64, error) {
	key := fmt.Sprintf("hits:%s", who)
	n, err := w.mc.Increment(key, 1)
	if errors.Is(err, memcache.ErrCacheMiss) {
		return 1, w.mc.Set(&memcache.Item{Key: key, Value: []byte("1")}) // want `another request can set it in between`
	}
	return n, err
}

func (w *window) HitAdded(who string) (uint64, error) {
	key := fmt.Sprintf("hits:%s", who)
	n, err := w.mc.Increment(key, 1)
	if errors.Is(err, memcache.ErrCacheMiss) {
		if err := w.mc.Add(&memcache.Item{Key: key, Value: []byte("0")}); err != nil {
			return 0, err
		}
		return w.mc.Increment(key, 1)
	}
	return n, err
}

// The owner of a lock is asked in one helper, and the key deleted in another.
type holding struct {
	rdb  *redis.Client
	key  string
	mine string
}

func (h *holding) owner(ctx context.Context) (string, error) { return h.rdb.Get(ctx, h.key).Result() }

func (h *holding) drop(ctx context.Context) error { return h.rdb.Del(ctx, h.key).Err() }

func (h *holding) Release(ctx context.Context) error {
	who, err := h.owner(ctx)
	if err != nil {
		return err
	}
	if who != h.mine {
		return errors.New("not mine")
	}
	return h.drop(ctx) // want `check then act on a key`
}

// A member says that something has been done.
func (m *meter) Vote(ctx context.Context, poll, who string) error {
	voted, err := m.rdb.SIsMember(ctx, "voted:"+poll, who).Result()
	if err != nil || voted {
		return err
	}
	if err := m.rdb.Incr(ctx, "votes:"+poll).Err(); err != nil {
		return err
	}
	return m.rdb.SAdd(ctx, "voted:"+poll, who).Err() // want `check then act on a key`
}

func (m *meter) VoteAdded(ctx context.Context, poll, who string) error {
	voted, err := m.rdb.SIsMember(ctx, "voted:"+poll, who).Result()
	if err != nil || voted {
		return err
	}
	added, err := m.rdb.SAdd(ctx, "voted:"+poll, who).Result()
	if err != nil || added == 0 {
		return err
	}
	return m.rdb.Incr(ctx, "votes:"+poll).Err()
}
