// Package redis has the part of the library's interface that the tests use.
package redis

import (
	"context"
	"errors"
	"time"
)

var Nil = errors.New("redis: nil")

type baseCmd struct{ err error }

func (c *baseCmd) Err() error { return c.err }

type StringCmd struct {
	baseCmd
	val string
}

func (c *StringCmd) Result() (string, error) { return c.val, c.err }
func (c *StringCmd) Bytes() ([]byte, error)  { return []byte(c.val), c.err }
func (c *StringCmd) Int64() (int64, error)   { return int64(len(c.val)), c.err }

type IntCmd struct {
	baseCmd
	val int64
}

func (c *IntCmd) Result() (int64, error) { return c.val, c.err }
func (c *IntCmd) Val() int64             { return c.val }

type StringSliceCmd struct {
	baseCmd
	val []string
}

func (c *StringSliceCmd) Result() ([]string, error) { return c.val, c.err }

type ZRangeBy struct{ Min, Max string }

type Z struct {
	Score  float64
	Member any
}

type ZSliceCmd struct {
	baseCmd
	val []Z
}

func (c *ZSliceCmd) Result() ([]Z, error) { return c.val, c.err }

type FloatCmd struct {
	baseCmd
	val float64
}

func (c *FloatCmd) Result() (float64, error) { return c.val, c.err }

type BoolCmd struct {
	baseCmd
	val bool
}

func (c *BoolCmd) Result() (bool, error) { return c.val, c.err }
func (c *BoolCmd) Val() bool             { return c.val }

type MapStringStringCmd struct {
	baseCmd
	val map[string]string
}

func (c *MapStringStringCmd) Result() (map[string]string, error) { return c.val, c.err }

type StatusCmd struct{ baseCmd }

type Cmd struct{ baseCmd }

type cmdable func() error

func (c cmdable) Get(ctx context.Context, key string) *StringCmd                 { return nil }
func (c cmdable) Exists(ctx context.Context, keys ...string) *IntCmd             { return nil }
func (c cmdable) HGetAll(ctx context.Context, key string) *MapStringStringCmd    { return nil }
func (c cmdable) HSet(ctx context.Context, key string, values ...any) *IntCmd    { return nil }
func (c cmdable) SCard(ctx context.Context, key string) *IntCmd                  { return nil }
func (c cmdable) SIsMember(ctx context.Context, key string, member any) *BoolCmd { return nil }
func (c cmdable) SAdd(ctx context.Context, key string, members ...any) *IntCmd   { return nil }
func (c cmdable) SRem(ctx context.Context, key string, members ...any) *IntCmd   { return nil }
func (c cmdable) Incr(ctx context.Context, key string) *IntCmd                   { return nil }
func (c cmdable) Del(ctx context.Context, keys ...string) *IntCmd                { return nil }

func (c cmdable) Set(ctx context.Context, key string, value any, ttl time.Duration) *StatusCmd {
	return nil
}

func (c cmdable) SetNX(ctx context.Context, key string, value any, ttl time.Duration) *BoolCmd {
	return nil
}

func (c cmdable) Expire(ctx context.Context, key string, ttl time.Duration) *BoolCmd { return nil }

func (c cmdable) ZRangeByScore(ctx context.Context, key string, by *ZRangeBy) *StringSliceCmd {
	return nil
}

func (c cmdable) ZRem(ctx context.Context, key string, members ...any) *IntCmd { return nil }

func (c cmdable) ZRangeWithScores(ctx context.Context, key string, start, stop int64) *ZSliceCmd {
	return nil
}

func (c cmdable) ZIncrBy(ctx context.Context, key string, by float64, member string) *FloatCmd {
	return nil
}

type Client struct{ cmdable }

func (c *Client) Watch(ctx context.Context, fn func(*Tx) error, keys ...string) error { return nil }

type Tx struct{ cmdable }

type Script struct{}

func NewScript(src string) *Script { return nil }

func (s *Script) Run(ctx context.Context, c *Client, keys []string, args ...any) *Cmd { return nil }

type Cmdable interface {
	Set(ctx context.Context, key string, value any, ttl time.Duration) *StatusCmd
	Expire(ctx context.Context, key string, ttl time.Duration) *BoolCmd
}

type Pipeliner interface {
	Cmdable
	Exec(ctx context.Context) error
}

func (c *Client) TxPipeline() Pipeliner { return nil }

func (c *Client) TxPipelined(ctx context.Context, fn func(Pipeliner) error) error { return nil }

func (c *Client) Do(ctx context.Context, args ...any) *Cmd { return nil }

func (c *Cmd) Int() (int, error) { return 0, c.err }

func (c cmdable) LRange(ctx context.Context, key string, from, to int64) *StringSliceCmd { return nil }
func (c cmdable) LLen(ctx context.Context, key string) *IntCmd                           { return nil }
func (c cmdable) LTrim(ctx context.Context, key string, from, to int64) *StatusCmd       { return nil }
