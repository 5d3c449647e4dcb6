package channel

import "errors"

type reading func(<-chan int)

// A stranger may read and can neither send nor close.
func share(valid bool, read reading) error {
	ch := make(chan int)
	go read(ch)
	go func() {
		for range ch { // want `this receive can wait for ever`
		}
	}()
	if !valid {
		return errors.New("not valid")
	}
	ch <- 1
	close(ch)
	return nil
}

// Closed on every way.
func shareClosed(valid bool, read reading) error {
	ch := make(chan int)
	defer close(ch)
	go read(ch)
	go func() {
		for range ch {
		}
	}()
	if !valid {
		return errors.New("not valid")
	}
	ch <- 1
	return nil
}

// Who gets both ends may close it.
func shareBoth(valid bool, use func(chan int)) error {
	ch := make(chan int)
	go use(ch)
	go func() {
		for range ch {
		}
	}()
	if !valid {
		return errors.New("not valid")
	}
	return nil
}

// The stranger may take the rest.
func drainedElsewhere(n int, read reading) int {
	ch := make(chan int)
	go read(ch)
	go func() {
		defer close(ch)
		for i := range n {
			ch <- i
		}
	}()
	return <-ch
}
