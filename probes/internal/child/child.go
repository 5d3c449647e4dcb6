// Package child runs a program of the user's that talks with ccheck by lines on
// its standard input and output: in a process group of its own, which can be
// paused, continued and killed with all that it has started, and which ends with
// ccheck by whatever death.
//
// It knows no protocol. Only probes import it. An application that is asked over
// the network is started by package app.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/internal/guard"
)

const (
	maxLine   = 1 << 16
	goodbye   = 2 * time.Second      // for a process to end after its input has
	look      = 5 * time.Millisecond // between two looks into its empty output
	keptError = 4 << 10              // bytes of its standard error
)

// Line is a line of the output, without its end.
type Line struct {
	Text string
	// After and By bound the time at which it was written: the output was seen
	// empty at After or later, and the line was read at By. Where the system
	// cannot look without waiting, After is when the one before was read.
	After, By time.Time
}

// Child is a running process.
type Child struct {
	cmd   *osexec.Cmd
	in    io.WriteCloser
	out   *os.File
	guard *guard.Guard
	lines chan Line
	heard chan struct{} // closed when there are no more lines
	ended chan struct{}
	said  tail
}

// Find reports whether the program of a command line can be run, and if not,
// why.
func Find(command []string) error {
	_, err := osexec.LookPath(command[0])
	if why := errors.Unwrap(err); why != nil {
		return why
	}
	return err
}

// Start starts the command. Close must be called.
func Start(command, environ []string) (*Child, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the pipe of a process: %w", err)
	}
	defer write.Close()
	c := &Child{cmd: osexec.Command(command[0], command[1:]...), out: read, lines: make(chan Line, 1)}
	c.heard, c.ended = make(chan struct{}), make(chan struct{})
	c.cmd.Env, c.cmd.Stdout, c.cmd.Stderr, c.cmd.SysProcAttr = environ, write, &c.said, ownGroup()
	c.cmd.WaitDelay = goodbye
	in, err := c.cmd.StdinPipe()
	if err = errors.Join(err, c.start()); err != nil {
		return nil, errors.Join(err, read.Close())
	}
	c.in = in
	go c.listen()
	go func() {
		_ = c.cmd.Wait() // how it ended matters to nobody
		close(c.ended)
	}()
	return c, nil
}

// start starts the process with a guard over it.
func (c *Child) start() error {
	if err := c.cmd.Start(); err != nil {
		return err
	}
	var err error
	if c.guard, err = newGuard(c.cmd.Process.Pid); err != nil {
		return errors.Join(err, sendGroup(c.PID(), sigKill), c.cmd.Wait())
	}
	return nil
}

// Lines are the lines of its output. The channel is closed when that has ended;
// who does not read it holds the process up.
func (c *Child) Lines() <-chan Line { return c.lines }

// listen hands the lines over.
func (c *Child) listen() {
	defer close(c.heard)
	defer close(c.lines)
	var rest []byte
	r := newReader(c.out)
	for {
		text, after, by, err := r.read(len(rest) == 0)
		rest = append(rest, text...)
		for {
			line, more, whole := strings.Cut(string(rest), "\n")
			if !whole {
				break
			}
			c.lines <- Line{strings.TrimSuffix(line, "\r"), after, by}
			rest = []byte(more)
		}
		if err != nil || len(rest) > maxLine {
			return
		}
	}
}

// Say writes a line to its input.
func (c *Child) Say(line string) error {
	_, err := io.WriteString(c.in, line+"\n")
	return err
}

// PID is the number of the process.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Pause stops the process and all that it started.
func (c *Child) Pause() error {
	if err := c.signal(sigStop); err != nil {
		return err
	}
	for end := time.Now().Add(goodbye); !stopped(c.PID()) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return nil
}

// Resume lets it go on.
func (c *Child) Resume() error { return c.signal(sigContinue) }

// PauseHint mends what Pause and Resume meet.
const PauseHint = "run ccheck as the user that the command runs as; a command that changes its user can be neither paused nor killed"

// ErrEnded says that the process runs no more.
var ErrEnded = errors.New("it has ended")

func (c *Child) signal(sig signal) error {
	if c.Ended() {
		return ErrEnded
	}
	return sendGroup(c.PID(), sig)
}

// Ended reports whether the process has ended.
func (c *Child) Ended() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// State is how it ended, such as "exit status 1"; "" while it lives.
func (c *Child) State() string {
	if !c.Ended() || c.cmd.ProcessState == nil {
		return ""
	}
	return c.cmd.ProcessState.String()
}

// Last are the last words of the process on its standard error, when it has
// ended or does so in a moment: they come on another pipe than its lines, and
// one that closed its output and lives on has none yet.
func (c *Child) Last() string {
	select {
	case <-c.ended:
	case <-time.After(goodbye):
	}
	return c.said.text()
}

// Kill ends it at once, and waits for its end. Its last lines are still handed
// over. One that has changed its user cannot be killed, and is left.
func (c *Child) Kill() error {
	err := sendGroup(c.PID(), sigKill)
	if err != nil && !c.Ended() {
		c.abandon()
		return err
	}
	c.leave()
	return nil
}

// Close ends its input, on which it should end, and kills it when it does not.
func (c *Child) Close() {
	_ = sendGroup(c.PID(), sigContinue) // a paused one would not notice
	_ = c.in.Close()
	go func() {
		for range c.lines { // what it says now answers nothing
		}
	}()
	select {
	case <-c.ended:
	case <-time.After(goodbye):
	}
	if err := sendGroup(c.PID(), sigKill); err != nil && !c.Ended() { // also what it has started and left
		c.abandon()
		return
	}
	c.leave()
}

// abandon closes the pipes of a process that cannot be ended.
func (c *Child) abandon() {
	_ = c.in.Close()
	_ = c.out.Close()
}

// leave waits for the end and takes the pipes away.
func (c *Child) leave() {
	<-c.ended
	_ = c.in.Close()
	if c.guard != nil {
		_ = c.guard.Tell("over") // one that was killed has nothing to hear
		_ = c.guard.Close()
	}
	select {
	case <-c.heard:
	case <-time.After(goodbye): // something in another group has the output open
	}
	_ = c.out.Close()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	t.buf = t.buf[max(0, len(t.buf)-keptError):]
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.buf))
}
