// Package process leases by a command of the user's: one process for each owner,
// a line on its standard input for each call, a line on its standard output for
// each answer. The owner is paused by SIGSTOP to its process group.
//
// The protocol is in the documentation of the probe (package lease).
package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lease"
)

const (
	maxLine   = 1 << 16
	goodbye   = 2 * time.Second // for a process to end after its input has
	keptError = 4 << 10         // bytes of its standard error
)

// Backend is the command. Its environment is ours, with CCHECK_OWNER.
func Backend(environ, command []string) (*lease.Backend, error) {
	if len(command) == 0 {
		return nil, &lease.SetupError{Msg: "no command was named to lease by", Hint: "write it behind two dashes: ccheck lease --backend exec -- ./worker --leases"}
	}
	if _, err := osexec.LookPath(command[0]); err != nil {
		return nil, &lease.SetupError{Msg: fmt.Sprintf("%s cannot be run: %v", strconv.Quote(command[0]), errors.Unwrap(err)), Hint: "name a program of PATH or the path of one", Err: err}
	}
	b := &lease.Backend{
		Target: history.Target{Kind: "exec", Address: filepath.Base(command[0])},
		Open: func(ctx context.Context, o lease.Owner) (lease.Client, error) {
			return start(append(environ, "CCHECK_OWNER="+o.Name), command, o.Name)
		},
	}
	for _, call := range []string{"acquire", "renew", "release", "write", "read"} {
		b.Calls = append(b.Calls, history.Actor{Name: call})
	}
	return b, nil
}

// Client is the process of one owner.
type Client struct {
	owner string
	cmd   *osexec.Cmd
	in    io.WriteCloser
	lines chan string // closed when its output has ended
	ended chan struct{}
	said  tail
}

func start(environ, command []string, owner string) (*Client, error) {
	c := &Client{owner: owner, cmd: osexec.Command(command[0], command[1:]...), lines: make(chan string, 1), ended: make(chan struct{})}
	c.cmd.Env, c.cmd.Stderr, c.cmd.SysProcAttr = environ, &c.said, ownGroup()
	c.cmd.WaitDelay = goodbye
	in, err1 := c.cmd.StdinPipe()
	out, err2 := c.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, c.cmd.Start()); err != nil {
		return nil, fmt.Errorf("starting owner %s: %w", owner, err)
	}
	c.in = in
	go c.listen(out)
	return c, nil
}

// listen hands the lines of the process over, one for each call.
func (c *Client) listen(out io.Reader) {
	s := bufio.NewScanner(out)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		c.lines <- s.Text()
	}
	close(c.lines)
	_ = c.cmd.Wait() // how it ended matters to nobody
	close(c.ended)
}

// ask sends a call and reads its answer: a word, and what follows it.
func (c *Client) ask(ctx context.Context, refusal error, words ...string) (string, error) {
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\r\n") {
			return "", fmt.Errorf("%q cannot be a word of a line", w)
		}
	}
	if _, err := io.WriteString(c.in, strings.Join(words, " ")+"\n"); err != nil {
		return "", c.died(err)
	}
	select {
	case line, ok := <-c.lines:
		if !ok {
			return "", c.died(io.ErrUnexpectedEOF)
		}
		return Parse(line, refusal)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// died tells of the end with the last words of the process, which come on
// another pipe than its answers. One that closed its output and lives on has
// none yet.
func (c *Client) died(err error) error {
	select {
	case <-c.ended:
	case <-time.After(goodbye):
	}
	return fmt.Errorf("the process of owner %s has ended: %w%s", c.owner, err, c.said.words())
}

// Parse reads an answer: ok with a value, a refusal (held, lost or fenced, which
// all mean that of the call), or error with a text.
func Parse(line string, refusal error) (string, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "ok":
		return rest, nil
	case "held", "lost", "fenced":
		return "", refusal
	case "error":
		return "", errors.New(rest)
	}
	return "", fmt.Errorf("the answer %q is none: it begins with ok, held, lost, fenced or error", line)
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Acquire is a lease.Client's.
func (c *Client) Acquire(ctx context.Context, name string, ttl time.Duration) (lease.Grant, error) {
	token, err := c.ask(ctx, lease.ErrHeld, "acquire", name, c.owner, millis(ttl))
	if err == nil && token == "" {
		err = errors.New("the answer to acquire has no token: it is \"ok TOKEN\"")
	}
	return lease.Grant{Name: name, Owner: c.owner, Token: token, TTL: ttl}, err
}

// Renew is a lease.Client's.
func (c *Client) Renew(ctx context.Context, g lease.Grant) error {
	_, err := c.ask(ctx, lease.ErrLost, "renew", g.Name, g.Owner, g.Token, millis(g.TTL))
	return err
}

// Release is a lease.Client's.
func (c *Client) Release(ctx context.Context, g lease.Grant) error {
	_, err := c.ask(ctx, lease.ErrLost, "release", g.Name, g.Owner, g.Token)
	return err
}

// Write is a lease.Client's.
func (c *Client) Write(ctx context.Context, key, value string, g lease.Grant) error {
	_, err := c.ask(ctx, lease.ErrFenced, "write", key, value, g.Token)
	return err
}

// Read is a lease.Client's.
func (c *Client) Read(ctx context.Context, key string) (string, error) {
	return c.ask(ctx, lease.ErrLost, "read", key)
}

// Pause stops the process and all that it started.
func (c *Client) Pause() error { return c.signal(sigStop) }

// Resume lets it go on.
func (c *Client) Resume() error { return c.signal(sigContinue) }

func (c *Client) signal(sig signal) error {
	select {
	case <-c.ended:
		return c.died(io.EOF)
	default:
	}
	if err := sendGroup(c.cmd.Process.Pid, sig); err != nil {
		return &lease.SetupError{
			Msg:  fmt.Sprintf("the process of owner %s (%d) cannot be paused: %v", c.owner, c.cmd.Process.Pid, err),
			Hint: "run ccheck as the user that the command runs as; a command that changes its user cannot be paused", Err: err,
		}
	}
	return nil
}

// Close ends its input, on which it should end, and kills it when it does not.
func (c *Client) Close() {
	_ = sendGroup(c.cmd.Process.Pid, sigContinue) // a paused one would not notice
	_ = c.in.Close()
	go func() {
		for range c.lines { // what it says now answers nothing
		}
	}()
	select {
	case <-c.ended:
	case <-time.After(goodbye):
		_ = sendGroup(c.cmd.Process.Pid, sigKill)
		<-c.ended
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-keptError):]
	return len(p), nil
}

func (t *tail) words() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.TrimSpace(string(t.text)); text != "" {
		return "; it said: " + text
	}
	return ""
}

// PID is the number of the process.
func (c *Client) PID() int { return c.cmd.Process.Pid }
