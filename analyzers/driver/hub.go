package driver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/ccheck/ccheck/probes/history"
)

// batch is the number of events that go to a checker at once; a channel
// operation for each would cost more than decoding it.
const batch = 512

// hub reads the file for several checkers. A pass starts when every checker
// that still runs has asked for one, so all of them share it.
type hub struct {
	ctx  context.Context
	file *history.File

	mu      sync.Mutex
	running int
	waiting []*reader
	notes   []string
}

// reader is the end of a pass at one checker.
type reader struct {
	batches chan []*history.Op
	done    chan struct{}
}

func newHub(ctx context.Context, file *history.File, checkers int) *hub {
	return &hub{ctx: ctx, file: file, running: checkers}
}

// leave says that a checker will ask for nothing more.
func (h *hub) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	h.start()
}

// join asks for a pass.
func (h *hub) join() *reader {
	r := &reader{batches: make(chan []*history.Op, 4), done: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = append(h.waiting, r)
	h.start()
	return r
}

// start begins a pass when nobody else can come. The lock is held.
func (h *hub) start() {
	if len(h.waiting) == 0 || len(h.waiting) < h.running {
		return
	}
	go h.pass(h.waiting)
	h.waiting = nil
}

// reader returns the Ops of one checker. A pass inside of a pass of the same
// checker cannot be shared, since the outer one would never end: it reads for
// itself.
func (h *hub) reader() func() iter.Seq2[*history.Op, error] {
	inside := false
	return func() iter.Seq2[*history.Op, error] {
		return func(yield func(*history.Op, error) bool) {
			if inside {
				h.alone(yield)
				return
			}
			inside = true
			defer func() { inside = false }()
			h.shared(yield)
		}
	}
}

func (h *hub) shared(yield func(*history.Op, error) bool) {
	r := h.join()
	defer close(r.done)
	for ops := range r.batches {
		for _, o := range ops {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func (h *hub) alone(yield func(*history.Op, error) bool) {
	for o, err := range h.file.Ops() {
		if err != nil || h.ctx.Err() != nil || !yield(o, nil) {
			return
		}
	}
}

// pass reads the file once and hands the events to all of the readers that
// still want them.
func (h *hub) pass(readers []*reader) {
	defer func() {
		for _, r := range readers {
			close(r.batches)
		}
	}()
	ops := make([]*history.Op, 0, batch)
	for o, err := range h.file.Ops() {
		if err != nil {
			h.note(err)
			break
		}
		if ops = append(ops, o); len(ops) < batch {
			continue
		}
		if h.ctx.Err() != nil || !send(readers, ops) {
			return
		}
		ops = make([]*history.Op, 0, batch)
	}
	send(readers, ops)
}

// send hands a batch to the readers and reports whether any still wants one.
func send(readers []*reader, ops []*history.Op) (wanted bool) {
	for _, r := range readers {
		select {
		case <-r.done:
		case r.batches <- ops:
			wanted = true
		}
	}
	return wanted
}

// note remembers why the file could not be read to its end. What is before
// that place is judged, so the checkers do not see the error.
func (h *hub) note(err error) {
	text := fmt.Sprintf("the history cannot be read to its end: %v; what is before was judged", err)
	if errors.Is(err, history.ErrTruncated) {
		text = fmt.Sprintf("%v, as a crash or a full disk leaves it; what is before was judged", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.notes {
		if n == text {
			return
		}
	}
	h.notes = append(h.notes, text)
}

func (h *hub) reasons() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.notes...)
}
