// Package words has commands that are lists of words.
package words

import (
	"context"
	"errors"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

type server struct{ pool *redis.Pool }

func (s *server) Once(id string) (bool, error) {
	c := s.pool.Get()
	defer c.Close()
	seen, err := redis.Bool(c.Do("EXISTS", "seen:"+id))
	if err != nil || seen {
		return false, err
	}
	_, err = c.Do("SET", "seen:"+id, 1, "EX", 60) // want `EXISTS decides, and SET follows`
	return true, err
}

func (s *server) OnceOnly(id string) (bool, error) {
	c := s.pool.Get()
	defer c.Close()
	seen, err := redis.Bool(c.Do("EXISTS", "seen:"+id))
	if err != nil || seen {
		return false, err
	}
	answer, err := redis.String(c.Do("SET", "seen:"+id, 1, "NX", "EX", 60))
	return answer == "OK", err
}

func (s *server) Redeem(code string) (string, error) {
	c := s.pool.Get()
	defer c.Close()
	v, err := redis.String(c.Do("GET", "code:"+code))
	if err == redis.ErrNil {
		return "", errors.New("no such code")
	}
	if err != nil {
		return "", err
	}
	_, err = c.Do("DEL", "code:"+code) // want `GET decides, and DEL follows`
	return v, err
}

func (s *server) Lock(key string, seconds int) (bool, error) {
	c := s.pool.Get()
	defer c.Close()
	n, err := redis.Int(c.Do("SETNX", key, "1"))
	if err != nil || n == 0 {
		return false, err
	}
	_, err = c.Do("EXPIRE", key, seconds) // want `the key gets its time to live by a second command`
	return true, err
}

func (s *server) Count(page string) error {
	c := s.pool.Get()
	defer c.Close()
	n, err := redis.Int(c.Do("HGET", "hits", page))
	if err != nil && err != redis.ErrNil {
		return err
	}
	_, err = c.Do("HSET", "hits", page, n+1) // want `lost update on a key`
	return err
}

func (s *server) CountWatched(page string) error {
	c := s.pool.Get()
	defer c.Close()
	if _, err := c.Do("WATCH", page); err != nil {
		return err
	}
	n, err := redis.Int(c.Do("GET", page))
	if err != nil {
		return err
	}
	c.Send("MULTI")
	c.Send("SET", page, n+1)
	_, err = c.Do("EXEC")
	return err
}

func (s *server) Fill(key string, load func() (string, error)) (string, error) {
	c := s.pool.Get()
	defer c.Close()
	v, err := redis.String(c.Do("GET", key))
	if err == nil {
		return v, nil
	}
	if v, err = load(); err != nil {
		return "", err
	}
	_, err = c.Do("SETEX", key, 60, v)
	return v, err
}

func (s *server) Put(key, v string) error {
	c := s.pool.Get()
	defer c.Close()
	if _, err := c.Do("SET", key, v); err != nil {
		return err
	}
	_, err := c.Do("EXPIRE", key, 60) // want `the key gets its time to live by a second command`
	return err
}

func (s *server) PutLonger(key, v string) error {
	c := s.pool.Get()
	defer c.Close()
	if _, err := c.Do("SET", key, v, "EX", 10); err != nil {
		return err
	}
	_, err := c.Do("EXPIRE", key, 60)
	return err
}

func claim(ctx context.Context, c *goredis.Client, key string) (bool, error) {
	n, err := c.Do(ctx, "EXISTS", key).Int()
	if err != nil || n == 1 {
		return false, err
	}
	return true, c.Do(ctx, "SET", key, "1", "EX", 60).Err() // want `EXISTS decides, and SET follows`
}
