//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/wire"
)

// way is one way to the server, with what was measured on it.
type way struct {
	name    string
	port    int
	close   func()
	tps     []float64
	latency []float64 // medians in µs
	cpu     []float64 // of the proxy, µs for a transaction
	used    func() time.Duration
}

// ownTime is the CPU time of this process, which is the proxy's while pgbench runs.
func ownTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timeOf is the CPU time of another process, in ticks of 10 ms (proc(5)).
func timeOf(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] {
		n, _ := strconv.ParseInt(f, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func (l *lab) direct(context.Context) (*way, error) {
	return &way{name: "direct", port: int(l.server.Config().Port), close: func() {}, used: func() time.Duration { return 0 }}, nil
}

func (l *lab) plain(ctx context.Context) (*way, error) {
	return l.proxy(ctx, "ccheck", nil)
}

func (l *lab) recording(ctx context.Context) (*way, error) {
	w, err := history.Create(filepath.Join(l.dir, "run.jsonl"), history.Header{Start: time.Now()}, 0)
	if err != nil {
		return nil, err
	}
	return l.proxy(ctx, "ccheck, recording", w)
}

func (l *lab) proxy(ctx context.Context, name string, w *history.Writer) (*way, error) {
	p, err := wire.Listen(ctx, wire.Config{Upstream: l.server.Config(), History: w})
	if err != nil {
		return nil, err
	}
	return &way{name: name, port: p.Addr().Port, close: func() { _ = p.Close() }, used: ownTime}, nil
}

// bouncer is pgbouncer where every client gets a new session on the server, as
// on all other ways: a backend's first thousands of queries take longer, since
// each page of the buffers that it meets for the first time is a page fault.
func (l *lab) bouncer(ctx context.Context) (*way, error) {
	return l.pooler(ctx, "pgbouncer, session", "server_lifetime = 0\n")
}

// keeping is pgbouncer with sessions that clients of earlier runs have warmed.
func (l *lab) keeping(ctx context.Context) (*way, error) {
	return l.pooler(ctx, "pgbouncer, kept", "")
}

// pooler starts pgbouncer with what its manual gives as a minimum. It refuses to
// run as root.
func (l *lab) pooler(ctx context.Context, name, more string) (*way, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	cfg := l.server.Config()
	dir, err := os.MkdirTemp("", "ccheck-bench-")
	if err != nil {
		return nil, err
	}
	users, ini := filepath.Join(dir, "users"), filepath.Join(dir, "ini")
	text := fmt.Sprintf("[databases]\n%s = host=127.0.0.1 port=%d dbname=%s user=%s password=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\n"+
		"auth_type = trust\nauth_file = %s\npool_mode = session\nmax_client_conn = 200\ndefault_pool_size = 100\nunix_socket_dir =\nlog_connections = 0\nlog_disconnections = 0\n%s",
		cfg.Database, cfg.Port, cfg.Database, cfg.User, cfg.Password, port, users, more)
	err = errors.Join(os.WriteFile(ini, []byte(text), 0o600), os.WriteFile(users, fmt.Appendf(nil, "%q \"\"\n", cfg.User), 0o600))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, l.pgbouncer, "-q", ini)
	if err := asNobody(cmd, dir, ini, users); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting pgbouncer (Debian's package is pgbouncer): %w", err)
	}
	w := &way{name: name, port: port, used: func() time.Duration { return timeOf(cmd.Process.Pid) }, close: func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		os.RemoveAll(dir)
	}}
	if err := await(port); err != nil {
		w.close()
		return nil, fmt.Errorf("starting pgbouncer: %w", err)
	}
	return w, nil
}

// asNobody has the program run as the user postgres when we are root.
func asNobody(cmd *exec.Cmd, files ...string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Chown(f, uid, gid); err != nil {
			return err
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func await(port int) error {
	var err error
	for range 100 {
		var nc net.Conn
		if nc, err = net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return nc.Close()
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}
