// Package service hands its own types to servers.
package service

import (
	"context"
	"net/rpc"
	"sync"

	"google.golang.org/grpc"
)

type Request struct{ Key string }

type Reply struct{ N int }

type store struct {
	calls int
	mu    sync.Mutex
	n     int
}

func (s *store) Put(ctx context.Context, r *Request) (*Reply, error) {
	s.calls++ // want `store.calls is shared by all requests, and gRPC handler Put changes it`
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return &Reply{s.n}, nil
}

// Reset is no method of the service.
func (s *store) Reset(n int) { s.calls = n }

func Serve(s *grpc.Server) { s.RegisterService(nil, &store{}) }

type counter struct{ n int }

func (c *counter) Add(by int, total *int) error {
	c.n += by // want `counter.n is shared by all requests, and RPC handler Add changes it`
	*total = c.n
	return nil
}

func Listen() error { return rpc.Register(&counter{}) }

type message struct{ id string }

func (*message) ProtoReflect() {}

type generated struct{ last string }

func (g *generated) Get(ctx context.Context, m *message) (*message, error) {
	g.last = m.id // want `generated.last is shared by all requests, and gRPC handler Get changes it`
	return m, nil
}

// client has the methods of a service, and options.
type client struct{ last string }

func (c *client) Get(ctx context.Context, m *message, opts ...int) (*message, error) {
	c.last = m.id
	return m, nil
}
