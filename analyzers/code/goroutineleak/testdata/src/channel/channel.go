package channel

import (
	"context"
	"errors"
	"sync"
	"time"
)

func work() (int, error) { return 0, nil }

func Timeout() (int, error) {
	ch := make(chan int)
	go func() {
		n, _ := work()
		ch <- n // want `this send can wait for ever`
	}()
	select {
	case n := <-ch:
		return n, nil
	case <-time.After(time.Second):
		return 0, errors.New("time-out")
	}
}

func produce(ch chan<- int) {
	ch <- 1 // want `this send can wait for ever`
}

func Early(fail bool) int {
	ch := make(chan int)
	go produce(ch)
	if fail {
		return 0
	}
	return <-ch
}

func FirstWins(urls []string) string {
	ch := make(chan string)
	for _, u := range urls {
		go func() {
			ch <- u // want `this send can wait for ever`
		}()
	}
	return <-ch
}

func FirstError(urls []string) error {
	errs := make(chan error)
	for range urls {
		go func() {
			_, err := work()
			errs <- err // want `this send can wait for ever`
		}()
	}
	for range urls {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func WaitFirst(urls []string) (out []error) {
	errs := make(chan error)
	var wg sync.WaitGroup
	for range urls {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := work()
			errs <- err // want `this send can wait for ever`
		}()
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		out = append(out, err)
	}
	return out
}

func count(n int) <-chan int {
	ch := make(chan int)
	go func() {
		for i := range n {
			ch <- i // want `this send can wait for ever`
		}
		close(ch)
	}()
	return ch
}

func Find(want int) bool {
	for i := range count(100) {
		if i == want {
			return true
		}
	}
	return false
}

func Workers(jobs []int) error {
	ch := make(chan int)
	for range 4 {
		go func() {
			for j := range ch { // want `this receive can wait for ever`
				_ = j
			}
		}()
	}
	for _, j := range jobs {
		if j < 0 {
			return errors.New("negative")
		}
		ch <- j
	}
	close(ch)
	return nil
}

func Silent() int {
	ch := make(chan int)
	go func() {
		n, err := work()
		if err != nil {
			return
		}
		ch <- n
	}()
	return <-ch // want `this receive can wait for ever`
}

// Near misses: room, a sender that gives up, a full drain, a deferred close.

func Room() (int, error) {
	ch := make(chan int, 1)
	go func() { ch <- 1 }()
	select {
	case n := <-ch:
		return n, nil
	case <-time.After(time.Second):
		return 0, errors.New("time-out")
	}
}

func GivesUp(ctx context.Context) (int, error) {
	ch := make(chan int)
	go func() {
		select {
		case ch <- 1:
		case <-ctx.Done():
		}
	}()
	select {
	case n := <-ch:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func All(urls []string) (errs []error) {
	ch := make(chan error)
	for range urls {
		go func() {
			_, err := work()
			ch <- err
		}()
	}
	for range urls {
		errs = append(errs, <-ch)
	}
	return errs
}

func Enough(urls []string) string {
	ch := make(chan string, len(urls))
	for _, u := range urls {
		go func() { ch <- u }()
	}
	return <-ch
}

func Closed(jobs []int) error {
	ch := make(chan int)
	defer close(ch)
	go func() {
		for j := range ch {
			_ = j
		}
	}()
	for _, j := range jobs {
		if j < 0 {
			return errors.New("negative")
		}
		ch <- j
	}
	return nil
}

func Plain() int {
	ch := make(chan int)
	go func() { ch <- 1 }()
	return <-ch
}

type hub struct{ ch chan int }

func (h *hub) Kept() {
	h.ch = make(chan int)
	go func() { h.ch <- 1 }()
}

func Both() int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		n, err := work()
		if err != nil {
			return
		}
		ch <- n
	}()
	return <-ch
}

func Ready() {
	ready := make(chan struct{})
	go func() {
		if _, err := work(); err != nil {
			return
		}
		close(ready)
	}()
	<-ready // want `this receive can wait for ever`
}

// A stop channel that is the only way out, and is not closed when work fails.

func keepAlive(renew func(), work func() error) error {
	stop := make(chan struct{})
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-stop: // want `this case is its only way out`
				return
			case <-t.C:
				renew()
			}
		}
	}()
	if err := work(); err != nil {
		return err
	}
	close(stop)
	return nil
}

func keepAliveDeferred(renew func(), work func() error) error {
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
				renew()
			}
		}
	}()
	return work()
}

// keepAliveTold stops on either.
func keepAliveTold(ctx context.Context, renew func(), work func() error) error {
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				renew()
			}
		}
	}()
	if err := work(); err != nil {
		return err
	}
	close(stop)
	return nil
}

var _, _, _ = keepAlive, keepAliveDeferred, keepAliveTold
