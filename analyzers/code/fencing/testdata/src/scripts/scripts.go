// Package scripts has locks that scripts and options take, prolong and give back.
package scripts

import (
	"context"
	"errors"
	"math/rand"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	drop   = redis.NewScript(`return redis.call("DEL", KEYS[1])`)
	unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end return redis.call("DEL", KEYS[1])`)
	touch  = redis.NewScript(`return redis.call("PEXPIRE", KEYS[1], ARGV[1])`)
	larger = redis.NewScript(`if tonumber(redis.call("HGET", KEYS[1], "fence") or "0") < tonumber(ARGV[1]) then redis.call("HSET", KEYS[1], "fence", ARGV[1]) return 1 end return 0`)
)

type Lock struct {
	rdb *redis.Client
	key string
	me  string
}

func (l *Lock) take(ctx context.Context) error {
	return l.rdb.SetArgs(ctx, l.key, l.me, redis.SetArgs{Mode: "NX", TTL: time.Minute}).Err()
}

func (l *Lock) Release(ctx context.Context) error {
	return drop.Run(ctx, l.rdb, []string{l.key}).Err() // want `released without asking whose it is`
}

func (l *Lock) Extend(ctx context.Context) error {
	return touch.Run(ctx, l.rdb, []string{l.key}, 60000).Err() // want `prolonged without asking whose it is`
}

func (l *Lock) Renew(ctx context.Context) error {
	return l.rdb.SetXX(ctx, l.key, l.me, time.Minute).Err() // want `prolonged without asking whose it is`
}

func (l *Lock) ReleaseMine(ctx context.Context) error {
	return unlock.Run(ctx, l.rdb, []string{l.key}, l.me).Err()
}

func (l *Lock) ForceRelease(ctx context.Context) error {
	return l.rdb.Del(ctx, l.key).Err()
}

// A session and an entry of a cache are claimed too, and are no locks.

func session(ctx context.Context, rdb *redis.Client, id, user string) (bool, error) {
	return rdb.SetNX(ctx, "session:"+id, user, time.Hour).Result()
}

func touchSession(ctx context.Context, rdb *redis.Client, id string) error {
	return rdb.Expire(ctx, "session:"+id, time.Hour).Err()
}

func logout(ctx context.Context, rdb *redis.Client, id string) error {
	return rdb.Del(ctx, "session:"+id).Err()
}

func page(ctx context.Context, rdb *redis.Client, id, body string) error {
	return rdb.SetNX(ctx, "page:"+id, body, time.Minute).Err()
}

func refreshPage(ctx context.Context, rdb *redis.Client, id, body string) error {
	return rdb.Set(ctx, "page:"+id, body, time.Minute).Err()
}

// A token that is larger by chance; one that is counted; a score.

func (l *Lock) guess(ctx context.Context, doc string) error {
	tok := rand.Int63() // want `the fencing token comes from a random value`
	if ok, err := l.rdb.SetNX(ctx, "lock:"+doc, tok, time.Minute).Result(); err != nil || !ok {
		return errors.New("busy")
	}
	return larger.Run(ctx, l.rdb, []string{"doc:" + doc}, tok).Err()
}

func (l *Lock) count(ctx context.Context, doc string) error {
	tok, err := l.rdb.Incr(ctx, "fence:"+doc).Result()
	if err != nil {
		return err
	}
	if ok, err := l.rdb.SetNX(ctx, "lock:"+doc, tok, time.Minute).Result(); err != nil || !ok {
		return errors.New("busy")
	}
	return larger.Run(ctx, l.rdb, []string{"doc:" + doc}, tok).Err()
}

func (l *Lock) countAnew(ctx context.Context, doc string) (int64, error) {
	tok, err := l.rdb.Incr(ctx, "epoch:"+doc).Result()
	if err != nil {
		return 0, err
	}
	return tok, l.rdb.Expire(ctx, "epoch:"+doc, time.Hour).Err() // want `the counter of fencing tokens ends`
}

func score(ctx context.Context, rdb *redis.Client, user string) error {
	return larger.Run(ctx, rdb, []string{"best:" + user}, rand.Int63()).Err()
}

// A goroutine keeps the lock, whoever has it by then.
func (l *Lock) hold(ctx context.Context) error {
	if ok, err := l.rdb.SetNX(ctx, l.key, l.me, time.Minute).Result(); err != nil || !ok {
		return errors.New("busy")
	}
	go func() {
		for ctx.Err() == nil {
			time.Sleep(20 * time.Second)
			l.rdb.Expire(ctx, l.key, time.Minute) // want `prolonged without asking whose it is`
		}
	}()
	return nil
}

// Queues are read, moved and deleted by scripts: they are no locks, and the script
// that deletes a lock and its entry in a set is one that does.
var (
	moveAll = redis.NewScript(`local ids = redis.call("ZRANGE", KEYS[1], 0, -1) for _, id in ipairs(ids) do redis.call("LPUSH", ARGV[1], id) end redis.call("DEL", KEYS[1]) return #ids`)
	purge   = redis.NewScript(`for _, id in ipairs(redis.call('lrange', KEYS[1], 0, -1)) do redis.call('del', ARGV[1] .. id) end return redis.call('unlink', KEYS[1])`)
	leave   = redis.NewScript(`redis.call("SREM", ARGV[2], ARGV[1]) return redis.call("DEL", KEYS[1])`)
)

func (l *Lock) MoveAll(ctx context.Context, queue string) error {
	return moveAll.Run(ctx, l.rdb, []string{l.key}, queue).Err()
}

func (l *Lock) Purge(ctx context.Context) error {
	return purge.Run(ctx, l.rdb, []string{l.key}, "task:").Err()
}

func (l *Lock) Leave(ctx context.Context) error {
	return leave.Run(ctx, l.rdb, []string{l.key}, l.me, "holders").Err() // want `released without asking whose it is`
}
