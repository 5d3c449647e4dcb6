package a // want package:"orders of locks"

import (
	"sync"
	"time"

	"a/cmap"
)

// Two globals, declared first before second.
var first, second sync.Mutex

func Forward() {
	first.Lock()
	defer first.Unlock()
	second.Lock()
	second.Unlock()
}

func Backward() {
	second.Lock()
	defer second.Unlock()
	first.Lock() // want `deadlock: a.first is taken while a.second is held`
	first.Unlock()
}

// A whole and its parts, through helpers.
type Part struct {
	sync.Mutex
	whole *Whole
	n     int
}

type Whole struct {
	sync.Mutex
	parts map[string]*Part
}

func (p *Part) Rename(n string) {
	p.Lock()
	defer p.Unlock()
	p.whole.index(n, p)
}

func (w *Whole) index(n string, p *Part) {
	w.Lock() // want `deadlock: a.Whole.Mutex is taken while a.Part.Mutex is held`
	defer w.Unlock()
	w.parts[n] = p
}

func (w *Whole) Sum() (n int) {
	w.Lock()
	defer w.Unlock()
	for _, p := range w.parts {
		n += p.count()
	}
	return n
}

func (p *Part) count() int {
	p.Lock()
	defer p.Unlock()
	return p.n
}

// A callback in a field.
type Dog struct {
	mu   sync.Mutex
	bark func()
}

func (d *Dog) Report() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bark() // want `deadlock: a.Owner.mu is taken while a.Dog.mu is held`
}

func (d *Dog) Reset() {
	d.mu.Lock()
	d.mu.Unlock()
}

type Owner struct {
	mu  sync.Mutex
	dog *Dog
}

func NewOwner() *Owner {
	o := &Owner{dog: &Dog{}}
	o.dog.bark = o.undo
	return o
}

func (o *Owner) undo() {
	o.mu.Lock()
	o.mu.Unlock()
}

func (o *Owner) Apply() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dog.Reset()
}

// A visitor of another package.
type Link struct {
	mu sync.Mutex
	n  int
}

type Tracker struct{ byID *cmap.Map[*Link] }

func (t *Tracker) Sweep() {
	t.byID.Each(func(_ string, l *Link) {
		l.mu.Lock()
		l.n--
		l.mu.Unlock()
	})
}

func (t *Tracker) Drop(id string, l *Link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.byID.Delete(id) // want `deadlock: cmap.Map.mu is taken while a.Link.mu is held`
}

// One lock twice.
type Stack struct {
	mu sync.RWMutex
	s  []int
}

func (s *Stack) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.s)
}

func (s *Stack) Empty() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.Len() == 0 // want `taken for reading while it is held for reading already`
}

func (s *Stack) Push(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grow() // want `taken while the same goroutine holds it already`
	s.s = append(s.s, n)
}

func (s *Stack) grow() {
	s.mu.Lock()
	defer s.mu.Unlock()
}

// Two of one type.
type Acct struct {
	mu  sync.Mutex
	id  int
	sum int
}

func Move(from, to *Acct, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock() // want `two values of one type are locked in the order in which the caller gives them`
	defer to.mu.Unlock()
	from.sum -= n
	to.sum += n
}

// Near misses: an order by id, TryLock, an outer lock, another goroutine, one
// given back before the other is taken.

func Ordered(from, to *Acct, n int) {
	a, b := from, to
	if a.id > b.id {
		a, b = b, a
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
}

func Compared(from, to *Acct) {
	if from.id > to.id {
		return
	}
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
}

type Try struct{ a, b sync.Mutex }

func (t *Try) AB() {
	t.a.Lock()
	defer t.a.Unlock()
	t.b.Lock()
	defer t.b.Unlock()
}

func (t *Try) BA() bool {
	t.b.Lock()
	defer t.b.Unlock()
	if !t.a.TryLock() {
		return false
	}
	defer t.a.Unlock()
	return true
}

type Gate struct{ outer, a, b sync.Mutex }

func (g *Gate) AB() {
	g.outer.Lock()
	defer g.outer.Unlock()
	g.a.Lock()
	defer g.a.Unlock()
	g.b.Lock()
	defer g.b.Unlock()
}

func (g *Gate) BA() {
	g.outer.Lock()
	defer g.outer.Unlock()
	g.b.Lock()
	defer g.b.Unlock()
	g.a.Lock()
	defer g.a.Unlock()
}

type Apart struct{ a, b sync.Mutex }

func (x *Apart) AB() {
	x.a.Lock()
	defer x.a.Unlock()
	x.b.Lock()
	defer x.b.Unlock()
}

func (x *Apart) BA() {
	x.b.Lock()
	x.b.Unlock()
	x.a.Lock()
	x.a.Unlock()
}

func (x *Apart) Async() {
	x.b.Lock()
	defer x.b.Unlock()
	go func() {
		x.a.Lock()
		defer x.a.Unlock()
	}()
}

// A list of listeners, and a hook in a variable.
type Bus struct {
	mu   sync.Mutex
	subs []func()
}

func (b *Bus) Subscribe(f func()) {
	b.mu.Lock()
	b.subs = append(b.subs, f)
	b.mu.Unlock()
}

func (b *Bus) Publish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.subs {
		f() // want `deadlock: a.Reader.mu is taken while a.Bus.mu is held`
	}
}

type Reader struct {
	mu  sync.Mutex
	bus *Bus
}

func (r *Reader) Start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bus.Subscribe(r.refresh)
}

func (r *Reader) refresh() {
	r.mu.Lock()
	r.mu.Unlock()
}

var hook func()

type Hooked struct{ mu, log sync.Mutex }

func (h *Hooked) Install() { hook = h.write }

func (h *Hooked) write() {
	h.log.Lock()
	h.log.Unlock()
}

func (h *Hooked) Run() {
	h.mu.Lock()
	defer h.mu.Unlock()
	hook()
}

func (h *Hooked) Flush() {
	h.log.Lock()
	defer h.log.Unlock()
	h.mu.Lock() // want `deadlock: a.Hooked.mu is taken while a.Hooked.log is held`
	h.mu.Unlock()
}

type Bank struct{ accts map[string]*Acct }

func (b *Bank) Transfer(from, to string, n int) {
	f, t := b.accts[from], b.accts[to]
	f.mu.Lock()
	defer f.mu.Unlock()
	t.mu.Lock() // want `two values of one type are locked in the order in which the caller gives them`
	defer t.mu.Unlock()
	f.sum -= n
	t.sum += n
}

func (b *Bank) Sorted(from, to string) {
	if from > to {
		from, to = to, from
	}
	f, t := b.accts[from], b.accts[to]
	f.mu.Lock()
	defer f.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
}

func (a *Acct) Give(o *Acct, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o.take(n) // want `two values of one type are locked in the order in which the caller gives them`
}

func (a *Acct) take(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sum += n
}

// A timer, a closure that is handed out, a callee that gives the lock back.
type Cache struct {
	mu    sync.Mutex
	timer *time.Timer
	m     map[string]int
}

func (c *Cache) Add(k string) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(time.Second, func() {
		c.mu.Lock()
		delete(c.m, k)
		c.mu.Unlock()
	})
	return sync.OnceFunc(func() {
		c.mu.Lock()
		c.m[k] = 1
		c.mu.Unlock()
	})
}

func (c *Cache) Enter(k string) {
	c.mu.Lock()
	if c.m[k] == 0 {
		c.mu.Unlock()
		return
	}
	c.resetAndUnlock(k)
}

func (c *Cache) resetAndUnlock(k string) {
	c.m[k] = 0
	c.mu.Unlock()
	time.Sleep(time.Second)
	c.mu.Lock()
	c.m[k] = 1
	c.mu.Unlock()
}
