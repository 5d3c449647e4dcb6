package probe

import (
	"context"
	"sync"
	"time"
)

// Sample calls progress with the counts ten times a second, until it is stopped
// or the context ends. Stop returns when no call is under way and none will
// follow. A nil progress is never called.
func Sample[C any](ctx context.Context, progress func(C), counts func() C) (stop func()) {
	if progress == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				progress(counts())
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}
