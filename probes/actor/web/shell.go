package web

import (
	"strconv"
	"strings"
)

// splitShell cuts a command into words as a POSIX shell does, with the $'…' of
// bash, which browsers write; nothing is expanded.
func splitShell(line string) ([]string, error) {
	if strings.Contains(line, ` ^"`) || strings.Contains(line, "^\n") {
		return nil, &CurlError{"it is quoted for the Windows command prompt", `copy it from the browser as "cURL (bash)"`}
	}
	s := &splitter{text: line}
	for s.at < len(s.text) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	return s.words, nil
}

// splitter is a command being cut.
type splitter struct {
	text  string
	at    int
	word  strings.Builder
	open  bool // there is a word, even an empty one
	words []string
}

func (s *splitter) end() {
	if s.open {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.open = false
}

func (s *splitter) step() error {
	c := s.text[s.at]
	s.at++
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.end()
	case c == '\'':
		return s.single()
	case c == '"':
		return s.double()
	case c == '$' && strings.HasPrefix(s.text[s.at:], "'"):
		s.at++
		return s.ansi()
	case c == '\\':
		s.escape()
	default:
		s.add(c)
	}
	return nil
}

func (s *splitter) add(c byte) {
	s.word.WriteByte(c)
	s.open = true
}

// escape is a backslash outside of quotes; at the end of a line it joins the
// next one.
func (s *splitter) escape() {
	rest := s.text[s.at:]
	switch {
	case rest == "":
	case strings.HasPrefix(rest, "\r\n"):
		s.at += 2
	case rest[0] == '\n':
		s.at++
	default:
		s.add(rest[0])
		s.at++
	}
}

var errOpen = &CurlError{"a quote is not closed", "put the whole command in quotes of the other kind, or write ' inside of '…' as '\\''"}

func (s *splitter) single() error {
	inside, _, closed := strings.Cut(s.text[s.at:], "'")
	if !closed {
		return errOpen
	}
	s.word.WriteString(inside)
	s.open = true
	s.at += len(inside) + 1
	return nil
}

func (s *splitter) double() error {
	s.open = true
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return nil
		case c == '\\' && s.at < len(s.text) && strings.IndexByte("\"\\$`", s.text[s.at]) >= 0:
			s.add(s.text[s.at])
			s.at++
		case c == '\\' && s.at < len(s.text) && s.text[s.at] == '\n':
			s.at++
		default:
			s.add(c)
		}
	}
	return errOpen
}

// simple are the escapes of $'…' that stand for one character.
var simple = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"', '?': '?', 'a': 7, 'b': 8, 'f': 12, 'v': 11, 'e': 27}

// ansi reads $'…' (bash manual, 3.1.2.4).
func (s *splitter) ansi() error {
	s.open = true
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '\'':
			return nil
		case c != '\\' || s.at == len(s.text):
			s.add(c)
		default:
			s.ansiEscape()
		}
	}
	return errOpen
}

func (s *splitter) ansiEscape() {
	c := s.text[s.at]
	s.at++
	width := map[byte]int{'u': 4, 'U': 8, 'x': 2}[c]
	if width == 0 {
		if plain, ok := simple[c]; ok {
			s.add(plain)
			return
		}
		s.add('\\')
		s.add(c)
		return
	}
	digits := 0
	for digits < width && s.at+digits < len(s.text) && isHex(s.text[s.at+digits]) {
		digits++
	}
	n, err := strconv.ParseUint(s.text[s.at:s.at+digits], 16, 32)
	s.at += digits
	switch {
	case err != nil:
		s.add('\\')
		s.add(c)
	case c == 'x':
		s.add(byte(n))
	default:
		s.word.WriteRune(rune(n))
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
