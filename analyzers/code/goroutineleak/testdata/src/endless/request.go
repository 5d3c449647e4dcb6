package endless

import (
	"io"
	"net/http"
	"os"
	"os/signal"
)

type stream struct {
	out chan []byte
	w   io.Writer
}

func Stream(w http.ResponseWriter, r *http.Request) {
	s := &stream{out: make(chan []byte), w: w}
	go s.write()
	s.out <- []byte("hello")
}

func (s *stream) write() {
	for b := range s.out { // want `this goroutine never ends`
		s.w.Write(b)
	}
}

// The connection's own loop feeds the writer, and goes without a word.
type line struct {
	conn io.ReadWriteCloser
	send chan []byte
}

func Lines(w http.ResponseWriter, r *http.Request) {
	l := dial(w)
	go l.write()
	defer l.conn.Close()
	for {
		b := make([]byte, 80)
		if _, err := l.conn.Read(b); err != nil {
			return
		}
		l.send <- b
	}
}

func (l *line) write() {
	for b := range l.send { // want `it would stop on send, which nobody closes`
		if _, err := l.conn.Write(b); err != nil {
			return
		}
	}
}

func dial(w http.ResponseWriter) *line {
	conn, _, _ := w.(http.Hijacker).Hijack()
	return &line{conn: conn, send: make(chan []byte, 8)}
}

// Others send too, and the writer goes when it cannot write any more.
type member struct {
	conn io.ReadWriteCloser
	send chan []byte
}

type hub struct{ all []*member }

func (h *hub) say(b []byte) {
	for _, m := range h.all {
		m.send <- b
	}
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, _, _ := w.(http.Hijacker).Hijack()
	m := &member{conn: conn, send: make(chan []byte, 8)}
	go m.write()
	m.send <- []byte("welcome")
	h.say([]byte("one more"))
}

func (m *member) write() {
	for b := range m.send {
		if _, err := m.conn.Write(b); err != nil {
			return
		}
	}
}

// Signals come as long as the process runs, and os/signal closes no channel.
type rotated struct {
	io.WriteCloser
	sig chan os.Signal
}

func OpenRotated(w io.WriteCloser) *rotated {
	r := &rotated{w, make(chan os.Signal, 1)}
	signal.Notify(r.sig, os.Interrupt)
	go r.rotate()
	return r
}

func (r *rotated) rotate() {
	for range r.sig { // want `it would stop on sig, which nobody closes`
		r.Write([]byte("rotated\n"))
	}
}
