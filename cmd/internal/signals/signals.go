// Package signals turns SIGINT and SIGTERM into the end of a context: the first
// asks a run to stop, drain and clean up; the second ends the process at once.
package signals

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Caught is the cause of a context that a signal ended.
type Caught struct{ Signal syscall.Signal }

func (c *Caught) Error() string { return c.Signal.String() }

// Code is the shell's exit code for a process that the signal ended.
func (c *Caught) Code() int { return 128 + int(c.Signal) }

// Watch returns a context that the first signal ends, with a *Caught as its
// cause. The second signal calls kill, which should not return. Stop gives the
// signals back.
func Watch(ctx context.Context, kill func(*Caught)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ch := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go watch(ch, done, cancel, kill)
	return ctx, func() {
		signal.Stop(ch)
		close(done)
		cancel(nil)
	}
}

func watch(ch <-chan os.Signal, done <-chan struct{}, cancel context.CancelCauseFunc, kill func(*Caught)) {
	for first := true; ; first = false {
		select {
		case s := <-ch:
			c := &Caught{Signal: number(s)}
			if !first {
				kill(c)
			}
			cancel(c)
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
