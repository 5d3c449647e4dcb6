package a

import (
	"crypto/rand"
	"net/http"
	"sync"
)

type overlay struct {
	mu        sync.Mutex
	instances map[string]func([]byte) bool
	done      map[string]bool
	alive     map[string]int
	dead      map[string]bool
	opened    map[uint32]*link
	reset     map[uint32]struct{}
	sessions  sync.Map
}

func newOverlay(nodes []string) *overlay {
	o := &overlay{alive: map[string]int{}, dead: map[string]bool{}}
	for _, n := range nodes {
		o.alive[n] = 1
	}
	return o
}

// What is over goes from one map into the other, which keeps it.
func (o *overlay) finish(name string) {
	delete(o.instances, name)
	o.done[name] = true // want `the field done only grows`
}

// Receive handles a message for an instance, which it makes when there is none.
func (o *overlay) Receive(name string, msg []byte, create func() func([]byte) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done[name] {
		return
	}
	in := o.instances[name]
	if in == nil {
		in = create()
		o.instances[name] = in
	}
	if in(msg) {
		o.finish(name)
	}
}

// There are as many nodes as were configured.
func (o *overlay) Fail(node string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.alive, node)
	o.dead[node] = true
}

// Open begins a stream.
func (o *overlay) Open(id uint32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened[id] = &link{}
}

func (o *overlay) drop(id uint32) { delete(o.opened, id) }

// Reset takes it out by a helper.
func (o *overlay) Reset(id uint32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop(id)
	o.reset[id] = struct{}{} // want `the field reset only grows`
}

// Whoever calls this makes the name.
func (o *overlay) add(id, user string) {
	o.sessions.Store(id, user) // want `the field sessions only grows: HTTP handlers add to it`
}

func (o *overlay) begin(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	o.add(id, r.Header.Get("X-User"))
	w.Header().Set("Session-Id", id)
}

func overlayRoutes() { http.HandleFunc("/begin", newOverlay(nil).begin) }
