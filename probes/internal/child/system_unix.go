//go:build unix

package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/ccheck/ccheck/probes/internal/guard"
)

type signal = syscall.Signal

const (
	sigStop     = syscall.SIGSTOP
	sigContinue = syscall.SIGCONT
	sigKill     = syscall.SIGKILL
)

// ownGroup makes the process the head of a group, so that a Ctrl-C on our
// terminal does not reach it and a pause reaches all that it starts.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func sendGroup(pid int, sig signal) error { return syscall.Kill(-pid, sig) }

// watch is the guard's script; $1 is the process group. A line lets it go.
const watch = `trap '' HUP INT QUIT TERM
read -r line && exit
kill -KILL -"$1"
`

func newGuard(group int) (*guard.Guard, error) {
	return guard.Start("a process", watch, ownGroup(), strconv.Itoa(group))
}

// stopped reports whether the kernel has stopped the process; a system that does
// not tell is believed.
func stopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return len(after) > 0 && after[0] == 'T'
}

// reader reads an output and notes when it was empty.
type reader struct {
	file  *os.File
	raw   syscall.RawConn
	empty time.Time
	buf   []byte
}

func newReader(file *os.File) *reader {
	raw, _ := file.SyscallConn() // a pipe of ours has one
	return &reader{file: file, raw: raw, empty: time.Now(), buf: make([]byte, maxLine)}
}

// read returns what was written, and when: not before after, and before by.
func (r *reader) read(fresh bool) (text []byte, after, by time.Time, err error) {
	for {
		n, err := r.look(fresh)
		switch {
		case err == nil:
			return r.buf[:n], r.empty, time.Now(), nil
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return nil, r.empty, time.Now(), err
		}
	}
}

// look waits a moment for output. A look that finds none moves the time on at
// which it was empty, unless the reader is within a line. The kernel is asked,
// since the poller says that time is up without having looked.
func (r *reader) look(fresh bool) (n int, err error) {
	if err := r.file.SetReadDeadline(time.Now().Add(look)); err != nil {
		return 0, err
	}
	var failed error
	err = r.raw.Read(func(fd uintptr) bool {
		asked := time.Now()
		n, failed = syscall.Read(int(fd), r.buf)
		for errors.Is(failed, syscall.EINTR) {
			n, failed = syscall.Read(int(fd), r.buf)
		}
		if errors.Is(failed, syscall.EAGAIN) {
			if fresh {
				r.empty = asked
			}
			return false
		}
		return true
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
