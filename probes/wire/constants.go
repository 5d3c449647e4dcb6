package wire

import (
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// Constants takes the values out of a statement's text and puts $1, $2 … in
// their place, as a lane of the simple protocol is recorded: the statement is
// the same each time, and what changes are its values. Where it is not sure that
// a literal is a value it leaves the text alone.
func Constants(sql string) (string, []history.Value) {
	var s constantScan
	if !s.find(sql) {
		return sql, nil
	}
	return string(s.out), s.args
}

// constantScan walks over the tokens of a statement. One can be used for many.
type constantScan struct {
	in   string
	pos  int
	done int // in[:done] is in out
	out  []byte
	args []history.Value
	// value says that a literal here is a value: behind an operator, or a word or
	// parenthesis that an expression follows. Elsewhere it may be part of a type
	// such as numeric(10, 2), an interval, a limit, the number of a column.
	value bool
	word  bool   // nothing came behind the last word
	leads bool   // an expression follows that word
	list  bool   // what value is behind a comma
	outer []bool // list of the parentheses around
}

// find reports whether the text has values; out and args are then what Constants
// returns, until the next call.
func (s *constantScan) find(sql string) bool {
	*s = constantScan{in: sql, out: s.out[:0], args: s.args[:0], outer: s.outer[:0]}
	switch verb, _ := firstWord(sql); verb {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES", "MERGE":
	default:
		return false
	}
	if !s.run() || len(s.args) == 0 {
		return false
	}
	s.out = append(s.out, sql[s.done:]...)
	return true
}

// run reports false where the text has something that it does not understand.
func (s *constantScan) run() bool {
	for s.pos < len(s.in) {
		c := s.in[s.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.pos++
		case c == '\'':
			if !s.quoted() {
				return false
			}
		case c >= '0' && c <= '9':
			s.number()
		case isLetter(c):
			if !s.name() {
				return false
			}
		case c == '"':
			end := strings.IndexByte(s.in[s.pos+1:], '"')
			if end < 0 {
				return false
			}
			s.pos += end + 2
			s.value, s.word, s.leads = false, true, false
		case c == '$' || c == '\\' || strings.HasPrefix(s.in[s.pos:], "--") || strings.HasPrefix(s.in[s.pos:], "/*"):
			return false
		default:
			s.symbol(c)
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

// forget lets go of the text. What a long one needed is not kept.
func (s *constantScan) forget() {
	if cap(s.args) > maxSpare || cap(s.out) > maxShape {
		*s = constantScan{}
		return
	}
	clear(s.args)
	s.in = ""
}

// role is what a word says of the literals behind it: whether an expression
// follows, and whether the word decides what a comma is followed by.
func role(word string) (leads, decides bool) {
	var upper [len("RETURNING")]byte
	if len(word) > len(upper) {
		return false, false
	}
	for i := range len(word) {
		upper[i] = word[i]
		if c := word[i]; c >= 'a' && c <= 'z' {
			upper[i] = c - 'a' + 'A'
		}
	}
	switch string(upper[:len(word)]) {
	case "WHERE", "AND", "OR", "NOT", "SELECT", "VALUES", "IN", "BETWEEN", "LIKE", "ILIKE", "THEN", "ELSE", "WHEN", "RETURNING":
		return true, true
	case "BY", "FROM", "LIMIT", "OFFSET", "INTO":
		return false, true
	}
	return false, false
}

func (s *constantScan) name() bool {
	start := s.pos
	for s.pos < len(s.in) && (isLetter(s.in[s.pos]) || s.in[s.pos] >= '0' && s.in[s.pos] <= '9') {
		s.pos++
	}
	if s.pos < len(s.in) && s.in[s.pos] == '\'' {
		return false // E'…', B'…', U&'…': escapes of another kind
	}
	leads, decides := role(s.in[start:s.pos])
	s.value, s.word, s.leads = leads, true, leads
	if decides {
		s.list = leads
	}
	return true
}

// symbol is an operator or punctuation.
func (s *constantScan) symbol(c byte) {
	s.pos++
	switch c {
	case '(':
		// Behind a word it opens the arguments of a function, a list of columns or
		// the modifier of a type; only behind these words it is surely an expression.
		s.open(!s.word || s.leads)
	case '[':
		s.open(false)
	case ')', ']':
		s.value = false
		if n := len(s.outer); n > 0 {
			s.list, s.outer = s.outer[n-1], s.outer[:n-1]
		}
	case ',':
		s.value = s.list
	case '.', ';', ':':
		s.value = false
	default:
		s.value = true
	}
	s.word = false
}

func (s *constantScan) open(value bool) {
	s.outer = append(s.outer, s.list)
	s.value, s.list = value, value
}

// number takes a plain number.
func (s *constantScan) number() {
	start := s.pos
	for s.pos < len(s.in) && (s.in[s.pos] >= '0' && s.in[s.pos] <= '9' || s.in[s.pos] == '.') {
		s.pos++
	}
	plain := s.pos == len(s.in) || !isLetter(s.in[s.pos])
	for s.pos < len(s.in) && (isLetter(s.in[s.pos]) || s.in[s.pos] >= '0' && s.in[s.pos] <= '9') {
		s.pos++
	}
	if plain {
		s.take(start, s.in[start:s.pos])
	}
	s.value, s.word = false, false
}

// quoted takes a string. With standard_conforming_strings, the default since
// 9.1, only a doubled quote is special.
func (s *constantScan) quoted() bool {
	start := s.pos
	for s.pos++; s.pos < len(s.in); s.pos++ {
		if s.in[s.pos] == '\\' {
			return false
		}
		if s.in[s.pos] != '\'' {
			continue
		}
		if s.pos+1 == len(s.in) || s.in[s.pos+1] != '\'' {
			break
		}
		s.pos++
	}
	if s.pos >= len(s.in) {
		return false
	}
	s.pos++
	s.take(start, strings.ReplaceAll(s.in[start+1:s.pos-1], "''", "'"))
	s.value, s.word = false, false
	return true
}

func (s *constantScan) take(start int, text string) {
	if !s.value {
		return
	}
	s.args = append(s.args, history.Text(text))
	s.out = append(append(s.out, s.in[s.done:start]...), '$')
	s.out = strconv.AppendInt(s.out, int64(len(s.args)), 10)
	s.done = s.pos
}
