// Package process leases by a command of the user's: one process for each owner,
// a line on its standard input for each call, a line on its standard output for
// each answer. The owner is paused by SIGSTOP to its process group.
//
// The protocol is in the documentation of the probe (package lease).
package process

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/child"
	"github.com/ccheck/ccheck/probes/lease"
)

// Backend is the command. Its environment is ours, with CCHECK_OWNER.
func Backend(environ, command []string) (*lease.Backend, error) {
	if len(command) == 0 {
		return nil, &lease.SetupError{Msg: "no command was named to lease by", Hint: "write it behind two dashes: ccheck lease --backend exec -- ./worker --leases"}
	}
	if err := child.Find(command); err != nil {
		return nil, &lease.SetupError{Msg: fmt.Sprintf("%s cannot be run: %v", strconv.Quote(command[0]), err), Hint: "name a program of PATH or the path of one", Err: err}
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

// silence is how long a process may take for an answer, beside the times to live in
// which somebody is paused who may hold what it waits for.
const (
	silence = 30 * time.Second
	paused  = 8
)

// Client is the process of one owner.
type Client struct {
	owner   string
	child   *child.Child
	silence time.Duration
	ttl     time.Duration // of the last acquisition
}

func start(environ, command []string, owner string) (*Client, error) {
	c, err := child.Start(command, environ)
	if err != nil {
		return nil, fmt.Errorf("starting owner %s: %w", owner, err)
	}
	return &Client{owner: owner, child: c, silence: silence}, nil
}

// ask sends a call and reads its answer: a word, and what follows it.
func (c *Client) ask(ctx context.Context, refusal error, words ...string) (string, error) {
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\r\n") {
			return "", fmt.Errorf("%q cannot be a word of a line", w)
		}
	}
	if err := c.child.Say(strings.Join(words, " ")); err != nil {
		return "", c.died()
	}
	limit := c.silence + paused*c.ttl
	patience := time.NewTimer(limit)
	defer patience.Stop()
	select {
	case line, ok := <-c.child.Lines():
		if !ok {
			return "", c.died()
		}
		return Parse(line.Text, refusal)
	case <-patience.C:
		return "", &lease.SetupError{
			Msg:  fmt.Sprintf("the process of owner %s gave no answer to %s within %s", c.owner, words[0], limit),
			Hint: "it answers each line with a line, and flushes its output; `ccheck explain lease` has the protocol",
		}
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// died tells of the end with the last words of the process.
func (c *Client) died() error {
	said, how := c.child.Last(), "has closed its output, or wrote a line that is too long"
	if said != "" {
		said = "; it said: " + said
	}
	if c.child.Ended() {
		how = fmt.Sprintf("has ended (%s)", c.child.State())
	}
	return &lease.SetupError{
		Msg:  fmt.Sprintf("the process of owner %s %s%s", c.owner, how, said),
		Hint: "it reads calls from its standard input until that ends; `ccheck explain lease` has the protocol",
	}
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
	c.ttl = ttl
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
func (c *Client) Pause() error { return c.told(c.child.Pause()) }

// Resume lets it go on.
func (c *Client) Resume() error { return c.told(c.child.Resume()) }

// told gives an error of a signal its mend.
func (c *Client) told(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, child.ErrEnded):
		return c.died()
	}
	return &lease.SetupError{
		Msg:  fmt.Sprintf("the process of owner %s (%d) cannot be paused: %v", c.owner, c.PID(), err),
		Hint: child.PauseHint, Err: err,
	}
}

// Close ends its input, on which it should end, and kills it when it does not.
func (c *Client) Close() { c.child.Close() }

// PID is the number of the process.
func (c *Client) PID() int { return c.child.PID() }
