// Package sqltext finds where the parts of a statement end that are not to be
// looked into: strings, quoted identifiers, dollar quotes and comments, by the
// rules of PostgreSQL's lexical structure (manual, 4.1). It reads no statement
// (analyzers/internal/sqlread does that) and refuses none: what is not closed goes
// to the end. It may be imported by probes.
package sqltext

import "strings"

// Skip returns the end of the string, quoted identifier, dollar quote, comment
// or word that begins at i, and i when none does. What is not closed goes to
// the end of the text.
func Skip(text string, i int) int {
	rest := text[i:]
	switch c := rest[0]; {
	case c == '\'':
		return i + quoted(rest, '\'', i > 0 && (text[i-1] == 'E' || text[i-1] == 'e'))
	case c == '"':
		return i + quoted(rest, '"', false)
	case strings.HasPrefix(rest, "--"):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	case strings.HasPrefix(rest, "/*"):
		return i + Comment(rest)
	case c == '$':
		return i + dollar(rest)
	case Letter(c):
		// A $ inside a word does not begin a dollar quote.
		n := strings.IndexFunc(rest, func(r rune) bool { return r < 0x80 && !Letter(byte(r)) && r != '$' })
		if n < 0 {
			return len(text)
		}
		return i + n
	}
	return i
}

func quoted(s string, quote byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

// Comment is the length of the block comment at the start of s; PostgreSQL's
// nest.
func Comment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(s)
}

// dollar is the length of $tag$ … $tag$ at the start of s, 0 when there
// is none (such as $1).
func dollar(s string) int {
	n := Word(s[1:])
	if n > 0 && Digit(s[1]) || len(s) < n+2 || s[n+1] != '$' {
		return 0
	}
	tag := s[:n+2]
	end := strings.Index(s[len(tag):], tag)
	if end < 0 {
		return len(s)
	}
	return end + 2*len(tag)
}

// Word is the length of the word at the start of s, 0 when there is none.
func Word(s string) int {
	n := 0
	for n < len(s) && Letter(s[n]) {
		n++
	}
	return n
}

// Letter reports whether c can be in a word, by pgbench's rule for the names of
// variables: letters, digits, underscores, and every byte that is not ASCII.
func Letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Digit reports whether c is one of 0 to 9.
func Digit(c byte) bool { return c >= '0' && c <= '9' }
