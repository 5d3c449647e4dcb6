package tui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	tea "charm.land/bubbletea/v2"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

// terminal is an emulated terminal that tells when a text is on its screen.
type terminal struct {
	mu     sync.Mutex
	emu    *vt.Emulator
	raw    strings.Builder
	want   string
	showed chan struct{}
}

func newTerminal(w, h int) *terminal { return &terminal{emu: vt.NewEmulator(w, h)} }

func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raw.Write(b)
	// To what is no terminal the program writes as to a tty that makes "\r\n" of "\n".
	_, err := t.emu.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	t.look()
	return len(b), err
}

func (t *terminal) look() {
	if t.showed != nil && strings.Contains(t.emu.String(), t.want) {
		close(t.showed)
		t.showed = nil
	}
}

// await returns when the text is on the screen.
func (t *terminal) await(want string) {
	t.mu.Lock()
	ch := make(chan struct{})
	t.want, t.showed = want, ch
	t.look()
	t.mu.Unlock()
	<-ch
}

// TestProgram runs the whole program in a terminal: it starts, takes a run from
// another goroutine, shows it, stops it at the first ctrl-c and leaves the
// terminal as it was. NO_COLOR has a value that is no word for true.
func TestProgram(t *testing.T) {
	term := newTerminal(100, 30)
	in, keyboard := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, term.emu) }() // its answers to queries
	stopped := make(chan struct{})
	p := New(Options{
		In: in, Out: term, Stop: func() { close(stopped) }, size: [2]int{100, 30},
		Env: func(name string) string { return map[string]string{"TERM": "xterm-256color", "NO_COLOR": "yes"}[name] },
	})
	done := make(chan error)
	go func() { done <- p.Run(t.Context()) }()

	_ = p.Sink().Begin(storytest.Run())
	p.Sink().Progress(storytest.Progress())
	term.await("money is conserved")
	write(t, keyboard, "\x03")
	<-stopped
	term.await("STOPPING")
	_ = p.Sink().Add(storytest.LostUpdate())
	_ = p.Sink().End(storytest.Summary())
	term.await("The run has ended: faulty.")
	write(t, keyboard, "2\r")
	term.await("Finding 1 of 1")
	write(t, keyboard, "q")
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
	if term.emu.IsAltScreen() {
		t.Error("the terminal is left on the alternate screen")
	}
	if strings.Contains(term.raw.String(), "\x1b[38;") {
		t.Error("colours in spite of NO_COLOR")
	}
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// TestExit leaves when the run ends, without a key.
func TestExit(t *testing.T) {
	term := newTerminal(80, 24)
	in, _ := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, term.emu) }() // its answers to queries
	p := New(Options{In: in, Out: term, Exit: true, Stop: func() {}, size: [2]int{80, 24}})
	_ = p.Sink().Begin(storytest.Run())
	_ = p.Sink().End(storytest.Summary())
	if err := p.Run(t.Context()); err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestContext leaves when the context is done, which is no error of the UI.
func TestContext(t *testing.T) {
	term := newTerminal(80, 24)
	in, _ := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, term.emu) }() // its answers to queries
	ctx, cancel := context.WithCancel(t.Context())
	p := New(Options{In: in, Out: term, Stop: func() {}, size: [2]int{80, 24}})
	done := make(chan error)
	go func() { done <- p.Run(ctx) }()
	p.Sink().Progress(storytest.Progress())
	term.await("RUNNING")
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestSinkNeverWaits reports to a program whose event loop hangs: every call
// returns, only the latest progress is kept, and what must arrive is kept in order.
func TestSinkNeverWaits(t *testing.T) {
	s := newSink()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hangs := make(chan struct{})
	var once sync.Once
	go s.pump(ctx, func(tea.Msg) { once.Do(func() { close(hangs) }); <-ctx.Done() })
	_ = s.Begin(storytest.Run())
	<-hangs

	p := storytest.Progress()
	for i := range 10000 {
		p.Accepted = int64(i)
		p.Throughput[0] = float64(i) // the engine goes on to use its slices
		s.Progress(p)
	}
	for range 100 {
		_ = s.Add(storytest.LostUpdate())
	}
	_ = s.End(storytest.Summary())
	mail := s.take()
	if len(mail) != 102 {
		t.Fatalf("%d messages in the mailbox, want 1 progress, 100 findings and the end", len(mail))
	}
	if got := report.Progress(mail[0].(progressMsg)).Accepted; got != 9999 {
		t.Errorf("kept the progress with %d accepted, want the latest", got)
	}
	if _, ok := mail[101].(endMsg); !ok {
		t.Errorf("the last message is a %T", mail[101])
	}
}

// TestNoColor has the screens as a terminal under NO_COLOR gets them: weight and
// inversion, no colour.
func TestNoColor(t *testing.T) {
	m := ended(80, 24)
	for name, where := range map[string]string{"run": "1", "findings": "2", "story": "3"} {
		keys(m, where)
		var b strings.Builder
		w := colorprofile.Writer{Forward: &b, Profile: colorprofile.ASCII}
		if _, err := io.WriteString(&w, m.content()); err != nil {
			t.Fatal(err)
		}
		storytest.Golden(t, "nocolor."+name+".golden", strings.ReplaceAll(b.String(), "\x1b", "␛")+"\n")
	}
}

// BenchmarkFrame is what one state of the run costs: taken in and drawn.
func BenchmarkFrame(b *testing.B) {
	m := live(160, 50)
	p := storytest.Progress()
	for range 600 {
		p.Throughput = append(p.Throughput, 900)
		p.Heat = append(p.Heat, p.Heat[0])
	}
	for b.Loop() {
		feed(m, progressMsg(clone(p)))
		_ = m.content()
	}
}

// BenchmarkSink is what the engine pays for reporting its state.
func BenchmarkSink(b *testing.B) {
	s, p := newSink(), storytest.Progress()
	for range 600 {
		p.Heat = append(p.Heat, p.Heat[0])
	}
	for b.Loop() {
		s.Progress(p)
	}
}
