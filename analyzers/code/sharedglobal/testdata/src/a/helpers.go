package a

import (
	"errors"
	"sync"
)

// A function literal that the goroutines of a loop call.

func collect(ids []string, fetch func(string) error) error {
	var (
		wg   sync.WaitGroup
		errs error
	)
	fail := func(err error) {
		errs = errors.Join(errs, err) // want `is shared by all goroutines of the loop, and every goroutine that collect starts changes it without a lock`
	}
	for _, id := range ids {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := fetch(id); err != nil {
				fail(err)
			}
		}()
	}
	wg.Wait()
	return errs
}

// The literal has a lock, or its caller has, or each iteration has its own.

func collectLocked(ids []string, fetch func(string) error) error {
	var (
		mu, outer sync.Mutex
		errs, all error
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		errs = errors.Join(errs, err)
	}
	note := func(err error) { all = errors.Join(all, err) }
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() { fail(fetch(id)) })
		wg.Go(func() {
			outer.Lock()
			defer outer.Unlock()
			note(fetch(id))
		})
		var own error
		keep := func(err error) { own = err }
		wg.Go(func() { keep(fetch(id)) })
		_ = own
	}
	wg.Wait()
	return errors.Join(errs, all)
}
