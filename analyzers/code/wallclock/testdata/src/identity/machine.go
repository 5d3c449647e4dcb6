package identity

import (
	"fmt"
	"strconv"
	"sync"
	"time"
)

type peer struct{ ID, Host, IP string }

type manager struct {
	mu    sync.Mutex
	peers map[string]*peer
}

func generatePeerID(host, ip string) string {
	return fmt.Sprintf("%s-%s-%d", host, ip, time.Now().UnixNano()) // want `the clock alone makes`
}

func (m *manager) register(host, ip string) *peer {
	p := &peer{generatePeerID(host, ip), host, ip}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.peers[p.ID] = p
	return p
}

func (p *peer) newTaskID() string {
	return p.Host + "-" + strconv.FormatInt(time.Now().UnixNano(), 36) // want `the clock alone makes`
}

func (p *peer) run(tasks map[string]func(), task func()) {
	tasks[p.newTaskID()] = task
}

// newWorkerID is asked for once by each worker, and names nothing here.
func newWorkerID(hostname string) string {
	return fmt.Sprintf("%s-%d", hostname, time.Now().UnixNano())
}

// newJobID has the name of the job in it.
func newJobID(host, job string) string {
	return fmt.Sprintf("%s-%s-%d", host, job, time.Now().UnixNano())
}

func (p *peer) start(jobs map[string]func(), name string, job func()) {
	jobs[newJobID(p.Host, name)] = job
}
