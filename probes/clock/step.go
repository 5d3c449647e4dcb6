package clock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// Step is a command that measures a duration while its clock is set.
type Step struct {
	By      time.Duration // how far, ahead or back
	After   time.Duration // how long after the start
	Command []string
	Library string // libfaketime
	Limit   time.Duration
}

// The built-in commands: a second, measured by the wall clock, and by one that
// nobody sets.
var (
	ByWall      = []string{"sh", "-c", `a=$(date +%s%N); sleep 1; b=$(date +%s%N); echo elapsed $(( (b - a) / 1000000 ))e-3`}
	ByMonotonic = []string{"sh", "-c", `a=$(cut -d. -f1-2 /proc/uptime | cut -d' ' -f1 | tr -d .); sleep 1; b=$(cut -d. -f1-2 /proc/uptime | cut -d' ' -f1 | tr -d .); echo elapsed $(( (b - a) * 10 ))e-3`}
)

// ErrNoLibrary says that libfaketime is not on this machine.
var ErrNoLibrary = errors.New("libfaketime, which sets the clock of one command, is not installed")

// FindLibrary finds libfaketime where the packages of the systems have it.
func FindLibrary() (string, error) {
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib*/faketime/libfaketime.so.1", "/usr/local/lib/faketime/libfaketime.so.1"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0], nil
		}
	}
	return "", ErrNoLibrary
}

// CommandError says that the command did not measure anything.
type CommandError struct {
	Why, Output string
}

func (e *CommandError) Error() string { return "the command under the clock that is set " + e.Why }

var elapsed = regexp.MustCompile(`(?m)^elapsed (-?[0-9.]+(?:[eE][-+]?[0-9]+)?)$`)

const stepLane = 120

// step runs the command and sets its clock in the middle. The clock is a file
// that the library reads at each look.
func (d *driver) step(ctx context.Context) error {
	s := d.o.Step
	if s == nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "ccheck-clock-")
	if err != nil {
		return fmt.Errorf("making a folder for the clock: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "clock")
	if err := os.WriteFile(file, []byte("+0\n"), 0o644); err != nil {
		return fmt.Errorf("writing the clock: %w", err)
	}
	var failed error
	err = d.call(d.Recorder(stepLane), "timed", func() (vars, error) {
		var v vars
		v, failed = s.run(ctx, file)
		return v, failed
	})
	return errors.Join(failed, err)
}

func (s *Step) run(ctx context.Context, file string) (vars, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	var out bytes.Buffer
	cmd := osexec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+s.Library, "FAKETIME_TIMESTAMP_FILE="+file, "FAKETIME_NO_CACHE=1",
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1")
	cmd.Stdout, cmd.WaitDelay = &out, time.Second
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, &CommandError{Why: "cannot be started: " + err.Error()}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return nil, &CommandError{Why: fmt.Sprintf("ended within %s, before the clock was set (%v)", s.After, err), Output: out.String()}
	case <-time.After(s.After):
	}
	err := set(file, s.By)
	if waited := <-ended; waited != nil {
		return nil, &CommandError{Why: "failed: " + waited.Error(), Output: out.String()}
	}
	took := time.Since(began)
	if err != nil {
		return nil, err
	}
	m := elapsed.FindStringSubmatch(out.String())
	if m == nil {
		return nil, &CommandError{Why: `printed no line "elapsed SECONDS"`, Output: out.String()}
	}
	seconds, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return nil, &CommandError{Why: "printed no number: " + m[1], Output: out.String()}
	}
	return text("command", s.Command[0]).number("measured_ns", int64(seconds*1e9)).number("took_ns", int64(took)).number("step_ns", int64(s.By)), nil
}

// set sets the clock in one step, so that nobody reads half a file.
func set(file string, by time.Duration) error {
	next := file + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%+.3f\n", by.Seconds()), 0o644); err != nil {
		return fmt.Errorf("setting the clock: %w", err)
	}
	if err := os.Rename(next, file); err != nil {
		return fmt.Errorf("setting the clock: %w", err)
	}
	return nil
}
