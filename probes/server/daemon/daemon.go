// Package daemon runs a throw-away server that is one process and one
// directory, such as Redis or etcd, for labs and tests. The server is private
// (its own directory, loopback), never runs as root, and dies with the process
// that started it, even when that one is killed by SIGKILL.
//
// PostgreSQL has children, shared memory and replicas and is not started here
// but by package postgres. Only the other packages below probes/server import
// this one: it knows no protocol.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ccheck/ccheck/probes/internal/guard"
	"github.com/ccheck/ccheck/probes/server/internal/system"
)

const (
	host       = "127.0.0.1"
	startLimit = 30 * time.Second
	pollEvery  = 10 * time.Millisecond
	portTries  = 5
	logLimit   = 1 << 16
)

// Program is what to run.
type Program struct {
	Name string // for people, and in the name of the directory: "redis"
	Path string // of the executable
	// Ports is how many ports it needs, at least 1; the first is the clients'.
	Ports int
	// Args are the arguments for a directory and its ports. It may write files
	// into the directory, which the server's user will own.
	Args func(dir string, ports []int) ([]string, error)
	// Ready asks the server at host:port whether it serves.
	Ready func(ctx context.Context, address string) error
}

// Daemon is a running server. Its methods may be called from several goroutines.
type Daemon struct {
	program Program
	account system.Account
	dir     string
	ports   []int
	guard   *guard.Guard
	owner   *os.File // locked as long as we live

	mu      sync.Mutex
	process *process
	stopped bool
}

// process is one life of the server.
type process struct {
	cmd  *osexec.Cmd
	done chan struct{} // closed when it was reaped
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Start runs the program and returns when it serves. The context bounds the
// start only. On error nothing is left behind.
func Start(ctx context.Context, p Program) (*Daemon, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	var err error
	for range portTries {
		var d *Daemon
		if d, err = furnish(p); err != nil {
			return nil, err
		}
		if err = d.launch(ctx); err == nil {
			return d, nil
		}
		busy := strings.Contains(d.log(), "in use")
		err = errors.Join(err, d.Stop(context.WithoutCancel(ctx)))
		if !busy { // else somebody took the port between our look and its bind
			break
		}
	}
	return nil, err
}

// furnish makes the directory, and sets a guard over it.
func furnish(p Program) (*Daemon, error) {
	a, err := findAccount()
	if err != nil {
		return nil, err
	}
	d := &Daemon{program: p, account: a}
	if d.ports, err = freePorts(p.Ports); err != nil {
		return nil, err
	}
	if d.dir, err = os.MkdirTemp("", prefix(p.Name)); err != nil {
		return nil, fmt.Errorf("making a directory for a throw-away %s: %w; point TMPDIR at one that can be written to", p.Name, err)
	}
	if err := errors.Join(os.Mkdir(d.data(), 0o700), a.Give(d.data()), a.Give(d.dir)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(d.dir))
	}
	if d.owner, err = own(d.dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(d.dir))
	}
	if d.guard, err = newGuard(d.dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(d.dir), d.owner.Close())
	}
	return d, nil
}

// freePorts asks the system for loopback ports that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp4", host+":0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port on %s: %w", host, err)
		}
		defer l.Close() // after the last one was found, so that all differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func (d *Daemon) data() string { return filepath.Join(d.dir, "data") }

// launch runs the program and waits until it serves.
func (d *Daemon) launch(ctx context.Context) error {
	args, err := d.program.Args(d.data(), d.ports)
	if err != nil {
		return fmt.Errorf("preparing a throw-away %s: %w", d.program.Name, err)
	}
	if err := d.account.GiveAll(d.data()); err != nil {
		return fmt.Errorf("preparing a throw-away %s: %w", d.program.Name, err)
	}
	out, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log of a throw-away %s: %w", d.program.Name, err)
	}
	defer out.Close()
	cmd := osexec.Command(d.program.Path, args...)
	cmd.Dir, cmd.Env = d.data(), []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "HOME=" + d.data()}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = out, out, d.account.Attributes()
	if err := start(d.guard, cmd); err != nil {
		return fmt.Errorf("starting %s: %w", d.program.Path, err)
	}
	if err := d.name(cmd.Process.Pid); err != nil {
		return errors.Join(err, system.Send(cmd.Process.Pid, system.Kill), cmd.Wait())
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	d.mu.Lock()
	d.process = p
	d.mu.Unlock()
	return d.await(ctx, p)
}

func (d *Daemon) await(ctx context.Context, p *process) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := d.program.Ready(ctx, d.Address())
		if err == nil && !p.ended() {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("a throw-away %s ended as it started; its last words:\n%s", d.program.Name, d.log())
		case <-ctx.Done():
			return fmt.Errorf("waiting for a throw-away %s: %w; its last words:\n%s", d.program.Name, errors.Join(ctx.Err(), err), d.log())
		case <-tick.C:
		}
	}
}

// log is the end of what the server said, indented.
func (d *Daemon) log() string {
	f, err := os.Open(filepath.Join(d.dir, "log"))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, logLimit)) // what could be read is shown
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-6):], "\n  ")
}

// Address is host:port of the clients' port.
func (d *Daemon) Address() string { return net.JoinHostPort(host, strconv.Itoa(d.ports[0])) }

// Dir is the server's own directory, which goes away with Stop.
func (d *Daemon) Dir() string { return d.dir }

// PID is the process, 0 when it does not run.
func (d *Daemon) PID() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.process == nil || d.process.ended() {
		return 0
	}
	return d.process.cmd.Process.Pid
}

// Pause stops the process as a machine that hangs does (SIGSTOP); Resume lets
// it go on.
func (d *Daemon) Pause() error { return d.signal(system.Stop) }

// Resume ends a Pause.
func (d *Daemon) Resume() error { return d.signal(system.Continue) }

func (d *Daemon) signal(sig syscall.Signal) error {
	if pid := d.PID(); pid != 0 {
		return system.Send(pid, sig)
	}
	return fmt.Errorf("the throw-away %s does not run", d.program.Name)
}

// Kill ends the process by SIGKILL and waits for its end.
func (d *Daemon) Kill(ctx context.Context) error {
	d.mu.Lock()
	p := d.process
	d.mu.Unlock()
	if p == nil || p.ended() {
		return nil
	}
	if err := system.Send(p.cmd.Process.Pid, system.Kill); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the end of a throw-away %s: %w", d.program.Name, ctx.Err())
	}
}

// Restart kills the server, if it runs, and starts it on what it left on disk.
func (d *Daemon) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := d.Kill(ctx); err != nil {
		return err
	}
	return d.launch(ctx)
}

// Stop ends the server and removes everything. A second Stop does nothing.
func (d *Daemon) Stop(ctx context.Context) error {
	d.mu.Lock()
	stopped := d.stopped
	d.stopped = true
	d.mu.Unlock()
	if stopped {
		return nil
	}
	err := d.Kill(ctx)
	return errors.Join(err, os.RemoveAll(d.dir), d.guard.Close(), d.owner.Close())
}
