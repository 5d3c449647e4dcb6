package liveness

import (
	"encoding/json"
	"sync"
	"time"
)

const silence = 10 * time.Second

type Member struct {
	Name     string    `json:"name"`
	LastSeen time.Time `json:"last_seen"`
	Beat     int64     `json:"beat"`
	Joined   time.Time `json:"joined"`
}

func hello(name string) ([]byte, error) {
	return json.Marshal(Member{Name: name, LastSeen: time.Now(), Joined: time.Now()})
}

func living(b []byte) (out []Member, err error) {
	var all []Member
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	for _, m := range all {
		if time.Since(m.LastSeen) < silence { // want `whether a peer lives is told by comparing the stamp`
			out = append(out, m)
		}
	}
	return out, nil
}

func dead(m *Member) bool {
	return m.LastSeen.Add(silence).Before(time.Now()) // want `whether a peer lives is told by comparing the stamp`
}

type Node struct {
	Heartbeat int64 `msgpack:"heartbeat"`
}

func (n *Node) beat() { n.Heartbeat = time.Now().Unix() }

func read(b []byte) (*Node, error) {
	n := new(Node)
	return n, json.Unmarshal(b, n)
}

func stale(n *Node) bool {
	return n.Heartbeat < time.Now().Add(-silence).Unix() // want `whether a peer lives is told by comparing the stamp`
}

// Near misses: the stamp is compared with the last one; this process took the time;
// a time that is no sign of life.

func moved(m Member, before map[string]time.Time) bool {
	return !m.LastSeen.Equal(before[m.Name])
}

type table struct {
	mu   sync.Mutex
	seen map[string]*entry
}

type entry struct{ lastSeen time.Time }

func (t *table) touch(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen[name].lastSeen = time.Now()
}

func (t *table) gone(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.seen[name].lastSeen) > silence
}

func old(m Member) bool { return time.Since(m.Joined) > time.Hour }
