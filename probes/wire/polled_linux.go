package wire

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// turn is the number of reads after which a direction lets others run.
const turn = 16

// polled is a socket that the engine reads and writes without waiting.
type polled struct {
	net.Conn // the one it was; closed
	fd       int
	dry      bool // nothing to read until the next event
	full     bool // no room to write until the next event
	hup      bool // the other end has closed: read on to the end of the data
	reads    int  // in this turn
	tired    bool // the turn is over and there may be more

	mu   sync.Mutex
	gone bool
}

// newPolled takes a TCP or Unix socket out of Go's poller, and returns nil for
// anything else.
func newPolled(nc net.Conn) *polled {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	fd := -1
	err = raw.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil || fd < 0 {
		return nil
	}
	return &polled{Conn: nc, fd: fd}
}

func (p *polled) Read(b []byte) (int, error) {
	if p.dry || p.reads >= turn {
		p.tired = !p.dry
		return 0, errAgain
	}
	p.reads++
	for {
		n, err := rawRead(p.fd, b)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			p.dry = true
			return 0, errAgain
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		}
		// Less than there was room for is all there is (epoll(7), question 9);
		// only the end of the stream has to be read for.
		p.dry = n < len(b) && !p.hup
		return n, nil
	}
}

func (p *polled) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		n, err := rawWrite(p.fd, b[done:])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			p.full = true
			return done, errAgain
		case err != nil:
			return done, os.NewSyscallError("write", err)
		}
		done += n
	}
	return done, nil
}

// CloseWrite tells the other end that nothing more comes.
func (p *polled) CloseWrite() error { return p.shutdown(unix.SHUT_WR) }

// Close may be called from any goroutine; the engine notices and lets go.
func (p *polled) Close() error { return p.shutdown(unix.SHUT_RDWR) }

func (p *polled) shutdown(how int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return net.ErrClosed
	}
	return unix.Shutdown(p.fd, how)
}

// release gives the descriptor back.
func (p *polled) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.gone = true
		_ = unix.Close(p.fd)
	}
}
