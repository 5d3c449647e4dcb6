package channel

import (
	"context"
	"errors"
	"io"
)

// Functions that a field holds.

type pump func(dst io.Writer, src io.Reader, done chan<- error)

type bridge struct{ run pump }

func copyAll(dst io.Writer, src io.Reader, done chan<- error) {
	_, err := io.Copy(dst, src)
	done <- err // want `this send can wait for ever`
}

func newBridge() *bridge { return &bridge{run: copyAll} }

func (b *bridge) Both(x, y io.ReadWriter) error {
	there, back := make(chan error), make(chan error)
	go b.run(x, y, there)
	go b.run(y, x, back)
	select {
	case err := <-there:
		return err
	case err := <-back:
		return err
	}
}

type counter struct{ run func(n int, done chan<- int) }

func countTo(n int, done chan<- int) { done <- n }

func newCounter() *counter { return &counter{run: countTo} }

// Sum takes what each of the two sends.
func (c *counter) Sum() int {
	a, b := make(chan int), make(chan int)
	go c.run(1, a)
	go c.run(2, b)
	return <-a + <-b
}

// A helper that reports, called in a loop, whose reader goes at the first error.

type found struct{ err error }

type walker struct{ out chan<- found }

func (w *walker) fail(err error) {
	w.out <- found{err} // want `nothing takes the rest when the reader stops; the reader leaves its loop before the last value`
}

func (w *walker) walk(names []string, open func(string) error) {
	for _, n := range names {
		if err := open(n); err != nil {
			w.fail(err)
		}
	}
}

func errorsOf(names []string, open func(string) error) <-chan found {
	out := make(chan found, 8)
	go func() {
		defer close(out)
		w := &walker{out: out}
		w.walk(names, open)
	}()
	return out
}

func First(names []string, open func(string) error) error {
	for f := range errorsOf(names, open) {
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

type reporter struct{ out chan<- found }

func (r *reporter) fail(err error) { r.out <- found{err} }

func (r *reporter) walk(names []string, open func(string) error) {
	for _, n := range names {
		if err := open(n); err != nil {
			r.fail(err)
		}
	}
}

// Whole takes them all, however many there are.
func Whole(names []string, open func(string) error) (err error) {
	out := make(chan found)
	go func() {
		defer close(out)
		r := &reporter{out: out}
		r.walk(names, open)
	}()
	for f := range out {
		err = errors.Join(err, f.err)
	}
	return err
}

type stopper struct {
	ctx context.Context
	out chan<- found
}

func (s *stopper) fail(err error) {
	select {
	case s.out <- found{err}:
	case <-s.ctx.Done():
	}
}

func Any(ctx context.Context, names []string, open func(string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := make(chan found)
	go func() {
		defer close(out)
		s := &stopper{ctx: ctx, out: out}
		for _, n := range names {
			s.fail(open(n))
		}
	}()
	for f := range out {
		if f.err != nil {
			return f.err
		}
	}
	return nil
}
