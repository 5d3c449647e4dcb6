// Package memcache has the part of the library's interface that the tests use.
package memcache

import "errors"

var ErrCacheMiss = errors.New("memcache: cache miss")

type Item struct {
	Key   string
	Value []byte
}

type Client struct{}

func (c *Client) Get(key string) (*Item, error) { return nil, nil }
func (c *Client) Set(i *Item) error             { return nil }
func (c *Client) Add(i *Item) error             { return nil }
func (c *Client) Delete(key string) error       { return nil }

func (c *Client) Increment(key string, delta uint64) (uint64, error) { return 0, nil }

func (c *Client) CompareAndSwap(i *Item) error { return nil }
