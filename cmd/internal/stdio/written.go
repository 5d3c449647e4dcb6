package stdio

import (
	"fmt"
	"io"
)

// written remembers the first error of a stream.
type written struct {
	io.Writer
	err error
}

func (w *written) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("writing to standard output: %w", err)
	}
	return n, err
}

// Watch keeps an eye on Out, which has to be whole when ccheck ends well: lost
// returns the first error of writing to it. A terminal has no end, and stays as it
// is.
func (s *Streams) Watch() (lost func() error) {
	if s.OutTTY {
		return func() error { return nil }
	}
	w := &written{Writer: s.Out}
	s.Out = w
	return func() error { return w.err }
}
