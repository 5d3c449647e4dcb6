package a

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Tally is reported by one method, and set back by another.
type Tally struct {
	mu    sync.Mutex
	count int
	sink  func(int) error
}

func (t *Tally) Inc()     { t.mu.Lock(); t.count++; t.mu.Unlock() }
func (t *Tally) sum() int { t.mu.Lock(); defer t.mu.Unlock(); return t.count }
func (t *Tally) reset()   { t.mu.Lock(); defer t.mu.Unlock(); t.count = 0 }

func (t *Tally) Report() error {
	if err := t.sink(t.sum()); err != nil {
		return err
	}
	t.reset() // want `lost update: Tally.count is read, handed on`
	return nil
}

// Clicks are counted without a lock.
type Clicks struct {
	n    atomic.Int64
	sink func(int64)
}

func (c *Clicks) Inc() { c.n.Add(1) }

func (c *Clicks) Report() {
	c.sink(c.n.Load())
	c.n.Store(0) // want `lost update: Clicks.n is read, handed on`
}

func (c *Clicks) Swap() { c.sink(c.n.Swap(0)) }

// Visits are copied entry by entry, and the map is replaced.
type Visits struct {
	mu   sync.RWMutex
	seen map[string]int
	sink func(map[string]int)
}

func (v *Visits) Hit(k string) { v.mu.Lock(); v.seen[k]++; v.mu.Unlock() }

func (v *Visits) Flush() {
	out := map[string]int{}
	v.mu.RLock()
	for k, n := range v.seen {
		out[k] = n
	}
	v.mu.RUnlock()
	v.sink(out)
	v.mu.Lock()
	v.seen = make(map[string]int) // want `lost update: Visits.seen is read, handed on`
	v.mu.Unlock()
}

// Lines are taken over whole, or cut off as far as they are written.
type Lines struct {
	mu   sync.Mutex
	buf  []string
	sink func([]string) error
}

func (l *Lines) Add(s string) { l.mu.Lock(); defer l.mu.Unlock(); l.buf = append(l.buf, s) }

func (l *Lines) Flush() error {
	l.mu.Lock()
	all := l.buf
	l.buf = nil
	l.mu.Unlock()
	return l.sink(all)
}

func (l *Lines) Write() error {
	l.mu.Lock()
	all := append([]string(nil), l.buf...)
	l.mu.Unlock()
	if err := l.sink(all); err != nil {
		return err
	}
	l.mu.Lock()
	l.buf = l.buf[len(all):]
	l.mu.Unlock()
	return nil
}

// Peer has one connection, to which nobody adds.
type Peer struct {
	mu   sync.Mutex
	conn *time.Timer
	bye  func(*time.Timer)
}

func (p *Peer) Set(c *time.Timer) { p.mu.Lock(); p.conn = c; p.mu.Unlock() }

func (p *Peer) Close() {
	p.mu.Lock()
	c := p.conn
	p.mu.Unlock()
	p.bye(c)
	p.mu.Lock()
	p.conn = nil
	p.mu.Unlock()
}

// Bytes are asked for together with what there is, and Spill waits until there is room.
type Bytes struct {
	used atomic.Int64
	max  int64
}

func (b *Bytes) Reserve(n int64) bool {
	if b.used.Load()+n > b.max {
		return false
	}
	b.used.Add(n) // want `check then act: Bytes.used is compared with a limit`
	return true
}

func (b *Bytes) Spill(n int64) {
	for b.used.Load()+n > b.max {
		time.Sleep(time.Millisecond)
	}
	b.used.Add(n)
}

// Draft is saved by who names the version, which is looked at too early.
type Draft struct {
	mu      sync.Mutex
	version int
	text    string
}

func (d *Draft) Version() int { d.mu.Lock(); defer d.mu.Unlock(); return d.version }

func (d *Draft) set(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = text
	d.version++
}

func (d *Draft) Save(version int, text string) error {
	if d.Version() != version {
		return errors.New("conflict")
	}
	d.set(text) // want `check then act: Draft.version decides`
	return nil
}

func (d *Draft) Swap(version int, text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.version != version {
		return errors.New("conflict")
	}
	d.text = text
	d.version++
	return nil
}

// Pulse remembers when it was heard last, as a number.
type Pulse struct{ last atomic.Int64 }

func (p *Pulse) Beat(f func()) {
	now := time.Now().Unix()
	if p.last.Load() > now-60 {
		return
	}
	p.last.Store(now) // want `check then act: Pulse.last decides`
	f()
}

func (p *Pulse) Once(f func()) {
	now, last := time.Now().Unix(), p.last.Load()
	if last > now-60 || !p.last.CompareAndSwap(last, now) {
		return
	}
	f()
}

// Plan is read at most once, which its lock alone does not make so.
type Plan struct {
	cur   atomic.Pointer[tenure]
	mu    sync.Mutex
	reads int
	onNew func(*tenure)
	fetch func() (*tenure, error)
}

func (p *Plan) Get() (*tenure, error) {
	if t := p.cur.Load(); t != nil {
		return t, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t, err := p.fetch()
	if err != nil {
		return nil, err
	}
	p.reads++
	p.cur.Store(t) // want `check then act: Plan.cur decides`
	return t, nil
}

func (p *Plan) Told() (*tenure, error) {
	if t := p.cur.Load(); t != nil {
		return t, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t, err := p.fetch()
	if err != nil {
		return nil, err
	}
	p.onNew(t)
	p.cur.Store(t) // want `check then act: Plan.cur decides`
	return t, nil
}

func (p *Plan) Again() (*tenure, error) {
	if t := p.cur.Load(); t != nil {
		return t, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.cur.Load(); t != nil {
		return t, nil
	}
	t, err := p.fetch()
	if err != nil {
		return nil, err
	}
	p.reads++
	p.cur.Store(t)
	return t, nil
}

// Fill wastes a read when two come at once, and loses nothing.
func (p *Plan) Fill() (*tenure, error) {
	if t := p.cur.Load(); t != nil {
		return t, nil
	}
	t, err := p.fetch()
	if err != nil {
		return nil, err
	}
	p.cur.Store(t)
	return t, nil
}

// Shelf numbers what it gets by what it has.
type Shelf struct {
	mu    sync.RWMutex
	books map[int]string
	last  int
}

func (s *Shelf) next() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	highest := 0
	for n := range s.books {
		highest = max(highest, n)
	}
	return highest + 1
}

func (s *Shelf) size() int { s.mu.RLock(); defer s.mu.RUnlock(); return len(s.books) }

func (s *Shelf) Add(title string) int {
	n := s.next()
	s.mu.Lock()
	s.books[n] = title // want `one number twice`
	s.mu.Unlock()
	return n
}

func (s *Shelf) Append(title string) {
	n := s.size() + 1
	s.mu.Lock()
	s.books[n] = title // want `one number twice`
	s.mu.Unlock()
}

func (s *Shelf) Together(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books[len(s.books)+1] = title
}

func (s *Shelf) Counted(title string) {
	s.mu.Lock()
	s.last++
	n := s.last
	s.mu.Unlock()
	s.mu.Lock()
	s.books[n] = title
	s.mu.Unlock()
}

func (s *Shelf) Tried(title string) bool {
	n := s.size() + 1
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.books[n]; taken {
		return false
	}
	s.books[n] = title
	return true
}

// Votes find or put a first one, and store the next over it.
type Votes struct{ m sync.Map }

func (v *Votes) Cast(name string) {
	n, _ := v.m.LoadOrStore(name, 0)
	v.m.Store(name, n.(int)+1) // want `lost update: Votes.m is read`
}

func (v *Votes) Add(name string) {
	n, _ := v.m.LoadOrStore(name, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func (v *Votes) Swap(name string) {
	for {
		n, _ := v.m.LoadOrStore(name, 0)
		if v.m.CompareAndSwap(name, n, n.(int)+1) {
			return
		}
	}
}

// Sender hands on what waits, and drops it when it begins anew.
type Sender struct {
	mu      sync.Mutex
	waiting []string
	send    func([]string) error
	again   chan struct{}
	wake    chan struct{}
}

func (s *Sender) Ask(name string) { s.mu.Lock(); s.waiting = append(s.waiting, name); s.mu.Unlock() }

func (s *Sender) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = nil
}

func (s *Sender) Run() {
	for {
		select {
		case <-s.again:
			s.begin()
		case <-s.wake:
			s.mu.Lock()
			if err := s.send(s.waiting); err != nil {
				s.waiting = nil
				s.mu.Unlock()
				return
			}
			s.waiting = nil
			s.mu.Unlock()
		}
	}
}

// Answers are fetched under a lock that was taken for it, and not looked for again.
type Answers struct {
	mu   sync.RWMutex
	have map[string]*tenure
	ask  asker
}

type asker interface {
	Ask(name string) (*tenure, error)
}

func (a *Answers) find(name string) (*tenure, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	t, ok := a.have[name]
	return t, ok
}

func (a *Answers) Get(name string) (*tenure, error) {
	if t, ok := a.find(name); ok {
		return t, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	t, err := a.ask.Ask(name)
	if err != nil {
		return nil, err
	}
	a.have[name] = t // want `check then act: Answers.have has no entry`
	return t, nil
}

// Fill asks without the lock: two that ask at once get the same, and nobody waits.
func (a *Answers) Fill(name string) (*tenure, error) {
	if t, ok := a.find(name); ok {
		return t, nil
	}
	t, err := a.ask.Ask(name)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.have[name] = t
	return t, nil
}

func (a *Answers) Again(name string) (*tenure, error) {
	if t, ok := a.find(name); ok {
		return t, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if t, ok := a.have[name]; ok {
		return t, nil
	}
	t, err := a.ask.Ask(name)
	if err != nil {
		return nil, err
	}
	a.have[name] = t
	return t, nil
}
