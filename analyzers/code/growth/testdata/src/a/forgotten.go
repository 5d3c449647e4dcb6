package a

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// Entries that live for one call, which some ways out of it leave behind.

type post struct {
	mu      sync.Mutex
	seq     uint64
	waits   map[uint64]chan []byte
	calls   map[uint64]chan []byte
	running map[string]struct{}
	active  map[string]struct{}
	saved   map[string]string
	open    map[uint64]*line
	tried   map[uint64]*line
	write   func(uint64) error
	work    func(context.Context, string) error
}

type line struct{ id uint64 }

// Ask forgets the one that is answered, and keeps the one that is not.
func (p *post) Ask(ctx context.Context) ([]byte, error) {
	ch := make(chan []byte, 1)
	p.mu.Lock()
	p.seq++
	id := p.seq
	p.waits[id] = ch // want `the field waits keeps the entry when Ask ends another way than the one on which the entry is taken out`
	p.mu.Unlock()
	select {
	case b := <-ch:
		p.mu.Lock()
		delete(p.waits, id)
		p.mu.Unlock()
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Call forgets it on every way.
func (p *post) Call(ctx context.Context) ([]byte, error) {
	ch := make(chan []byte, 1)
	p.mu.Lock()
	p.seq++
	id := p.seq
	p.calls[id] = ch
	p.mu.Unlock()
	select {
	case b := <-ch:
		p.drop(id)
		return b, nil
	case <-time.After(time.Second):
		p.drop(id)
		return nil, errors.New("no answer")
	}
}

func (p *post) drop(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, id)
}

func (p *post) Import(ctx context.Context, account string) error {
	p.mu.Lock()
	p.running[account] = struct{}{} // want `the field running keeps the entry when Import ends another way`
	p.mu.Unlock()
	if err := p.work(ctx, account); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, account)
	return nil
}

func (p *post) Export(ctx context.Context, account string) error {
	p.mu.Lock()
	p.active[account] = struct{}{}
	p.mu.Unlock()
	err := p.work(ctx, account)
	p.mu.Lock()
	delete(p.active, account)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return nil
}

// What could not be saved is taken back; what was saved is to stay.
func (p *post) Save(ctx context.Context, name, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved[name] = text
	if err := p.work(ctx, name); err != nil {
		delete(p.saved, name)
		return err
	}
	return nil
}

// Whoever opens a line closes it, but gets none when this fails.
func (p *post) Open() (*line, error) {
	p.mu.Lock()
	p.seq++
	l := &line{p.seq}
	p.open[l.id] = l // want `the field open keeps the entry when Open ends another way`
	p.mu.Unlock()
	if err := p.write(l.id); err != nil {
		return nil, err
	}
	return l, nil
}

func (p *post) Close(l *line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, l.id)
	delete(p.tried, l.id)
}

func (p *post) Try() (*line, error) {
	p.mu.Lock()
	p.seq++
	l := &line{p.seq}
	p.tried[l.id] = l
	p.mu.Unlock()
	if err := p.write(l.id); err != nil {
		p.Close(l)
		return nil, err
	}
	return l, nil
}

// Who is there already was added by somebody else, who takes it out.
var here sync.Map

func Enter(name string, c net.Conn) error {
	if _, loaded := here.LoadOrStore(name, c); loaded {
		return errors.New("taken")
	}
	defer here.Delete(name)
	_, err := c.Write([]byte("hello"))
	return err
}

// Connections of a loop that accepts them.
type doors struct {
	mu    sync.Mutex
	conns []net.Conn
	live  map[net.Conn]struct{}
}

func (d *doors) Serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		d.mu.Lock()
		d.conns = append(d.conns, c) // want `the field conns only grows: each Conn that comes is added`
		d.live[c] = struct{}{}
		d.mu.Unlock()
		go d.echo(c)
	}
}

func (d *doors) echo(c net.Conn) {
	defer func() {
		d.mu.Lock()
		delete(d.live, c)
		d.mu.Unlock()
		c.Close()
	}()
	c.Write([]byte("hello"))
}

// Timers that have fired.
type alarms struct {
	mu     sync.Mutex
	timers map[string]*time.Timer
	once   map[string]*time.Timer
	ring   func(string)
}

func (a *alarms) Set(alarmID string, d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timers[alarmID] = time.AfterFunc(d, func() { a.ring(alarmID) }) // want `the field timers only grows: each entry is a timer, and stays when the timer has fired`
	a.once[alarmID] = time.AfterFunc(d, func() { a.Cancel(alarmID) })
}

func (a *alarms) Cancel(alarmID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.timers[alarmID]; t != nil {
		t.Stop()
		delete(a.timers, alarmID)
	}
	if t := a.once[alarmID]; t != nil {
		t.Stop()
		delete(a.once, alarmID)
	}
}
