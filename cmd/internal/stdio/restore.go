package stdio

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// leaveScreen ends what a full-screen interface may have begun: alternate
// screen, hidden cursor, mouse reports, bracketed paste, colours.
const leaveScreen = "\x1b[?1049l\x1b[?25h\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[0m"

// Saver remembers how the terminal is and returns what puts it back after a
// crash. Without a terminal it does nothing.
func (s *Streams) Saver() (restore func()) {
	in, ok := s.In.(*os.File)
	if !ok || !s.InTTY {
		return func() {}
	}
	state, err := term.GetState(in.Fd())
	if err != nil {
		return func() {}
	}
	return func() {
		// Best effort: the process is about to end with an error that matters more.
		_ = term.Restore(in.Fd(), state)
		if s.OutTTY {
			_, _ = io.WriteString(s.Out, leaveScreen)
		}
	}
}
