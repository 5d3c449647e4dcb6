package channel

import "context"

// Done channels, for which others ask or not.

// Task runs in the background.
type Task struct{ over chan struct{} }

// Start runs a function.
func Start(run func()) *Task {
	t := &Task{over: make(chan struct{})}
	go t.run(run)
	return t
}

func (t *Task) run(run func()) {
	run()
	t.over <- struct{}{} // want `this send can wait for ever: it is the last word of the goroutine`
}

// Done can be asked for.
func (t *Task) Done() <-chan struct{} { return t.over }

// Closing tells all who ask.
type Closing struct{ over chan struct{} }

func StartClosing(run func()) *Closing {
	c := &Closing{make(chan struct{})}
	go func() {
		defer close(c.over)
		run()
	}()
	return c
}

func (c *Closing) Done() <-chan struct{} { return c.over }

// Roomy keeps the word until somebody asks.
type Roomy struct{ over chan struct{} }

func StartRoomy(run func()) *Roomy {
	r := &Roomy{make(chan struct{}, 1)}
	go func() {
		run()
		r.over <- struct{}{}
	}()
	return r
}

func (r *Roomy) Done() <-chan struct{} { return r.over }

// Awaited takes the word itself.
type Awaited struct{ over chan struct{} }

func RunAwaited(run func()) {
	a := &Awaited{make(chan struct{})}
	go func() {
		run()
		a.over <- struct{}{}
	}()
	<-a.Done()
}

func (a *Awaited) Done() <-chan struct{} { return a.over }

// Patient stops to wait when its context ends.
type Patient struct{ over chan struct{} }

func StartPatient(ctx context.Context, run func()) *Patient {
	p := &Patient{make(chan struct{})}
	go func() {
		run()
		select {
		case p.over <- struct{}{}:
		case <-ctx.Done():
		}
	}()
	return p
}

func (p *Patient) Done() <-chan struct{} { return p.over }
