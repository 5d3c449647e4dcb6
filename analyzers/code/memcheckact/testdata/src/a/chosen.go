package a

import (
	"errors"
	"sync"
	"time"
)

var errNone = errors.New("none")

// Coins are chosen by one method, and taken out by another.
type Coins struct {
	mu      sync.Mutex
	purse   map[string]int64
	pay     func(coins []string, to string) error
	publish func(to string)
}

func (c *Coins) enough(amount int64) (out []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, v := range c.purse {
		out = append(out, id)
		if amount -= v; amount <= 0 {
			return out, nil
		}
	}
	return nil, errNone
}

func (c *Coins) spent(coins []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range coins {
		delete(c.purse, id)
	}
}

func (c *Coins) Pay(to string, amount int64) error {
	coins, err := c.enough(amount)
	if err != nil {
		return err
	}
	if err := c.pay(coins, to); err != nil {
		return err
	}
	c.spent(coins) // want `taken twice: entries of Coins.purse are chosen`
	c.publish(to)
	return nil
}

// Doors hands out one that is free, and takes it out when it is in use.
type Doors struct {
	mu   sync.Mutex
	free map[int]bool
}

func (p *Doors) Use(listen func(port int) error) (int, error) {
	port := 0
	p.mu.Lock()
	for n := range p.free {
		port = n
		break
	}
	p.mu.Unlock()
	if err := listen(port); err != nil {
		return 0, err
	}
	p.mu.Lock()
	delete(p.free, port) // want `taken twice: entries of Doors.free are chosen`
	p.mu.Unlock()
	return port, nil
}

// Purse takes out what it chooses, and puts back what nobody wanted.
type Purse struct {
	mu    sync.Mutex
	coins map[string]int64
	pay   func(coins []string, to string) error
}

func (p *Purse) take(amount int64) (map[string]int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]int64{}
	for id, v := range p.coins {
		out[id] = v
		if amount -= v; amount <= 0 {
			for id := range out {
				delete(p.coins, id)
			}
			return out, nil
		}
	}
	return nil, errNone
}

func (p *Purse) back(coins map[string]int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, v := range coins {
		p.coins[id] = v
	}
}

func (p *Purse) Pay(to string, amount int64) error {
	coins, err := p.take(amount)
	if err != nil {
		return err
	}
	var ids []string
	for id := range coins {
		ids = append(ids, id)
	}
	if err := p.pay(ids, to); err != nil {
		p.back(coins)
		return err
	}
	return nil
}

// Outbox writes out all that there is, and forgets what is written.
type Outbox struct {
	mu   sync.Mutex
	mail map[string]string
	send func(ids []string) error
}

func (o *Outbox) Flush() error {
	var ids []string
	o.mu.Lock()
	for id := range o.mail {
		ids = append(ids, id)
	}
	o.mu.Unlock()
	if err := o.send(ids); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range ids {
		delete(o.mail, id)
	}
	return nil
}

// Feeder is the only one that takes out.
type Feeder struct {
	mu   sync.Mutex
	jobs map[int]string
	stop chan struct{}
	work func(job int) error
}

func NewFeeder(work func(int) error) *Feeder {
	f := &Feeder{jobs: map[int]string{}, stop: make(chan struct{}), work: work}
	go f.run()
	return f
}

func (f *Feeder) run() {
	for {
		select {
		case <-f.stop:
			return
		case <-time.After(time.Second):
		}
		job := 0
		f.mu.Lock()
		for n := range f.jobs {
			job = n
			break
		}
		f.mu.Unlock()
		if err := f.work(job); err != nil {
			continue
		}
		f.mu.Lock()
		delete(f.jobs, job)
		f.mu.Unlock()
	}
}

// Desks are taken over from who is gone, which a sweep does not look at again.
type Desks struct {
	mu   sync.RWMutex
	held map[string]string
	gone func(holder string) bool
}

func (d *Desks) Take(desk, who string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.held[desk]; ok && !d.gone(old) {
		return false
	}
	d.held[desk] = who
	return true
}

func (d *Desks) Clear() {
	idle := map[string]bool{}
	d.mu.RLock()
	for desk, who := range d.held {
		if d.gone(who) {
			idle[desk] = true
		}
	}
	d.mu.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for desk := range idle {
		delete(d.held, desk) // want `check then act: entries of Desks.held are judged and collected`
	}
}

func (d *Desks) ClearAgain() {
	idle := map[string]string{}
	d.mu.RLock()
	for desk, who := range d.held {
		if d.gone(who) {
			idle[desk] = who
		}
	}
	d.mu.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for desk, who := range idle {
		if d.held[desk] == who {
			delete(d.held, desk)
		}
	}
}

// Tables are only taken where nobody sits: nobody takes over what a sweep has in hand.
type Tables struct {
	mu   sync.RWMutex
	held map[string]string
	gone func(holder string) bool
}

func (t *Tables) Take(table, who string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.held[table]; ok {
		return false
	}
	t.held[table] = who
	return true
}

func (t *Tables) Clear() {
	var idle []string
	t.mu.RLock()
	for table, who := range t.held {
		if t.gone(who) {
			idle = append(idle, table)
		}
	}
	t.mu.RUnlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, table := range idle {
		delete(t.held, table)
	}
}
