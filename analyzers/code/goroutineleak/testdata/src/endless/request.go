package endless

import (
	"io"
	"net/http"
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
