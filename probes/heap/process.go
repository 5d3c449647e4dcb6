package heap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/heap/endpoint"
	"github.com/ccheck/ccheck/probes/heap/node"
	"github.com/ccheck/ccheck/probes/heap/process"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// TargetError is what is wrong with a process that was named.
type TargetError struct{ Msg, Hint string }

func (e *TargetError) Error() string { return e.Msg }

// Process is a process that can be asked for snapshots.
type Process struct {
	Name   string // "pid 4121", "localhost:6060"
	Server string // "Node v20.20.2", "a Go process"
	PID    int    // 0 when it is not of this machine

	language series.Language
	session  *node.Session
	endpoint *endpoint.Endpoint
	info     node.Info
	near     bool // of this machine, by its address
}

// Open finds the process that target names: its number, the address of its
// net/http/pprof, or the ws:// or http:// address of its inspector. Close must be
// called.
func Open(ctx context.Context, target string) (*Process, error) {
	client := &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, Proxy: nil}}
	if pid, err := strconv.Atoi(target); err == nil {
		return openPID(ctx, client, pid)
	}
	u, err := url.Parse(target)
	if err == nil && u.Scheme == "" || err != nil && strings.HasPrefix(target, "localhost:") || err == nil && u.Opaque != "" {
		target = "http://" + target
		u, err = url.Parse(target)
	}
	if err != nil || u.Host == "" {
		return nil, &TargetError{"the process is named by its number, an http:// or a ws:// address", "such as 4121, http://localhost:6060 or ws://127.0.0.1:9229/…"}
	}
	switch u.Scheme {
	case "ws", "wss":
		return openNode(ctx, target, u.Host)
	case "http", "https":
		if ws, ok := node.Target(ctx, client, u.Scheme+"://"+u.Host); ok {
			return openNode(ctx, ws, u.Host)
		}
		p, _, err := openGo(ctx, client, target)
		return p, err
	}
	return nil, &TargetError{fmt.Sprintf("an address cannot begin with %s://", u.Scheme), "it takes http, https, ws and wss"}
}

func openPID(ctx context.Context, client *http.Client, pid int) (*Process, error) {
	kind, err := process.KindOf(pid)
	switch {
	case errors.Is(err, process.ErrGone):
		return nil, &TargetError{fmt.Sprintf("there is no process %d", pid), "name one that runs; on other systems than Linux name its address"}
	case errors.Is(err, process.ErrForeign):
		return nil, &TargetError{fmt.Sprintf("process %d runs neither Node nor a Go program", pid), "name the process itself and not a shell or npm that started it"}
	case err != nil:
		return nil, &TargetError{err.Error(), "run ccheck as the user of the process, or name its address"}
	}
	var p *Process
	if kind == process.Node {
		p, err = openNodePID(ctx, client, pid)
	} else {
		p, err = openGoPID(ctx, client, pid)
	}
	if err != nil {
		return nil, err
	}
	p.PID, p.Name = pid, "pid "+strconv.Itoa(pid)
	return p, nil
}

// openNodePID asks every port of the process for its inspector, and has the
// process open one when it has none.
func openNodePID(ctx context.Context, client *http.Client, pid int) (*Process, error) {
	for try := range 50 {
		ports, err := process.Ports(pid)
		if err != nil {
			return nil, &TargetError{err.Error(), "run ccheck as the user of the process, or name the address that node --inspect prints"}
		}
		for _, port := range ports {
			base := "http://127.0.0.1:" + strconv.Itoa(port)
			asking, cancel := context.WithTimeout(ctx, 2*time.Second)
			ws, ok := node.Target(asking, client, base)
			cancel()
			if ok {
				return openNode(ctx, ws, base)
			}
		}
		if try == 0 {
			if err := process.OpenInspector(pid); err != nil {
				return nil, &TargetError{err.Error(), "start the process with node --inspect"}
			}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil, &TargetError{fmt.Sprintf("process %d opens no inspector", pid), "port 9229 may be taken by another process: start it with node --inspect-port=0"}
}

func openNode(ctx context.Context, ws, name string) (*Process, error) {
	s, err := node.Dial(ctx, ws)
	if err != nil {
		return nil, targetError(err)
	}
	info, err := s.Info(ctx)
	if err != nil {
		s.Close()
		return nil, targetError(err)
	}
	p := &Process{Name: strings.TrimPrefix(name, "http://"), Server: "Node " + info.Version, language: series.V8, session: s, info: info}
	if u, err := url.Parse(ws); err == nil && loopback(u.Hostname()) {
		p.PID = info.PID
	}
	return p, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// openGoPID asks every port of the process for net/http/pprof. One of them may be a
// server that answers everything, so who answers must know its command line.
func openGoPID(ctx context.Context, client *http.Client, pid int) (*Process, error) {
	ports, err := process.Ports(pid)
	if err != nil {
		return nil, &TargetError{err.Error(), "run ccheck as the user of the process, or name the address of its net/http/pprof"}
	}
	_, own, _ := process.Settings(pid) // another user's process shows its ports no more than that
	for _, port := range ports {
		asking, cancel := context.WithTimeout(ctx, 5*time.Second)
		p, args, err := openGo(asking, client, "http://127.0.0.1:"+strconv.Itoa(port))
		cancel()
		if err == nil && (own == nil || slices.Equal(given(args), own)) {
			return p, nil
		}
	}
	return nil, &TargetError{fmt.Sprintf("process %d serves net/http/pprof at none of its ports on this machine", pid),
		`import _ "net/http/pprof" and start a server on http.DefaultServeMux, or name its address`}
}

// given are the arguments that say something.
func given(args []string) []string {
	return slices.DeleteFunc(args, func(arg string) bool { return arg == "" })
}

// openGo returns the process, and the command line that it says it has.
func openGo(ctx context.Context, client *http.Client, address string) (*Process, []string, error) {
	e, err := endpoint.New(client, address)
	if err != nil {
		return nil, nil, targetError(err)
	}
	args, err := e.Probe(ctx)
	if err != nil {
		return nil, nil, targetError(err)
	}
	p := &Process{Name: e.Host(), Server: "a Go process", language: series.Go, endpoint: e}
	if u, err := url.Parse(address); err == nil {
		p.near = loopback(u.Hostname())
	}
	return p, args, nil
}

// targetError gives errors of the packages below the shape of this one.
func targetError(err error) error {
	var n *node.Error
	var e *endpoint.Error
	switch {
	case errors.As(err, &n):
		return &TargetError{n.Msg, n.Hint}
	case errors.As(err, &e):
		return &TargetError{e.Msg, e.Hint}
	}
	return err
}

// Close ends the session.
func (p *Process) Close() {
	if p.session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = p.session.Forget(ctx) // the process may be gone
	p.session.Close()
}

// Cost is what a snapshot costs the process.
type Cost struct {
	Heap  int64         // bytes of it
	Needs int64         // bytes of memory beside it, while it is taken
	Stop  time.Duration // for which the event loop stands still, about
	process.Memory
}

// A snapshot of V8 needs about ten times the heap in memory and a second for 15
// MB, measured with Node 20 on heaps of 75 to 178 MB. Its manual says twice.
const (
	times     = 10
	perSecond = 15 << 20
)

// Cost says what a snapshot will cost.
func (p *Process) Cost() Cost {
	c := Cost{}
	if p.PID != 0 {
		c.Memory = process.MemoryOf(p.PID)
	}
	if p.language == series.V8 {
		c.Heap = p.info.Heap
		c.Needs = times * c.Heap
		c.Stop = time.Duration(float64(c.Heap) / perSecond * float64(time.Second)).Round(100 * time.Millisecond)
	}
	return c
}

// Refused is why no snapshot should be taken, "" when one can be.
func (c Cost) Refused() string {
	switch {
	case c.Needs == 0:
		return ""
	case c.Limit > 0 && c.Used+c.Needs > c.Limit:
		return fmt.Sprintf("a snapshot would need about %d MB beside the %d MB in use, and %s is %d MB: the process would be killed",
			c.Needs>>20, c.Used>>20, c.LimitName, c.Limit>>20)
	case c.Free > 0 && c.Needs > c.Free:
		return fmt.Sprintf("a snapshot would need about %d MB, and the machine has %d MB left", c.Needs>>20, c.Free>>20)
	}
	return ""
}
