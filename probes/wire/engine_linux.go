package wire

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// engine carries the bytes of many connections in one thread that waits in
// epoll. A proxy adds its own wake-ups to every round trip; a goroutine for each
// direction costs two passes through Go's scheduler there, which more than
// doubled what a round trip took. Gates and faults make a direction wait, so
// their connections have goroutines.
type engine struct {
	fd    int  // of epoll
	stop  int  // an eventfd
	alone bool // Go has one processor

	mu    sync.Mutex
	flows map[int32]*joint // by descriptor
	again []*joint         // had their turn and have more to do
	ended chan struct{}
}

// joint is one connection on the engine.
type joint struct {
	c              *Conn
	client, server *polled
	front, back    func() error
	begun          bool // bytes that came before the engine took over were looked at
	left           bool // the front has ended, and the answers may come
	queued         bool
	done           chan error
}

// newEngine starts the thread, and returns nil when the system refuses.
func newEngine() *engine {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(fd)
		return nil
	}
	e := &engine{fd: fd, stop: stop, alone: runtime.GOMAXPROCS(0) == 1, flows: map[int32]*joint{}, ended: make(chan struct{})}
	if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, stop, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(stop)}); err != nil {
		unix.Close(fd)
		unix.Close(stop)
		return nil
	}
	go e.run()
	return e
}

// close ends the thread. No connection is left on it.
func (e *engine) close() {
	if e == nil {
		return
	}
	select {
	case <-e.ended:
		return
	default:
	}
	_, _ = unix.Write(e.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	<-e.ended
}

// join takes a connection over. Its end comes on the channel, which is nil when
// the connection is not of a kind that the engine can carry.
func (e *engine) join(c *Conn, front, back func() error) <-chan error {
	client, server := newPolled(c.client.nc), newPolled(c.server.nc)
	if client == nil || server == nil {
		for _, p := range []*polled{client, server} {
			if p != nil {
				p.release()
			}
		}
		return nil
	}
	client.Conn.Close()
	server.Conn.Close()
	j := &joint{c: c, client: client, server: server, front: front, back: back, done: make(chan error, 1)}
	c.mu.Lock()
	c.client.nc, c.client.in.src = client, client
	c.server.nc, c.server.in.src = server, server
	c.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.flows[int32(client.fd)], e.flows[int32(server.fd)] = j, j
	for _, p := range []*polled{client, server} {
		err := unix.EpollCtl(e.fd, unix.EPOLL_CTL_ADD, p.fd, &unix.EpollEvent{
			Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(p.fd)})
		if err != nil {
			e.drop(j, fmt.Errorf("watching a connection: %w", err))
			break
		}
	}
	return j.done
}

// run is the thread.
func (e *engine) run() {
	defer close(e.ended)
	runtime.LockOSThread() // for good: the thread ends with the goroutine
	giveWay()
	defer unix.Close(e.fd)
	defer unix.Close(e.stop)
	events := make([]unix.EpollEvent, 128)
	for {
		n, err := e.wait(events)
		if err != nil && !errors.Is(err, unix.EINTR) {
			e.fail(err)
			return
		}
		for _, ev := range events[:max(n, 0)] {
			if ev.Fd == int32(e.stop) {
				return
			}
			e.wake(ev)
		}
		e.resume()
	}
}

// wait returns what has happened. Under load something does within a moment, for
// which the processor is kept; where it is the only one, others need it.
func (e *engine) wait(events []unix.EpollEvent) (int, error) {
	if len(e.again) > 0 {
		return rawWait(e.fd, events, 0)
	}
	if !e.alone {
		if n, err := rawWait(e.fd, events, brief); n != 0 || err != nil {
			return n, err
		}
	}
	return unix.EpollWait(e.fd, events, -1)
}

// wake runs the directions that an event concerns.
func (e *engine) wake(ev unix.EpollEvent) {
	e.mu.Lock()
	j := e.flows[ev.Fd]
	e.mu.Unlock()
	if j == nil {
		return
	}
	if !j.begun {
		j.begun = true // an event comes at once, since there is room to write
		e.step(j, j.client)
		e.step(j, j.server)
	}
	p, other := j.client, j.server
	if ev.Fd == int32(j.server.fd) {
		p, other = other, p
	}
	read := ev.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
	write := p.full && ev.Events&unix.EPOLLOUT != 0
	if read {
		p.dry = false
		p.hup = p.hup || ev.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
	}
	if write {
		p.full = false
	}
	// What comes from p goes to the other side, and what comes from there waits
	// for room in p.
	if read {
		e.step(j, p)
	}
	if write {
		e.step(j, other)
	}
}

// resume gives another turn to those that had more to do.
func (e *engine) resume() {
	again := e.again
	e.again = nil
	for _, j := range again {
		j.queued = false
		e.step(j, j.client)
		e.step(j, j.server)
	}
}

// step runs the direction that reads from p until it has to wait.
func (e *engine) step(j *joint, p *polled) {
	if p.gone || p == j.client && j.left {
		return
	}
	p.reads, p.tired = 0, false
	run := j.back
	if p == j.client {
		run = j.front
	}
	err := run()
	switch {
	case errors.Is(err, errAgain):
		if p.tired && !j.queued {
			j.queued = true
			e.again = append(e.again, j)
		}
	case err == nil && p == j.client:
		j.left = true
	default:
		e.mu.Lock()
		e.drop(j, err)
		e.mu.Unlock()
	}
}

// drop ends a connection.
func (e *engine) drop(j *joint, err error) {
	if j.client.gone {
		return
	}
	delete(e.flows, int32(j.client.fd))
	delete(e.flows, int32(j.server.fd))
	j.client.release()
	j.server.release()
	j.done <- err
}

// fail ends all connections, since nothing will wake them any more.
func (e *engine) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range e.flows {
		e.drop(j, fmt.Errorf("waiting for the connections: %w", err))
	}
}
