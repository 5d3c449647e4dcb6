//go:build unix

package pg

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// direct is a socket whose reads and writes are system calls that block a
// thread, past Go's network poller: an owner that waits for one answer at a
// time is woken sooner. With many lanes the poller is better on an idle
// machine, since it wakes several of them at once. TLS stays with net.
type direct struct {
	file *os.File
	fd   int
}

// newDirect takes the socket over, or returns false and leaves it alone.
func newDirect(nc net.Conn) (transport, bool) {
	f, ok := nc.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, false
	}
	file, err := f.File()
	if err != nil {
		return nil, false
	}
	fd := int(file.Fd())
	if err := syscall.SetNonblock(fd, false); err != nil {
		file.Close()
		return nil, false
	}
	nc.Close() // file is another descriptor of the same socket
	return &direct{file, fd}, true
}

func (d *direct) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(d.fd, p)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (d *direct) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := syscall.Write(d.fd, p[done:])
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return done, os.NewSyscallError("write", err)
		}
		done += n
	}
	return done, nil
}

// Interrupt ends a read or write that waits, and all that follow.
func (d *direct) Interrupt() { _ = syscall.Shutdown(d.fd, syscall.SHUT_RDWR) }

func (d *direct) Close() error {
	d.Interrupt()
	return d.file.Close()
}
