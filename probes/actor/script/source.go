package script

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// source is the text of a script and how far it has been read.
type source struct {
	file string
	text string
	pos  int
}

func (s *source) done() bool { return s.pos >= len(s.text) }

// peek returns the byte n places ahead, 0 beyond the end.
func (s *source) peek(n int) byte {
	if s.pos+n < len(s.text) {
		return s.text[s.pos+n]
	}
	return 0
}

func (s *source) rest() string { return s.text[s.pos:] }

// position returns the line and the column of an offset, both from 1.
func (s *source) position(at int) (line, column int) {
	before := s.text[:at]
	line = strings.Count(before, "\n") + 1
	start := strings.LastIndexByte(before, '\n') + 1
	return line, utf8.RuneCountInString(before[start:]) + 1
}

func (s *source) line(at int) int {
	line, _ := s.position(at)
	return line
}

// errorAt returns a syntax error at an offset, where token stands.
func (s *source) errorAt(at int, token, format string, args ...any) *SyntaxError {
	line, column := s.position(at)
	return &SyntaxError{File: s.file, Line: line, Column: column, Token: token, Msg: fmt.Sprintf(format, args...)}
}

// continuation returns the length of a backslash at the end of a line with the
// end of the line, 0 when there is none here.
func (s *source) continuation() int {
	switch {
	case s.peek(0) != '\\':
		return 0
	case s.peek(1) == '\n':
		return 2
	case s.peek(1) == '\r' && s.peek(2) == '\n':
		return 3
	}
	return 0
}

// skipBlanks skips blanks and continued line ends.
func (s *source) skipBlanks() {
	for !s.done() {
		if isBlank(s.peek(0)) {
			s.pos++
		} else if n := s.continuation(); n > 0 {
			s.pos += n
		} else {
			return
		}
	}
}

// word is a word of a backslash command and where it stands.
type word struct {
	text string
	at   int
}

// nextWord returns the next word before the end of the line.
func (s *source) nextWord() (word, bool) {
	s.skipBlanks()
	start := s.pos
	for !s.done() && !isBlank(s.peek(0)) && s.peek(0) != '\n' && s.continuation() == 0 {
		s.pos++
	}
	return word{s.text[start:s.pos], start}, s.pos > start
}

// endOfLine returns the offset of the end of the command that is being read:
// the next newline that is not continued.
func (s *source) endOfLine() int {
	for i := s.pos; i < len(s.text); i++ {
		continued := strings.HasSuffix(s.text[:i], "\\") || strings.HasSuffix(s.text[:i], "\\\r")
		if s.text[i] == '\n' && !continued {
			return i
		}
	}
	return len(s.text)
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter says which bytes a name may begin with; all of a character beyond
// ASCII count.
func isLetter(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

func isAlnum(c byte) bool { return isLetter(c) || isDigit(c) }

// validName reports whether a variable can have that name.
func validName(name string) bool {
	if name == "" || !isLetter(name[0]) {
		return false
	}
	for i := range len(name) {
		if !isAlnum(name[i]) {
			return false
		}
	}
	return true
}
