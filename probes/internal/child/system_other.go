//go:build !unix

package child

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/ccheck/ccheck/probes/internal/guard"
)

type signal int

const (
	sigStop signal = iota
	sigContinue
	sigKill
)

func ownGroup() *syscall.SysProcAttr { return nil }

func sendGroup(pid int, sig signal) error {
	if sig != sigKill {
		return errors.New("this system has no signal that pauses a process")
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

func newGuard(int) (*guard.Guard, error) { return nil, nil }

func stopped(int) bool { return true }

// reader reads an output. It cannot look without waiting.
type reader struct {
	file *os.File
	last time.Time
	buf  []byte
}

func newReader(file *os.File) *reader {
	return &reader{file: file, last: time.Now(), buf: make([]byte, maxLine)}
}

func (r *reader) read(bool) (text []byte, after, by time.Time, err error) {
	n, err := r.file.Read(r.buf)
	after, r.last = r.last, time.Now()
	return r.buf[:n], after, r.last, err
}
