package a

import "sync"

// A part that points back at its whole.
type closing interface{ closed(*link) }

type link struct {
	owner closing
	dead  bool
}

func newLink(owner closing) *link { return &link{owner: owner} }

func (l *link) shut() {
	l.dead = true
	l.owner.closed(l)
}

type links struct {
	mu  sync.Mutex
	all map[*link]bool
}

func (p *links) open() *link { return newLink(p) }

func (p *links) closed(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, l)
}

func (p *links) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.all {
		l.shut() // want `deadlock: a.links.mu is taken by a callback while its caller holds it already`
	}
}

func (p *links) StopCopied() {
	p.mu.Lock()
	all := p.all
	p.all = nil
	p.mu.Unlock()
	for l := range all {
		l.shut()
	}
}

// A child locks itself, then its parent, which is another object of its type.
type counting interface{ count(int) }

type folder struct {
	mu     sync.Mutex
	n      int
	parent counting
}

func (f *folder) child() *folder { return &folder{parent: f} }

func (f *folder) count(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n += n
	if f.parent != nil {
		f.parent.count(n)
	}
}

// A function that is copied from a configuration into each worker.
type options struct{ send func(string) error }

type worker struct{ send func(string) error }

func (w *worker) run(s string) { w.send(s) } // want `deadlock: a.hub.mu is taken while a.workers.mu is held`

type workers struct {
	opts options
	mu   sync.RWMutex
	all  []*worker
}

func (w *workers) add() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, &worker{send: w.opts.send})
}

func (w *workers) each(s string) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, x := range w.all {
		x.run(s)
	}
}

func (w *workers) Copied(s string) {
	w.mu.RLock()
	all := append([]*worker(nil), w.all...)
	w.mu.RUnlock()
	for _, x := range all {
		x.run(s)
	}
}

type hub struct {
	mu      sync.Mutex
	peers   map[string]bool
	workers *workers
}

func newHub() *hub {
	h := &hub{peers: map[string]bool{}}
	h.workers = &workers{opts: options{send: h.sendTo}}
	return h
}

func (h *hub) sendTo(s string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.peers[s]
	return nil
}

func (h *hub) join(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.peers[s] = true
	h.workers.add()
}

// Listeners that look at what they listen to.
type level struct {
	mu    sync.Mutex
	n     int
	hooks []func(int)
}

func (g *level) OnChange(f func(int)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hooks = append(g.hooks, f)
}

func (g *level) Set(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n = n
	for _, f := range g.hooks {
		f(n) // want `deadlock: a.level.mu is taken by a callback while its caller holds it already`
	}
}

func (g *level) Get() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

func mirror(g *level, log func(int)) {
	g.OnChange(func(int) { log(g.Get()) })
}

// The listener looks at another object of the type.
type dial struct {
	mu    sync.Mutex
	n     int
	hooks []func(int)
}

func (d *dial) OnChange(f func(int)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hooks = append(d.hooks, f)
}

func (d *dial) Set(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n = n
	for _, f := range d.hooks {
		f(n)
	}
}

func follow(first, second *dial) {
	first.OnChange(func(n int) { second.Set(n) })
}
