package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// firstBuffer is what a connection holds for each direction at first.
	firstBuffer = 8 << 10
	// headSize is how much of a frame too large to be held is looked at.
	headSize = 8 << 10
	// maxMessage is the longest body that PostgreSQL accepts or sends
	// (PQ_LARGE_MESSAGE_LIMIT, which is MaxAllocSize).
	maxMessage = 1<<30 - 1
)

// errFrame says that what comes is not the protocol.
var errFrame = errors.New("invalid length of a message")

// frame is one message. The memory is the stream's and valid until its next fill.
type frame struct {
	kind byte
	body []byte // all of it, or its beginning when it is too large to be held
	size int    // of the whole body
}

// whole reports whether all of the body is there.
func (f frame) whole() bool { return len(f.body) == f.size }

// stream reads one direction of a connection and shows its frames in place, so
// that they are forwarded as they came.
type stream struct {
	src   io.Reader
	large int // a frame of more bytes is not held
	buf   []byte
	// buf[sent:due] is to be forwarded, buf[due:seen] was shown and waits for the
	// owner's decision, buf[seen:end] was read.
	sent, due, seen, end int
	rest                 int // bytes of a large frame that have not been read
}

func newStream(src io.Reader, large int) *stream {
	return &stream{src: src, large: large, buf: make([]byte, firstBuffer)}
}

// frame returns the next frame, ok false when more has to be read for it. After
// a large frame the owner calls settle before anything else.
func (s *stream) frame() (f frame, ok bool, err error) {
	have := s.buf[s.seen:s.end]
	if len(have) < 5 {
		return frame{}, false, nil
	}
	length := int64(binary.BigEndian.Uint32(have[1:]))
	if length < 4 || length > maxMessage {
		return frame{}, false, fmt.Errorf("%w: %d bytes of type %q", errFrame, length, have[0])
	}
	size := int(length) - 4
	f = frame{kind: have[0], size: size}
	switch whole := size + 5; {
	case whole <= len(have):
		f.body = have[5:whole:whole]
		s.seen += whole
	case whole <= s.large || len(have) < headSize:
		return frame{}, false, nil
	default:
		f.body = have[5:]
		s.seen, s.rest = s.end, whole-len(have)
	}
	return f, true, nil
}

// fill reads more. It makes room by moving what was not forwarded, or by growing.
func (s *stream) fill() error {
	switch {
	case s.sent == s.end:
		s.empty()
		if len(s.buf) > 8*firstBuffer {
			s.buf = make([]byte, firstBuffer)
		}
	case s.end < len(s.buf):
	case s.sent > 0:
		copy(s.buf, s.buf[s.sent:s.end])
		s.due, s.seen, s.end, s.sent = s.due-s.sent, s.seen-s.sent, s.end-s.sent, 0
	default:
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := s.src.Read(s.buf[s.end:])
	s.end += n
	if n > 0 {
		return nil
	}
	return err
}

func (s *stream) empty() { s.sent, s.due, s.seen, s.end = 0, 0, 0, 0 }

// held is the number of bytes that were shown and not forwarded.
func (s *stream) held() int { return s.seen - s.sent }

// forward writes what was shown. A writer that takes a part and errAgain gets
// the others from settle.
func (s *stream) forward(dst io.Writer) error {
	s.due = s.seen
	return s.settle(dst)
}

// settle writes what forward could not, and the rest of a large frame piece by
// piece. Owners call it before they ask for a frame. A nil dst takes nothing.
func (s *stream) settle(dst io.Writer) error {
	for {
		if s.sent < s.due {
			n, err := write(dst, s.buf[s.sent:s.due])
			s.sent += n
			if err != nil {
				return err
			}
		}
		if s.rest == 0 || s.sent < s.seen {
			return nil
		}
		s.empty()
		n, err := s.src.Read(s.buf[:min(s.rest, len(s.buf))])
		s.rest -= n
		s.due, s.seen, s.end = n, n, n
		if n == 0 && err != nil {
			return err
		}
	}
}

func write(dst io.Writer, b []byte) (int, error) {
	if dst == nil {
		return len(b), nil
	}
	return dst.Write(b)
}

// skip forgets what was shown.
func (s *stream) skip() { s.sent, s.due = s.seen, s.seen }

// pass joins the two sides without looking at anything.
func (s *stream) pass(dst io.Writer) error {
	for {
		s.seen = s.end
		if err := s.forward(dst); err != nil {
			return err
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// fields reads the parts of a body. Beyond the end it gives zero values and
// remembers that in short.
type fields struct {
	b     []byte
	short bool
}

func (r *fields) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.short, r.b = true, nil
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *fields) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *fields) int16() int {
	if b := r.take(2); b != nil {
		return int(int16(binary.BigEndian.Uint16(b)))
	}
	return 0
}

func (r *fields) int32() int {
	if b := r.take(4); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

// text reads a string that a zero byte ends; what was cut off ends with the body.
func (r *fields) text() []byte {
	for i, c := range r.b {
		if c == 0 {
			s := r.b[:i]
			r.b = r.b[i+1:]
			return s
		}
	}
	s := r.b
	r.b, r.short = nil, true
	return s
}
