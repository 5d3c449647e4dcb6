package isolation

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind int

const (
	end     kind = iota
	keyword      // text is the word
	name         // text is the name without its quotes
	block        // text is the SQL without the blanks next to the braces
	number
	mark // text is one of , ( ) *
)

// token is one word of the language.
type token struct {
	kind kind
	text string
	pos  Pos
}

// String is how the token reads in an error.
func (t token) String() string {
	switch t.kind {
	case end:
		return "the end of the file"
	case name:
		return strconv.Quote(t.text)
	case block:
		return "an SQL block"
	default:
		return t.text
	}
}

// keywords are words that must be quoted to be names. Case matters.
var keywords = map[string]bool{
	"notices": true, "permutation": true, "session": true, "setup": true, "step": true, "teardown": true,
}

// scanner cuts a spec into tokens, as PostgreSQL's specscanner.l does: bytes
// from 0x80 up are letters, # begins a comment outside SQL, and nothing but }
// ends SQL.
type scanner struct {
	file string
	rest string
	pos  Pos
}

func (s *scanner) fault(pos Pos, format string, args ...any) error {
	return &Error{File: s.file, Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// take moves over n bytes and returns them.
func (s *scanner) take(n int) string {
	text := s.rest[:n]
	s.rest = s.rest[n:]
	line := text
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		s.pos.Line += strings.Count(text, "\n")
		s.pos.Column, line = 1, text[i+1:]
	}
	s.pos.Column += utf8.RuneCountInString(line)
	return text
}

// skip moves over blanks and comments.
func (s *scanner) skip() {
	for s.rest != "" {
		switch c := s.rest[0]; {
		case strings.IndexByte(" \t\r\f\n", c) >= 0:
			s.take(1)
		case c == '#':
			s.take(span(s.rest, func(c byte) bool { return c != '\n' && c != '\r' }))
		default:
			return
		}
	}
}

func (s *scanner) next() (token, error) {
	s.skip()
	pos := s.pos
	if s.rest == "" {
		return token{end, "", pos}, nil
	}
	switch c := s.rest[0]; {
	case letter(c):
		word := s.take(span(s.rest, func(c byte) bool { return letter(c) || digit(c) || c == '$' }))
		if keywords[word] {
			return token{keyword, word, pos}, nil
		}
		return token{name, word, pos}, nil
	case digit(c):
		return token{number, s.take(span(s.rest, digit)), pos}, nil
	case strings.IndexByte(",()*", c) >= 0:
		return token{mark, s.take(1), pos}, nil
	case c == '"':
		return s.quoted(pos)
	case c == '{':
		return s.sql(pos)
	default:
		return token{}, s.fault(pos, "%q has no meaning in a spec; SQL stands between braces", c)
	}
}

// quoted reads a name in double quotes; "" stands for one quote.
func (s *scanner) quoted(pos Pos) (token, error) {
	var b strings.Builder
	s.take(1)
	for {
		i := strings.IndexAny(s.rest, "\"\n")
		if i < 0 || s.rest[i] == '\n' {
			return token{}, s.fault(pos, "the quoted name does not end on its line; close it with a double quote")
		}
		b.WriteString(s.take(i))
		if !strings.HasPrefix(s.rest, `""`) {
			s.take(1)
			return token{name, b.String(), pos}, nil
		}
		b.WriteString(s.take(2)[1:])
	}
}

// sql reads a block. The blanks next to the braces do not belong to it, but a
// newline there does.
func (s *scanner) sql(pos Pos) (token, error) {
	i := strings.IndexByte(s.rest, '}')
	if i < 0 {
		return token{}, s.fault(pos, "the SQL block is not closed; it ends at the first }")
	}
	text := strings.Trim(s.rest[1:i], " \t\r\f")
	s.take(i + 1)
	if strings.IndexByte(text, 0) >= 0 {
		return token{}, s.fault(pos, "the SQL block holds a zero byte, which PostgreSQL does not take")
	}
	return token{block, text, pos}, nil
}

// span counts the leading bytes of s that are of a kind.
func span(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}
