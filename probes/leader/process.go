package leader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/child"
	"github.com/ccheck/ccheck/probes/lease"
)

// Command says how instances are started that are processes of the user's. What
// they say is in the documentation of the probe.
type Command struct {
	Args    []string
	Environ []string
	Through []Through
}

// Target checks that the program can be run, and names it.
func (c *Command) Target() (history.Target, error) {
	t := history.Target{Kind: KindCommand, Address: filepath.Base(c.Args[0])}
	if err := child.Find(c.Args); err != nil {
		return t, &lease.SetupError{Msg: fmt.Sprintf("%q cannot be run: %v", c.Args[0], err), Hint: "name a program of PATH or the path of one", Err: err}
	}
	return t, nil
}

// The kinds of target of instances that tell of themselves.
const (
	KindCommand = "exec"
	KindWatch   = "http"
)

// toldCalls are what such instances tell of.
var toldCalls = []history.Actor{{Name: "acquire"}, {Name: "renew"}, {Name: "release"}, {Name: "fire"}}

// deaths is how often an instance may end by itself: some are made to, and are
// started again.
const deaths = 20

// process is an instance that is a process of the user's.
type process struct {
	d      *driver
	index  int
	name   string
	line   *lease.Line
	relays []*relay
	env    []string
	ctx    context.Context // of the run
	follow sync.WaitGroup
	turn   sync.Mutex // of who ends it, and who starts it again

	mu      sync.Mutex
	child   *child.Child
	over    bool // it is to be dead
	died    int
	err     error
	spoke   bool // ever
	leads   bool
	since   time.Duration // when it was elected
	lastJob time.Duration
	held    lease.Held
	pending map[int64]*leave // by tick
	stop    chan error       // takes the next ask; nil while none is to be paused
	frozen  *leave           // of the job before which it is stopped
	settled chan struct{}    // closed when that has ended
}

func (d *driver) newProcess(i int, name string) (*process, error) {
	p := &process{d: d, index: i, name: name, line: &lease.Line{}, pending: map[int64]*leave{}}
	c := d.o.Command
	p.env = append(append([]string{}, c.Environ...), "CCHECK_INSTANCE="+name,
		"CCHECK_TTL_MS="+strconv.FormatInt(d.o.TTL.Milliseconds(), 10), "CCHECK_TICK_MS="+strconv.FormatInt((2*d.beat()).Milliseconds(), 10))
	for _, t := range c.Through {
		r, err := newRelay(p.line, t.url.Host)
		if err != nil {
			p.end()
			return nil, err
		}
		p.relays = append(p.relays, r)
		p.env = append(p.env, t.over(r.address()))
	}
	return p, nil
}

func (p *process) number() int { return p.index }

// state counts one that has told of no job for some ticks as doing them all.
func (p *process) state() (leads bool, did time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.d.works.Load() {
		return p.leads && p.d.Elapsed()-p.since > 6*p.d.beat(), p.d.Elapsed()
	}
	return p.leads, p.lastJob
}

func (p *process) trouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *process) faults() []fault {
	all := []fault{kill(p, p.kill), pause(p, p.freeze)}
	if len(p.relays) > 0 {
		all = append(all, partition(p, p.line.CutOff, p.line.Join), cut(p, p.line.Cut))
	}
	return all
}

// start starts the process.
func (p *process) start(ctx context.Context) error {
	p.ctx = ctx
	p.mu.Lock()
	p.over = false
	p.mu.Unlock()
	return p.run()
}

func (p *process) run() error {
	c, err := child.Start(p.d.o.Command.Args, p.env)
	if err != nil {
		return fmt.Errorf("starting instance %s: %w", p.name, err)
	}
	p.mu.Lock()
	p.child = c
	p.mu.Unlock()
	p.follow.Go(func() { p.live(c) })
	return nil
}

// live takes what the process says until it has ended.
func (p *process) live(c *child.Child) {
	for line := range c.Lines() {
		if err := p.take(c, line); err != nil {
			p.fail(fmt.Errorf("instance %s: %w", p.name, err))
		}
	}
	p.mu.Lock()
	over := p.over || p.ctx.Err() != nil
	p.leads = false
	clear(p.pending)
	p.mu.Unlock()
	if !over {
		p.again(c)
	}
}

// again starts a process that has ended by itself, as those do that rely on
// somebody who starts them.
func (p *process) again(c *child.Child) {
	last := c.Last()
	c.Close()
	p.mu.Lock()
	p.died++
	why := error(nil)
	if !p.spoke || p.died > deaths {
		why = &lease.SetupError{Msg: fmt.Sprintf("instance %s has ended by itself; it said last: %s", p.name, orNothing(last)), Hint: "try the command alone; it must go on until its input ends"}
	}
	p.mu.Unlock()
	if why != nil {
		p.fail(why)
		return
	}
	p.fail(p.d.Mark(p.index, MarkEnded))
	select {
	case <-time.After(p.d.beat()):
	case <-p.ctx.Done():
		return
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if !p.dead() {
		p.fail(p.run())
	}
}

func (p *process) dead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// fail keeps the first error.
func (p *process) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// doom says that it is to be dead, so that nothing starts it again.
func (p *process) doom() *child.Child {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return p.child
}

// kill ends it as kill -9 does.
func (p *process) kill() error {
	c := p.doom()
	if err := c.Kill(); err != nil {
		return p.told("killed", err)
	}
	p.follow.Wait()
	return nil
}

// end ends it in good order.
func (p *process) end() {
	c := p.doom()
	p.line.Join()
	if c != nil {
		c.Close()
	}
	p.follow.Wait()
	for _, r := range p.relays {
		r.close()
	}
}

// freeze stops the process when it asks for leave to do its next job, before it
// has it; nil when it does not, since it leads no more. One that never asks is
// stopped at any time.
func (p *process) freeze(ctx context.Context) (thaw func(context.Context) error, err error) {
	p.mu.Lock()
	c, asks := p.child, p.d.asks.Load()
	settled, stopped := make(chan struct{}), make(chan error, 1)
	if asks {
		p.stop, p.settled = stopped, settled
	}
	p.mu.Unlock()
	if !asks {
		close(settled)
		return p.thaw(c, settled), p.pause(c)
	}
	select {
	case err = <-stopped:
		return p.thaw(c, settled), err
	case <-time.After(p.d.o.TTL + graceful):
	case <-ctx.Done():
	}
	p.mu.Lock()
	taken := p.stop == nil
	p.stop = nil
	p.mu.Unlock()
	if taken {
		err = <-stopped
		return p.thaw(c, settled), err
	}
	return nil, ctx.Err()
}

// thaw lets it go on, and waits until it has done the job or is not going to.
func (p *process) thaw(c *child.Child, settled <-chan struct{}) func(context.Context) error {
	return func(ctx context.Context) error {
		p.mu.Lock()
		if p.frozen != nil {
			p.frozen.given = time.Now()
		}
		p.mu.Unlock()
		if err := errors.Join(p.told("continued", c.Resume()), p.d.Mark(p.index, lease.MarkResumed)); err != nil {
			return err
		}
		select {
		case <-settled:
		case <-time.After(2 * p.d.o.TTL):
		case <-ctx.Done():
			return ctx.Err()
		}
		return p.d.pass(ctx, 2)
	}
}

func (p *process) pause(c *child.Child) error {
	return errors.Join(p.d.Mark(p.index, lease.MarkPaused), p.told("paused", c.Pause()))
}

// told gives an error of a signal its mend.
func (p *process) told(what string, err error) error {
	if err == nil {
		return nil
	}
	return &lease.SetupError{Msg: fmt.Sprintf("the process of instance %s cannot be %s: %v", p.name, what, err), Hint: child.PauseHint, Err: err}
}
