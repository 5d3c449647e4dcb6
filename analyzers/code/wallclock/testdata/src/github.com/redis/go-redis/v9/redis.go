// Package redis has the part of go-redis that the tests use.
package redis

import (
	"context"
	"errors"
	"time"
)

var Nil = errors.New("redis: nil")

type cmdable struct{}

type Client struct{ cmdable }

type StringCmd struct{}

func (*StringCmd) Int64() (int64, error)   { return 0, nil }
func (*StringCmd) Result() (string, error) { return "", nil }

type StatusCmd struct{}

func (*StatusCmd) Err() error { return nil }

type IntCmd struct{}

func (*IntCmd) Err() error { return nil }

func (cmdable) Get(ctx context.Context, key string) *StringCmd { return nil }

func (cmdable) HGet(ctx context.Context, key, field string) *StringCmd { return nil }

func (cmdable) Set(ctx context.Context, key string, value any, expiration time.Duration) *StatusCmd {
	return nil
}

func (cmdable) HSet(ctx context.Context, key string, values ...any) *IntCmd { return nil }

type Cmd struct{}

func (*Cmd) Int() (int, error) { return 0, nil }

type Script struct{}

func NewScript(src string) *Script { return nil }

func (*Script) Run(ctx context.Context, c *Client, keys []string, args ...any) *Cmd { return nil }

func (cmdable) Eval(ctx context.Context, script string, keys []string, args ...any) *Cmd { return nil }
