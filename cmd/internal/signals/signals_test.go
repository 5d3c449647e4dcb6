//go:build unix

package signals

import (
	"context"
	"errors"
	"syscall"
	"testing"
)

func TestWatch(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			killed := make(chan *Caught, 1)
			ctx, stop := Watch(context.Background(), func(c *Caught) { killed <- c })
			defer stop()

			raise(t, sig)
			<-ctx.Done()
			if c := Cause(ctx); c == nil || c.Signal != sig || c.Code() != 128+int(sig) {
				t.Fatalf("cause %v, code %d; want %v", c, c.Code(), sig)
			}
			raise(t, sig)
			if c := <-killed; c.Signal != sig {
				t.Fatalf("second signal: %v, want %v", c.Signal, sig)
			}
		})
	}
}

func TestStopIsNoSignal(t *testing.T) {
	ctx, stop := Watch(context.Background(), func(*Caught) { t.Error("killed") })
	stop()
	if c := Cause(ctx); c != nil {
		t.Fatalf("cause after stop: %v", c)
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Fatalf("context after stop: %v", ctx.Err())
	}
}

func raise(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
		t.Fatal(err)
	}
}
