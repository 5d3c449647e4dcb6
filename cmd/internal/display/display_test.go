package display

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/output"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// screen is the output of a terminal. The program and the test use it at once.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// terminal returns a display on a terminal of a person who types on keyboard.
func terminal(t *testing.T) (d *Display, out, messages *screen, keyboard io.Writer) {
	t.Helper()
	s, _ := stdio.Test()
	in, keys := io.Pipe()
	t.Cleanup(func() { _ = keys.Close() })
	out, messages = &screen{}, &screen{}
	s.In, s.Out, s.Err, s.InTTY, s.OutTTY = in, out, messages, true, true
	s.Env = func(name string) string { return map[string]string{"TERM": "xterm"}[name] }
	d, err := Open(s, &Flags{}, &output.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	if !d.Full() {
		t.Fatal("no full screen on a terminal")
	}
	return d, out, messages, keys
}

func press(keyboard io.Writer, keys string) { _, _ = io.WriteString(keyboard, keys) }

// insist presses q until nobody reads any more: one that comes before the end of
// the run is on the screen only stops the run.
func insist(keyboard io.Writer) {
	for {
		if _, err := io.WriteString(keyboard, "q"); err != nil {
			return
		}
	}
}

// tell tells a run that found something.
func tell(s report.Sink) error {
	return errors.Join(s.Begin(report.Run{Probe: "stress", Scenario: "wallet"}),
		s.Add(report.Finding{Rule: "invariant", Severity: report.High, Message: "Money is gone."}),
		s.End(report.Summary{Verdict: report.Faulty, Line: "ccheck: the last line"}))
}

// How a terminal is told to enter and to leave the alternate screen.
const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"
)

// after is what the terminal was sent after the screen, which must have been left
// as often as it was entered: a run may end before there was anything to show.
func after(t *testing.T, out *screen) string {
	t.Helper()
	text := out.String()
	if in, left := strings.Count(text, enterScreen), strings.Count(text, leaveScreen); in != left {
		t.Errorf("the screen was entered %d times and left %d times", in, left)
	}
	return text[strings.LastIndex(text, leaveScreen)+1:]
}

// told fails unless the result was told once, after the screen was left.
func told(t *testing.T, out *screen) {
	t.Helper()
	if text := after(t, out); strings.Count(text, "ccheck: the last line\n") != 1 {
		t.Errorf("after the screen, the terminal was sent\n%q", text)
	}
}

func TestWhichDisplay(t *testing.T) {
	tests := []struct {
		name    string
		tty     bool
		flags   Flags
		formats output.Flags
		want    bool
	}{
		{"a terminal", true, Flags{}, output.Flags{}, true},
		{"a pipe", false, Flags{}, output.Flags{}, false},
		{"no full screen wanted", true, Flags{NoTUI: true}, output.Flags{}, false},
		{"a format wanted", true, Flags{}, output.Flags{JSON: true}, false},
	}
	for _, tt := range tests {
		s, _ := stdio.Test()
		s.InTTY, s.OutTTY = tt.tty, tt.tty
		d, err := Open(s, &tt.flags, &tt.formats)
		if err != nil {
			t.Fatal(err)
		}
		if d.Full() != tt.want {
			t.Errorf("%s: full screen %v", tt.name, d.Full())
		}
	}
}

// The person looks at the ended run and leaves it with q; messages have waited.
func TestDuring(t *testing.T) {
	d, out, messages, keyboard := terminal(t)
	err := d.During(context.Background(), func(_ context.Context, sink report.Sink) error {
		d.Streams().Warnf("200 clients are too many")
		if got := messages.String(); got != "" {
			t.Errorf("said on the screen: %q", got)
		}
		err := tell(sink)
		go insist(keyboard)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	told(t, out)
	if !strings.Contains(messages.String(), "200 clients are too many") {
		t.Errorf("the message is lost: %q", messages.String())
	}
	if d.Streams().Warnf("later"); !strings.Contains(messages.String(), "later") {
		t.Error("a message after the screen is lost")
	}
}

// The first q stops the run, which goes on to its end; the next one leaves.
func TestQuitStopsTheRun(t *testing.T) {
	d, out, _, keyboard := terminal(t)
	go press(keyboard, "q")
	err := d.During(context.Background(), func(ctx context.Context, sink report.Sink) error {
		<-ctx.Done()
		err := tell(sink)
		go insist(keyboard)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	told(t, out)
}

// A signal ends the run and then the screen: nobody has to press a key.
func TestSignal(t *testing.T) {
	for _, when := range []string{"while it runs", "when it has ended"} {
		t.Run(when, func(t *testing.T) {
			d, out, _, _ := terminal(t)
			ctx, signal := context.WithCancel(context.Background())
			defer signal()
			err := d.During(ctx, func(running context.Context, sink report.Sink) error {
				if when == "while it runs" {
					signal()
					<-running.Done()
				} else {
					defer signal()
				}
				return tell(sink)
			})
			if err != nil {
				t.Fatal(err)
			}
			told(t, out)
		})
	}
}

// ctrl-c a second time does not wait for the run.
func TestKill(t *testing.T) {
	d, _, messages, keyboard := terminal(t)
	hung := make(chan struct{})
	defer close(hung)
	go press(keyboard, "\x03\x03")
	err := d.During(context.Background(), func(context.Context, report.Sink) error {
		<-hung
		return nil
	})
	if exit.Code(err) != exit.Interrupt || !strings.Contains(messages.String(), "`ccheck clean --dsn … --force`") {
		t.Errorf("error %v, told %q", err, messages.String())
	}
}

func TestWorkFails(t *testing.T) {
	lost := errors.New("the server is gone")
	d, out, _, _ := terminal(t)
	err := d.During(context.Background(), func(context.Context, report.Sink) error { return lost })
	if !errors.Is(err, lost) {
		t.Errorf("error %v", err)
	}
	if text := after(t, out); strings.Contains(text, "ccheck:") {
		t.Errorf("a run that failed has a result: %q", text)
	}
}

// A run that is stopped by a key before there is anything to judge is no error
// but an interruption.
func TestStoppedEarly(t *testing.T) {
	d, _, _, keyboard := terminal(t)
	go press(keyboard, "q")
	err := d.During(context.Background(), func(ctx context.Context, _ report.Sink) error {
		<-ctx.Done()
		return fmt.Errorf("stopped before the lanes began: %w", ctx.Err())
	})
	if got := clitest.Of(err); got.Code != exit.Interrupt || got.Msg != "" {
		t.Errorf("%+v", got)
	}
}

// A panic of the work leaves the screen first and then goes on.
func TestPanic(t *testing.T) {
	d, out, _, _ := terminal(t)
	defer func() {
		if p := recover(); p != "at fault" {
			t.Errorf("recovered %v", p)
		}
		after(t, out)
	}()
	_ = d.During(context.Background(), func(context.Context, report.Sink) error { panic("at fault") })
}

func TestStored(t *testing.T) {
	d, out, _, keyboard := terminal(t)
	all := &output.Recording{}
	if err := tell(all); err != nil {
		t.Fatal(err)
	}
	go press(keyboard, "q")
	if err := d.Stored(context.Background(), all); err != nil {
		t.Fatal(err)
	}
	if text := after(t, out); strings.Contains(text, "Money") || !strings.Contains(out.String(), enterScreen) {
		t.Errorf("after the screen, the terminal was sent\n%q", text)
	}
}

// What the screen offers to export, it can: a file for each format, named after
// the run.
func TestExport(t *testing.T) {
	d, _, _, _ := terminal(t)
	t.Chdir(t.TempDir())
	all := &output.Recording{}
	if err := tell(all); err != nil {
		t.Fatal(err)
	}
	o := d.options(all)
	if len(o.Formats) < 3 {
		t.Fatalf("offers %v", o.Formats)
	}
	for _, name := range o.Formats {
		path, err := o.Export(name)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || len(text) == 0 {
			t.Errorf("%s: %d bytes in %s, error %v", name, len(text), path, err)
		}
	}
}

// --color=never is heard by the screen, too.
func TestColorNever(t *testing.T) {
	d, _, _, _ := terminal(t)
	d.streams.Color = false
	if d.options(nil).Env("NO_COLOR") == "" {
		t.Error("the screen is not told that no colours are wanted")
	}
	d.streams.Color = true
	if d.options(nil).Env("NO_COLOR") != "" {
		t.Error("the screen is told that no colours are wanted")
	}
}
