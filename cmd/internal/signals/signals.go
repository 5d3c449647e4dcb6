// Package signals turns SIGINT and SIGTERM into the end of a context: the first
// asks a run to stop, drain and clean up; the second ends the process at once.
package signals

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// echo is how long the signal that came first may come again and count as the
// same: timeout(1) of GNU signals its child and then the group in which the
// child is, and a person needs longer to press a key twice and mean it.
const echo = 300 * time.Millisecond

// Caught is the cause of a context that a signal ended.
type Caught struct{ Signal syscall.Signal }

func (c *Caught) Error() string { return c.Signal.String() }

// Code is the shell's exit code for a process that the signal ended.
func (c *Caught) Code() int { return 128 + int(c.Signal) }

// Watch returns a context that the first signal ends, with a *Caught as its
// cause. The second signal calls kill, which should not return; the same signal
// again within 300 ms is no second one. Stop gives the signals back.
func Watch(ctx context.Context, kill func(*Caught)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ch := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go watch(ch, done, time.Now, cancel, kill)
	return ctx, func() {
		signal.Stop(ch)
		close(done)
		cancel(nil)
	}
}

func watch(ch <-chan os.Signal, done <-chan struct{}, now func() time.Time, cancel context.CancelCauseFunc, kill func(*Caught)) {
	var first *Caught
	var at time.Time
	for {
		select {
		case s := <-ch:
			c := &Caught{Signal: number(s)}
			switch {
			case first == nil:
				first, at = c, now()
				cancel(c)
			case now().Sub(at) >= echo || *c != *first:
				kill(c)
			}
		case <-done:
			return
		}
	}
}

// number maps os.Interrupt on systems where it is not a syscall.Signal.
func number(s os.Signal) syscall.Signal {
	if n, ok := s.(syscall.Signal); ok {
		return n
	}
	return syscall.SIGINT
}

// Cause returns the signal that ended ctx, nil when none did.
func Cause(ctx context.Context) *Caught {
	var c *Caught
	if errors.As(context.Cause(ctx), &c) {
		return c
	}
	return nil
}
