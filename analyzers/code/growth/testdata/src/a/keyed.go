package a

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// A lock for each account, and no way to drop one.
type accounts struct {
	mu    sync.Mutex
	locks map[int64]*sync.Mutex
}

func (a *accounts) lock(id int64) *sync.Mutex {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.locks[id]
	if l == nil {
		l = new(sync.Mutex)
		a.locks[id] = l // want `the field locks only grows`
	}
	return l
}

func (a *accounts) Debit(id int64, debit func() error) error {
	l := a.lock(id)
	l.Lock()
	defer l.Unlock()
	return debit()
}

var orders sync.Map

func WithOrder(orderID string, f func() error) error {
	v, _ := orders.LoadOrStore(orderID, &sync.RWMutex{}) // want `orders only grows`
	l := v.(*sync.RWMutex)
	l.Lock()
	defer l.Unlock()
	return f()
}

var jobs sync.Map

// WithJob drops the lock with the job.
func WithJob(jobID string, f func() error) error {
	v, _ := jobs.LoadOrStore(jobID, &sync.Mutex{})
	v.(*sync.Mutex).Lock()
	defer v.(*sync.Mutex).Unlock()
	defer jobs.Delete(jobID)
	return f()
}

// A lock for each table: there are not many of those.
var tables = map[string]*sync.Mutex{}

func WithTable(name string) *sync.Mutex {
	mu.Lock()
	defer mu.Unlock()
	if tables[name] == nil {
		tables[name] = new(sync.Mutex)
	}
	return tables[name]
}

// Requests that came once, by what their caller called them.
type dedupe struct {
	mu   sync.Mutex
	seen map[string]struct{}
	off  map[string]struct{}
}

var errAgain = errors.New("again")

func (d *dedupe) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range md.Get("x-request-id") {
		if _, again := d.seen[id]; again {
			return nil, errAgain
		}
		d.seen[id] = struct{}{} // want `the field seen only grows`
	}
	if _, off := d.off[info.FullMethod]; !off { // a program has so many methods
		d.off[info.FullMethod] = struct{}{}
	}
	return h(ctx, req)
}

var prices = map[string]float64{}

// Price asks for two names and no others.
func Price(name string, ask func(string) float64) float64 {
	mu.Lock()
	defer mu.Unlock()
	if name == "gold" {
		if _, ok := prices[name]; !ok {
			prices[name] = ask(name)
		}
	}
	return prices[name]
}
