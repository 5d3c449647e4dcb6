package display

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// result is how the work beside the screen ended: with an error, or with a
// panic, which belongs to whoever waits for it.
type result struct {
	err      error
	panicked any
}

func (r result) failed() bool { return r.err != nil || r.panicked != nil }

// error is the error of the work. It panics as the work did.
func (r result) error() error {
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.err
}

// beside runs work in a goroutine of its own. Its result can be received once;
// then is called with it as well.
func beside(work func() error, then func(result)) <-chan result {
	ended := make(chan result, 1)
	go func() {
		r := attempt(work)
		ended <- r
		then(r)
	}()
	return ended
}

// attempt keeps a panic: in a goroutine it would end the process with the
// terminal in the state of the full screen.
func attempt(work func() error) (r result) {
	defer func() { r.panicked = recover() }()
	r.err = work()
	return r
}

// held keeps what is written while the full screen is up, and hands it on when
// that is left.
type held struct {
	to io.Writer

	mu       sync.Mutex
	kept     bytes.Buffer
	released bool
}

func (h *held) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return h.to.Write(p)
	}
	return h.kept.Write(p)
}

// release hands on what was kept. A message that cannot be written has nobody
// who could be told.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	_, _ = h.kept.WriteTo(h.to)
}

// colourless is env for a person who wants no colours.
func colourless(env func(string) string) func(string) string {
	return func(name string) string {
		if name == "NO_COLOR" {
			return "1"
		}
		return env(name)
	}
}

// list joins words for a message.
func list(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
