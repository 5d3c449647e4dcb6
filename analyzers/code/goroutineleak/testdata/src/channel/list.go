package channel

import "context"

// Channels that a list keeps, one for each goroutine.

func ask(ctx context.Context, n int, get func(context.Context, int) string) <-chan string {
	c := make(chan string)
	go func() {
		c <- get(ctx, n) // want `this send can wait for ever`
	}()
	return c
}

func firstEmpty(ctx context.Context, get func(context.Context, int) string) int {
	var pending [8]<-chan string
	for i := range pending {
		pending[i] = ask(ctx, i, get)
	}
	for i, c := range pending {
		if <-c == "" {
			return i
		}
	}
	return -1
}

func roomy(n int, get func(int) string) chan string {
	c := make(chan string, 1)
	go func() { c <- get(n) }()
	return c
}

// firstRoomy leaves values in the channels, and no goroutine.
func firstRoomy(get func(int) string) int {
	var pending []chan string
	for i := range 8 {
		pending = append(pending, roomy(i, get))
	}
	for i, c := range pending {
		if <-c == "" {
			return i
		}
	}
	return -1
}

// all takes every value, whatever it is.
func all(names []string, get func(string) error) (first error) {
	waits := make([]chan error, len(names))
	for i, n := range names {
		c := make(chan error)
		waits[i] = c
		go func() { c <- get(n) }()
	}
	for _, c := range waits {
		if err := <-c; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func byName(names []string, get func(string) error) error {
	waits := map[string]chan error{}
	for _, n := range names {
		c := make(chan error)
		go func() {
			c <- get(n) // want `this send can wait for ever`
		}()
		waits[n] = c
	}
	for _, c := range waits {
		if err := <-c; err != nil {
			return err
		}
	}
	return nil
}

// refused starts some, and goes when one cannot be started.
func refused(names []string, ready func(string) error, get func(string) error) error {
	var waits []chan error
	for _, n := range names {
		if err := ready(n); err != nil {
			return err
		}
		c := make(chan error)
		waits = append(waits, c)
		go func() {
			c <- get(n) // want `this send can wait for ever`
		}()
	}
	var last error
	for _, c := range waits {
		if err := <-c; err != nil {
			last = err
		}
	}
	return last
}

// shards hands work to one worker of many, and ends them all.
func shards(jobs []int, work func(int)) {
	chans := make([]chan int, 4)
	for i := range chans {
		c := make(chan int)
		chans[i] = c
		go func() {
			for n := range c {
				work(n)
			}
		}()
	}
	for _, n := range jobs {
		chans[n%len(chans)] <- n
	}
	for _, c := range chans {
		close(c)
	}
}
