package old

import (
	"context"
	"net/http"
	"time"
)

func Sleep() {
	t := time.NewTicker(time.Second) // want `never stopped`
	<-t.C
}

func Stopped() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	<-t.C
}

func Handed() *time.Ticker { return time.NewTicker(time.Second) }

// Forever needs its ticker as long as it runs, and it runs as long as the process.
func Forever(work func()) {
	t := time.NewTicker(time.Second)
	for range t.C {
		work()
	}
}

type node struct{ work func() }

// Start is called once; its loop ends with the process.
func Start(ctx context.Context, work func()) {
	n := &node{work}
	go n.loop(ctx)
}

func (n *node) loop(ctx context.Context) {
	t := time.NewTicker(time.Second)
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			n.work()
		}
	}
}

// Serve starts such a loop for each request.
func Serve(w http.ResponseWriter, r *http.Request) {
	n := &node{func() {}}
	go n.each(r.Context())
}

func (n *node) each(ctx context.Context) {
	t := time.NewTicker(time.Second) // want `never stopped`
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			n.work()
		}
	}
}

// Poll is called, and called again.
func Poll(ctx context.Context, done func() bool) error {
	t := time.NewTicker(time.Second) // want `never stopped`
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			if done() {
				return nil
			}
		}
	}
}
