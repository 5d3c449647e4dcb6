package channel

import (
	"context"
	"io"
	"time"
)

type entry struct{ key string }

// An iterator is fed by a goroutine, and the reader may stop after one entry.
type iterator struct {
	ch  <-chan *entry
	cur *entry
}

func (i *iterator) Next() bool {
	i.cur = <-i.ch
	return i.cur != nil
}

func Walk(all []entry) *iterator {
	ch := make(chan *entry, 16)
	go func() {
		defer close(ch)
		for k := range all {
			ch <- &all[k] // want `a goroutine fills the channel that ch keeps`
		}
	}()
	return &iterator{ch: ch}
}

// Close takes the rest.
type drainedIterator struct {
	rest chan *entry
}

func (i *drainedIterator) Next() *entry { return <-i.rest }

func (i *drainedIterator) Close() {
	for range i.rest {
	}
}

func WalkDrained(all []entry) *drainedIterator {
	i := &drainedIterator{rest: make(chan *entry)}
	go func() {
		defer close(i.rest)
		for k := range all {
			i.rest <- &all[k]
		}
	}()
	return i
}

// The send looks at the end too.
type stoppable struct {
	out  chan int
	stop chan struct{}
}

func Count() *stoppable {
	s := &stoppable{out: make(chan int), stop: make(chan struct{})}
	go func() {
		for n := 0; ; n++ {
			select {
			case s.out <- n:
			case <-s.stop:
				return
			}
		}
	}()
	return s
}

func (s *stoppable) Next() int { return <-s.out }
func (s *stoppable) Close()    { close(s.stop) }

// A queue has a reader for as long as the process lives.
type queue struct{ jobs chan func() }

func NewQueue() *queue {
	q := &queue{jobs: make(chan func())}
	go q.work()
	go q.feed()
	return q
}

func (q *queue) feed() {
	for range 10 {
		q.jobs <- func() {}
	}
}

func (q *queue) work() {
	for f := range q.jobs {
		f()
	}
}

// The channel is handed out, and the loop knows an end that the send does not see.
type watcher struct{ events chan string }

func Watch(ctx context.Context, poll func() string) *watcher {
	w := &watcher{events: make(chan string)}
	go w.loop(ctx, poll)
	return w
}

func (w *watcher) Events() <-chan string { return w.events }

func (w *watcher) loop(ctx context.Context, poll func() string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		w.events <- poll() // want `looks for its end elsewhere in the loop`
	}
}

// Nothing is known of who reads a channel that came from elsewhere.
type relay struct{ to chan string }

func Relay(ctx context.Context, to chan string, in <-chan string) *relay {
	r := &relay{to: to}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-in:
				r.to <- s
			}
		}
	}()
	return r
}

// Stop does not close the channel of a ticker.
func Keep(renew func()) (stop func()) {
	t := time.NewTicker(time.Second)
	go func() {
		for range t.C { // want `ranges over a ticker that is stopped to end it`
			renew()
		}
	}()
	return t.Stop
}

func KeepUntil(renew func()) (stop func()) {
	t := time.NewTicker(time.Second)
	go func() {
		for range t.C { // want `ranges over a ticker that is stopped to end it`
			renew()
		}
	}()
	return func() { t.Stop() }
}

func KeepDone(renew func()) (stop func()) {
	t := time.NewTicker(time.Second)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-t.C:
				renew()
			case <-done:
				return
			}
		}
	}()
	return func() {
		t.Stop()
		close(done)
	}
}

// The ticker belongs to the goroutine.
func Every(f func()) {
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for range t.C {
			f()
		}
	}()
}

// Each question brings the channel for its answer.
type question struct {
	key string
	out chan int
}

type owner struct{ questions chan question }

func Own() *owner {
	o := &owner{questions: make(chan question)}
	go func() {
		m := map[string]int{}
		for q := range o.questions {
			m[q.key]++
			q.out <- m[q.key]
		}
	}()
	return o
}

func (o *owner) Ask(key string) int {
	q := question{key, make(chan int, 1)}
	o.questions <- q
	return <-q.out
}

func (o *owner) Close() { close(o.questions) }

// A semaphore takes all its tokens back at the end.
type limiter struct {
	sem  chan struct{}
	done chan struct{}
}

func NewLimiter(n int) *limiter {
	l := &limiter{sem: make(chan struct{}, 4), done: make(chan struct{})}
	go func() {
		<-l.done
		for range 4 {
			l.sem <- struct{}{}
		}
	}()
	return l
}

func (l *limiter) Release() { <-l.sem }
func (l *limiter) Close()   { close(l.done) }

// The last word of a goroutine, for which nobody must ask.
type wire struct {
	conn io.ReadCloser
	err  chan error
}

func Attach(c io.ReadCloser, on func([]byte)) *wire {
	w := &wire{conn: c, err: make(chan error)}
	go w.readLoop(on)
	return w
}

func (w *wire) readLoop(on func([]byte)) {
	for {
		b := make([]byte, 80)
		if _, err := w.conn.Read(b); err != nil {
			w.err <- err // want `it is the last word of the goroutine`
			return
		}
		on(b)
	}
}

func (w *wire) Wait() error { return <-w.err }

func (w *wire) Close() error { return w.conn.Close() }

// Close itself asks for the last word.
type asked struct {
	conn io.ReadCloser
	err  chan error
}

func AttachAsked(c io.ReadCloser) *asked {
	a := &asked{conn: c, err: make(chan error)}
	go func() {
		_, err := io.Copy(io.Discard, a.conn)
		a.err <- err
	}()
	return a
}

func (a *asked) Close() error {
	a.conn.Close()
	return <-a.err
}

// An answer for which somebody waits, as long as there is time.
type future struct{ ch chan int }

func later(f func() int) *future {
	fu := &future{ch: make(chan int)}
	go func() { fu.ch <- f() }() // want `it is the last word of the goroutine`
	return fu
}

func (f *future) get(ctx context.Context) (int, error) {
	select {
	case n := <-f.ch:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func Load(ctx context.Context, f func() int) (int, error) { return later(f).get(ctx) }

type roomyFuture struct{ ch chan int }

func laterRoomy(f func() int) *roomyFuture {
	fu := &roomyFuture{ch: make(chan int, 1)}
	go func() { fu.ch <- f() }()
	return fu
}

func (f *roomyFuture) get(ctx context.Context) (int, error) {
	select {
	case n := <-f.ch:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func LoadRoomy(ctx context.Context, f func() int) (int, error) { return laterRoomy(f).get(ctx) }
