package channel

import (
	"context"
	"time"
)

// Nobody here receives, and the loop knows an end that the send does not see.
func Ticks(ctx context.Context, read func() int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				out <- read() // want `looks for its end elsewhere, and not while it sends`
			}
		}
	}()
	return out
}

// The context is asked, and not while the goroutine sends.
func Lines(ctx context.Context, next func() (string, bool)) (<-chan string, error) {
	out := make(chan string, 8)
	go func() {
		defer close(out)
		for ctx.Err() == nil {
			s, ok := next()
			if !ok {
				return
			}
			out <- s // want `looks for its end elsewhere, and not while it sends`
		}
	}()
	return out, nil
}

// The last word is on a channel of its own.
func Feed(ctx context.Context, next func() (int, error)) (<-chan int, <-chan error) {
	out, errs := make(chan int), make(chan error)
	go func() {
		defer close(out)
		for {
			v, err := next()
			if err != nil {
				errs <- err // want `looks for its end elsewhere, and not while it sends`
				return
			}
			select {
			case out <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, errs
}

// The last word fits.
func Fed(ctx context.Context, next func() (int, error)) (<-chan int, <-chan error) {
	out, errs := make(chan int), make(chan error, 1)
	go func() {
		defer close(out)
		for {
			v, err := next()
			if err != nil {
				errs <- err
				return
			}
			select {
			case out <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, errs
}

type Source struct{ stop chan struct{} }

func (s *Source) Stop() { close(s.stop) }

// A stop channel is as good as a context, and the goroutine can have a name.
func (s *Source) Values(in <-chan int) <-chan int {
	out := make(chan int)
	go s.pump(in, out)
	return out
}

func (s *Source) pump(in <-chan int, out chan<- int) {
	for {
		select {
		case <-s.stop:
			return
		default:
		}
		out <- 2 * <-in // want `looks for its end elsewhere, and not while it sends`
	}
}

// The send can be given up.
func Careful(ctx context.Context, in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for {
			select {
			case <-ctx.Done():
				return
			case v := <-in:
				select {
				case out <- v:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

// A generator that is always read to its end looks for none: nothing is known of its
// readers.
func Numbers(n int) <-chan int { // want Numbers:"feeds a channel"
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range n {
			out <- i
		}
	}()
	return out
}

// One value fits.
func Answer(ctx context.Context, ask func() int) <-chan int {
	out := make(chan int, 1)
	go func() {
		if ctx.Err() == nil {
			out <- ask()
		}
	}()
	return out
}

// What the loop leaves is taken when the function returns.
func sum(next func() int, most int) (int, error) {
	ch := numbers(next)
	defer func() {
		for range ch {
		}
	}()
	n := 0
	for v := range ch {
		if n += v; n > most {
			return n, context.Canceled
		}
	}
	return n, nil
}

func numbers(next func() int) <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for v := next(); v >= 0; v = next() {
			ch <- v
		}
	}()
	return ch
}

func drain[T any](ch <-chan T) {
	for range ch {
	}
}

func firstAbove(next func() int, most int) int {
	ch := odds(next)
	defer drain(ch)
	for v := range ch {
		if v > most {
			return v
		}
	}
	return 0
}

func odds(next func() int) <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for v := next(); v >= 0; v = next() {
			ch <- 2*v + 1
		}
	}()
	return ch
}

// The loop that takes the rest is only in place when the first value was good.
func late(next func() int) int {
	ch := evens(next)
	for v := range ch {
		if v > 7 {
			return v
		}
	}
	defer drain(ch)
	return 0
}

func evens(next func() int) <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for v := next(); v >= 0; v = next() {
			ch <- 2 * v // want `its receiver can return first`
		}
	}()
	return ch
}

var _ = []any{sum, firstAbove, late}
