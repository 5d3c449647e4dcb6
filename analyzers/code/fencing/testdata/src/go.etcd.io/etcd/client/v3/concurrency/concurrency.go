// Package concurrency has the part of the library's interface that the tests use.
package concurrency

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

type Session struct{}

func NewSession(c *clientv3.Client) (*Session, error) { return nil, nil }

type Election struct{}

func NewElection(s *Session, prefix string) *Election { return nil }

func (e *Election) Campaign(ctx context.Context, val string) error { return nil }
func (e *Election) Key() string                                    { return "" }
func (e *Election) Rev() int64                                     { return 0 }

func (s *Session) Done() <-chan struct{} { return nil }

type Mutex struct{}

func NewMutex(s *Session, prefix string) *Mutex { return nil }

func (m *Mutex) Lock(ctx context.Context) error   { return nil }
func (m *Mutex) Unlock(ctx context.Context) error { return nil }
