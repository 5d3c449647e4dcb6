package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Feed is stopped by whoever is first, as it believes.
type Feed struct {
	stop chan struct{}
	mu   sync.Mutex
	over bool
	out  chan string
}

func (f *Feed) stopped() bool {
	select {
	case <-f.stop:
		return true
	default:
		return false
	}
}

func (f *Feed) Stop() {
	if f.stopped() {
		return
	}
	close(f.stop) // want `closed twice: the channel Feed.stop`
}

func (f *Feed) Halt() {
	select {
	default:
		close(f.stop) // want `closed twice: the channel Feed.stop`
	case <-f.stop:
	}
}

func (f *Feed) ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

func (f *Feed) Publish(ctx context.Context, line string) error {
	if f.ended() {
		return errors.New("over")
	}
	select {
	case f.out <- line: // want `check then act: something is sent on the channel Feed.out`
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *Feed) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.over = true
		close(f.out)
	}
}

// Spool tells with a second channel that the first is closed.
type Spool struct {
	once sync.Once
	quit chan struct{}
	jobs chan int
}

func (s *Spool) Add(job int) bool {
	select {
	case <-s.quit:
		return false
	default:
	}
	s.jobs <- job // want `check then act: something is sent on the channel Spool.jobs`
	return true
}

func (s *Spool) Quit() {
	s.once.Do(func() {
		close(s.quit)
		close(s.jobs)
	})
}

// Press counts with functions of sync/atomic.
type Press struct {
	done int32
	in   chan []byte
}

func (p *Press) Print(page []byte) {
	if atomic.LoadInt32(&p.done) == 0 {
		p.in <- page // want `check then act: something is sent on the channel Press.in`
	}
}

func (p *Press) Close() {
	if atomic.CompareAndSwapInt32(&p.done, 0, 1) {
		close(p.in)
	}
}

// Desk is open while a flag says so.
type Desk struct {
	open atomic.Bool
	work chan func()
}

func (d *Desk) Ask(f func()) bool {
	if !d.open.Load() {
		return false
	}
	d.work <- f // want `check then act: something is sent on the channel Desk.work`
	return true
}

func (d *Desk) Shut() {
	d.open.Store(false)
	close(d.work)
}
