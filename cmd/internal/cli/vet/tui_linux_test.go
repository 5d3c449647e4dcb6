package vet

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"github.com/ccheck/ccheck/cmd/internal/cli/clitest"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// terminal is a pseudo-terminal with an emulator at its end, as a person has one.
type terminal struct {
	keyboard *os.File // the end of the person
	tty      *os.File // the end of the program

	mu   sync.Mutex
	more sync.Cond
	emu  *vt.Emulator
}

const width, height = 100, 30

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: height, Col: width})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{keyboard: master, tty: tty, emu: vt.NewEmulator(width, height)}
	term.more.L = &term.mu
	go func() { _, _ = io.Copy(master, term.emu) }() // its answers to queries
	go func() { _, _ = io.Copy(term, master) }()
	t.Cleanup(func() { _, _ = tty.Close(), master.Close() })
	return term
}

// Write takes what the program draws.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.more.Broadcast()
	return t.emu.Write(p)
}

// await returns when the text is on the screen.
func (t *terminal) await(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !strings.Contains(t.emu.String(), text) {
		t.more.Wait()
	}
}

func (t *terminal) press(keys string) { _, _ = t.keyboard.WriteString(keys) }

const list = `package shop

import "database/sql"

// First is the first name.
func First(db *sql.DB) (name string, err error) {
	var rows *sql.Rows
	rows, err = db.Query("SELECT name FROM shop")
	if err != nil {
		return "", err
	}
	if !rows.Next() {
		return "", sql.ErrNoRows
	}
	err = rows.Scan(&name)
	return name, err
}
`

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A person looks through the findings of a real module and makes an edit; of a file
// that somebody changes meanwhile nothing is written.
func TestOnTheScreen(t *testing.T) {
	tests := []struct {
		name    string
		between func()
		said    string
		want    string // in the file, at the end
		not     string
	}{
		{"an edit", func() {}, "Wrote list.go", "defer rows.Close()", "// mine"},
		{"a file that changed", func() { put(t, "list.go", list+"// mine\n") }, "has changed since", "// mine", "defer rows.Close()"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "go.mod", "module example.com/shop\n\ngo 1.24\n")
			put(t, "list.go", list)
			term := newTerminal(t)
			s, _ := stdio.Test()
			s.In, s.Out, s.InTTY, s.OutTTY = term.tty, term.tty, true, true
			cache := t.TempDir()
			s.Env = func(name string) string { return map[string]string{"TERM": "xterm", "XDG_CACHE_HOME": cache}[name] }
			ended := make(chan error, 1)
			go func() { ended <- clitest.Run(t, New(s, nil), "--tui") }()

			term.await("rows.Next()") // the source was read
			term.press("j")
			term.press("a")
			term.await("Make this edit?")
			tt.between()
			term.press("\r")
			term.await(tt.said)
			term.press("q")
			if err := <-ended; exit.Code(err) != exit.Findings {
				t.Errorf("exit code %d, %v", exit.Code(err), err)
			}
			text, err := os.ReadFile("list.go")
			if err != nil || !strings.Contains(string(text), tt.want) || strings.Contains(string(text), tt.not) {
				t.Errorf("%v, the file holds\n%s", err, text)
			}
		})
	}
}

// Without a terminal there is no screen, and nothing is read.
func TestNoTerminal(t *testing.T) {
	s, _ := stdio.Test()
	ran := false
	err := clitest.Run(t, New(s, func(context.Context, *Options) error { ran = true; return nil }), "--tui")
	if got := clitest.Of(err); got.Code != exit.Usage || got.Msg != "--tui needs a terminal" || ran {
		t.Errorf("%+v, ran %v", got, ran)
	}
}
