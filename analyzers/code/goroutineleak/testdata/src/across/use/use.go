// Package use receives from the channels of another package.
package use

import (
	"across/gen"
	"context"
	"time"
)

// Match stops at the first that fits.
func Match(want string, labels ...[]string) bool {
	for row := range gen.Iter(labels...) {
		if row[0] == want {
			return true
		}
	}
	return false
}

// Sum takes them all.
func Sum(n int) (s int) {
	for i := range gen.Count(n) {
		s += i
	}
	return s
}

// First stops those that can be stopped.
func First(ctx context.Context, n int) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range gen.Until(ctx, n) {
		if i > 3 {
			return i
		}
	}
	return 0
}

// Soon gives up, and leaves nobody behind.
func Soon(f func() string) string {
	select {
	case s := <-gen.Later(f):
		return s
	case <-time.After(time.Second):
		return ""
	}
}
