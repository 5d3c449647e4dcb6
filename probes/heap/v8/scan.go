package v8

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON byte by byte from a large buffer. It exists beside
// encoding/json because that makes a token of each of a hundred million numbers.
// The first error stays, and ends everything.
type scanner struct {
	r    io.Reader
	buf  []byte
	pos  int
	end  int
	off  int64 // of buf in the file
	fail error
}

const bufferSize = 1 << 20

func newScanner(r io.Reader) *scanner { return &scanner{r: r, buf: make([]byte, bufferSize)} }

// offset is the place in the file, in bytes.
func (s *scanner) offset() int64 { return s.off + int64(s.pos) }

// fill reads on when the buffer is used up. At the end of the file it fails:
// every use of it is inside of a value.
func (s *scanner) fill() bool {
	if s.fail != nil {
		return false
	}
	s.off += int64(s.end)
	s.pos, s.end = 0, 0
	for range 100 {
		n, err := s.r.Read(s.buf)
		if s.end = n; n > 0 {
			return true
		}
		if err == io.EOF {
			s.fail = ErrTruncated
			return false
		}
		if err != nil {
			s.fail = fmt.Errorf("reading the snapshot: %w", err)
			return false
		}
	}
	s.fail = io.ErrNoProgress
	return false
}

// broken notes what is wrong here, unless something was wrong before.
func (s *scanner) broken(format string, args ...any) {
	if s.fail == nil {
		s.fail = fmt.Errorf("at byte %d: %w", s.offset(), fmt.Errorf(format, args...))
	}
}

// peek is the next byte that is no blank, 0 at the end.
func (s *scanner) peek() byte {
	for {
		if s.pos == s.end && !s.fill() {
			return 0
		}
		switch c := s.buf[s.pos]; c {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return c
		}
	}
}

// expect reads one byte after blanks.
func (s *scanner) expect(want byte) bool {
	c := s.peek()
	if s.fail != nil {
		return false
	}
	if c != want {
		s.broken("%q where %q should be", c, want)
		return false
	}
	s.pos++
	return true
}

// number is the next number of an array, ok is false after its end. Commas count
// as blanks: what is between them is what matters.
func (s *scanner) number() (n uint64, ok bool) {
	for {
		if s.pos == s.end && !s.fill() {
			return 0, false
		}
		c := s.buf[s.pos]
		if c-'0' < 10 {
			return s.digits()
		}
		s.pos++
		switch c {
		case ',', ' ', '\n', '\r', '\t':
		case ']':
			return 0, false
		default:
			s.pos--
			s.broken("%q in an array of whole numbers", c)
			return 0, false
		}
	}
}

// widest is more than a row of numbers takes in a file that V8 wrote: 20 digits
// and a comma or two for each.
const widest = 24

// row reads that many numbers of an array, ok is false after its end. Nearly all
// rows lie whole in the buffer and are read from it without looking for its end.
func (s *scanner) row(width int, row *[maxWidth]uint64) (ok bool) {
	if s.end-s.pos >= width*widest && s.plain(width, row) {
		return true
	}
	for i := range width {
		n, ok := s.number()
		if !ok {
			if i != 0 {
				s.broken("half a row of numbers")
			}
			return false
		}
		row[i] = n
	}
	return true
}

// plain is row for what is in the buffer. It is false, and nothing is read, where
// anything is not as V8 writes it.
func (s *scanner) plain(width int, row *[maxWidth]uint64) bool {
	buf := s.buf[s.pos:s.end]
	at := 0
	for k := range width {
		c := buf[at]
		for c == ',' || c == '\n' {
			if at++; at == len(buf) {
				return false
			}
			c = buf[at]
		}
		n := uint64(c - '0')
		if n > 9 {
			return false
		}
		from := at
		for {
			if at++; at == len(buf) {
				return false
			}
			if c = buf[at] - '0'; c > 9 {
				break
			}
			n = n*10 + uint64(c)
		}
		if c = buf[at]; at-from > 19 || c != ',' && c != '\n' && c != ']' {
			return false
		}
		row[k&(maxWidth-1)] = n
	}
	s.pos += at
	return true
}

func (s *scanner) digits() (n uint64, ok bool) {
	for count := 0; ; count++ {
		if s.pos == s.end && !s.fill() {
			return 0, false
		}
		d := s.buf[s.pos] - '0'
		if d > 9 {
			if c := s.buf[s.pos]; c == '.' || c == 'e' || c == 'E' {
				s.broken("a number that is not whole")
				return 0, false
			}
			return n, true
		}
		if count == 19 {
			s.broken("a number of 20 digits")
			return 0, false
		}
		n = n*10 + uint64(d)
		s.pos++
	}
}

// text appends the next string to dst. With keep false it is only passed over.
func (s *scanner) text(dst []byte, keep bool) []byte {
	if !s.expect('"') {
		return dst
	}
	for {
		if s.pos == s.end && !s.fill() {
			return dst
		}
		from := s.pos
		for s.pos < s.end && s.buf[s.pos] != '"' && s.buf[s.pos] != '\\' {
			s.pos++
		}
		if keep {
			dst = append(dst, s.buf[from:s.pos]...)
		}
		if s.pos == s.end {
			continue
		}
		s.pos++
		if s.buf[s.pos-1] == '"' {
			return dst
		}
		if dst = s.escape(dst, keep); s.fail != nil {
			return dst
		}
	}
}

// one is the next byte whatever it is.
func (s *scanner) one() byte {
	if s.pos == s.end && !s.fill() {
		return 0
	}
	s.pos++
	return s.buf[s.pos-1]
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *scanner) escape(dst []byte, keep bool) []byte {
	c := s.one()
	if c != 'u' {
		plain, ok := escapes[c]
		if !ok {
			s.broken("the escape \\%c in a string", c)
		}
		if keep && ok {
			dst = append(dst, plain)
		}
		return dst
	}
	r := s.hex()
	if utf16.IsSurrogate(r) && s.pos+5 < s.end && s.buf[s.pos] == '\\' && s.buf[s.pos+1] == 'u' {
		s.pos += 2
		r = utf16.DecodeRune(r, s.hex())
	}
	if keep {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func (s *scanner) hex() rune {
	r := rune(0)
	for range 4 {
		c := s.one()
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			s.broken("%q in a \\u escape", c)
			return r
		}
		r = r<<4 | rune(c)
	}
	return r
}

// maxDepth bounds the nesting of values that are skipped or kept.
const maxDepth = 1000

var errDeep = errors.New("values nested too deep")

// skip passes over a value of any kind.
func (s *scanner) skip() {
	for depth := 0; ; {
		switch c := s.peek(); c {
		case '"':
			s.text(nil, false)
		case '[', '{':
			s.pos++
			depth++
		case ']', '}':
			s.pos++
			depth--
		case 0:
			s.broken("a zero byte")
			return
		default:
			s.pos++ // a piece of a number or a word, a comma or a colon
		}
		if depth > maxDepth {
			s.broken("%w", errDeep)
		}
		if s.fail != nil {
			return
		}
		if depth == 0 && s.ended() {
			return
		}
	}
}

// pass passes over an array of numbers, which has one bracket at its end.
func (s *scanner) pass() {
	if !s.expect('[') {
		return
	}
	for {
		if s.pos == s.end && !s.fill() {
			return
		}
		at := bytes.IndexByte(s.buf[s.pos:s.end], ']')
		if at >= 0 {
			s.pos += at + 1
			return
		}
		s.pos = s.end
	}
}

// ended reports whether a value that was skipped is over.
func (s *scanner) ended() bool {
	c := s.peek()
	return s.fail != nil || c == ',' || c == '}' || c == ']'
}
