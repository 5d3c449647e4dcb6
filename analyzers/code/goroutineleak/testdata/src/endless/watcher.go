package endless

import (
	"context"
	"sync"
	"sync/atomic"
)

// A context that never ends, handed over in the package itself.

func Execute(rules []func() error) error {
	return ExecuteContext(context.Background(), rules)
}

func ExecuteContext(ctx context.Context, rules []func() error) error {
	var cancelled atomic.Bool
	go func() {
		<-ctx.Done() // want `this goroutine waits for a context that never ends`
		cancelled.Store(true)
	}()
	for _, r := range rules {
		if cancelled.Load() {
			return ctx.Err()
		}
		if err := r(); err != nil {
			return err
		}
	}
	return nil
}

// Nobody hands over one without an end.
func Guarded(ctx context.Context, f func() error, stop func()) error {
	go func() {
		<-ctx.Done()
		stop()
	}()
	return f()
}

func Run(f func() error, stop func()) error { return bounded(context.Background(), f, stop) }

// bounded ends the context itself.
func bounded(ctx context.Context, f func() error, stop func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-ctx.Done()
		stop()
	}()
	return f()
}

// A goroutine for each call, that the end of the context does not reach.
type feed struct {
	events chan int
	other  chan int
}

func (f *feed) Watch(ctx context.Context, on func(int)) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for e := range f.events { // want `one is started for each call`
			on(e)
		}
	}()
	<-ctx.Done()
}

func (f *feed) WatchOther(ctx context.Context, on func(int)) {
	go func() {
		for {
			select {
			case e := <-f.other:
				on(e)
			case <-ctx.Done():
				return
			}
		}
	}()
	<-ctx.Done()
}
