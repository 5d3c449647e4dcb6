// Package gen hands channels to others.
package gen

import "context"

// Iter gives all combinations.
func Iter(params ...[]string) <-chan []string {
	c := make(chan []string)
	go func() {
		defer close(c)
		iterate(c, nil, params)
	}()
	return c
}

func iterate(c chan<- []string, row []string, rest [][]string) {
	if len(rest) == 0 {
		c <- append([]string(nil), row...)
		return
	}
	for _, v := range rest[0] {
		iterate(c, append(row, v), rest[1:])
	}
}

// Until can be told to stop.
func Until(ctx context.Context, n int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range n {
			select {
			case c <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return c
}

// Count gives numbers.
func Count(n int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range n {
			c <- i
		}
	}()
	return c
}

// Later gives one answer, and has room for it.
func Later(f func() string) <-chan string {
	c := make(chan string, 1)
	go func() { c <- f() }()
	return c
}
