package servers

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

var pace = redis.NewScript(`
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local level = tonumber(redis.call('GET', KEYS[2]) or '0')
local rate, now = tonumber(ARGV[1]), tonumber(ARGV[2])
level = level - (now - last) * rate
redis.call('SET', KEYS[1], now)
redis.call('SET', KEYS[2], level + 1)
return level`)

func leak(ctx context.Context, rdb *redis.Client, key string) (int, error) {
	return pace.Run(ctx, rdb, []string{key + ":at", key}, 5, time.Now().UnixMilli()).Int() // want `a script that all instances share measures time with the clock of whoever calls it`
}

const interval = `
local prev = redis.call("HGET", KEYS[1], "prev")
if prev and tonumber(ARGV[1]) - tonumber(prev) < 10 then return 0 end
redis.call("HSET", KEYS[1], "prev", ARGV[1])
return 1`

func every(ctx context.Context, rdb *redis.Client, key string) (int, error) {
	return rdb.Eval(ctx, interval, []string{key}, time.Now().Unix()).Int() // want `a script that all instances share measures time with the clock of whoever calls it`
}

// Near misses: the clock of the server, a stamp that is only kept.

var paced = redis.NewScript(`
local now = tonumber(redis.call('TIME')[1])
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if now - last < tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], now)
return 1`)

func byRedis(ctx context.Context, rdb *redis.Client, key string) (int, error) {
	return paced.Run(ctx, rdb, []string{key}, 10).Int()
}

const noted = `
local n = tonumber(redis.call('HGET', KEYS[1], 'left') or ARGV[2])
if n - 1 < 0 then return 0 end
redis.call('HSET', KEYS[1], 'left', n - 1, 'at', ARGV[1])
return 1`

func note(ctx context.Context, rdb *redis.Client, key string) (int, error) {
	return rdb.Eval(ctx, noted, []string{key}, time.Now().Unix(), 100).Int()
}

// A pair that was read at once; and a near miss, an argument less another one.

const filled = `
local b = redis.call('HMGET', KEYS[1], 'n', 'ts')
local left, ts = tonumber(b[1]), tonumber(b[2])
local now = tonumber(ARGV[2])
if ts == nil then left, ts = tonumber(ARGV[1]), now end
left = left + (now - ts) * 3
redis.call('HMSET', KEYS[1], 'n', left - 1, 'ts', now)
return left`

func fill(ctx context.Context, rdb *redis.Client, key string) (int, error) {
	return rdb.Eval(ctx, filled, []string{key}, 10, time.Now().Unix()).Int() // want `a script that all instances share measures time with the clock of whoever calls it`
}

const windowed = `
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local n = tonumber(redis.call('GET', KEYS[1]) or '0')
redis.call('SET', KEYS[1], n + 1)
return now - window`

func count(ctx context.Context, rdb *redis.Client, key string) (int, error) {
	return rdb.Eval(ctx, windowed, []string{key}, time.Now().Unix(), 60).Int()
}
