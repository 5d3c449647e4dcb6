//go:build unix

package signals

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	for _, two := range [][2]syscall.Signal{{syscall.SIGINT, syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGINT}} {
		sig, other := two[0], two[1]
		t.Run(sig.String(), func(t *testing.T) {
			killed := make(chan *Caught, 1)
			ctx, stop := Watch(context.Background(), func(c *Caught) { killed <- c })
			defer stop()

			raise(t, sig)
			<-ctx.Done()
			if c := Cause(ctx); c == nil || c.Signal != sig || c.Code() != 128+int(sig) {
				t.Fatalf("cause %v, code %d; want %v", c, c.Code(), sig)
			}
			raise(t, other)
			if c := <-killed; c.Signal != other {
				t.Fatalf("second signal: %v, want %v", c.Signal, other)
			}
		})
	}
}

// The clock is the test's: which signals are one must not hang on how busy the
// machine is.
func TestEcho(t *testing.T) {
	const term, intr = syscall.SIGTERM, syscall.SIGINT
	type sent struct {
		sig syscall.Signal
		at  time.Duration
	}
	tests := []struct {
		name string
		sent []sent
		want int
	}{
		{"one", []sent{{term, 0}}, 0},
		{"timeout(1): to the child and to its group", []sent{{term, 0}, {term, time.Microsecond}}, 0},
		{"however many at once", []sent{{intr, 0}, {intr, time.Millisecond}, {intr, echo - 1}}, 0},
		{"another signal is meant", []sent{{term, 0}, {intr, 0}}, 1},
		{"a person who presses again", []sent{{intr, 0}, {intr, echo}}, 1},
		{"counted from the first", []sent{{term, 0}, {term, echo / 2}, {term, echo + 1}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ch, done, over := make(chan os.Signal), make(chan struct{}), make(chan struct{})
			killed := 0
			clock := make(chan time.Duration, len(tt.sent))
			now := func() time.Time { return time.Unix(0, 0).Add(<-clock) }
			go func() {
				defer close(over)
				watch(ch, done, now, func(error) {}, func(*Caught) { killed++ })
			}()
			for _, s := range tt.sent {
				clock <- s.at
				ch <- s.sig
			}
			close(done)
			<-over
			if killed != tt.want {
				t.Errorf("ended at once %d times, want %d", killed, tt.want)
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
