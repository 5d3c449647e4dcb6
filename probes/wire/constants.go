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
	switch verb, _ := firstWord(sql); verb {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES", "MERGE":
	default:
		return sql, nil
	}
	s := constantScan{in: sql}
	if !s.run() || len(s.args) == 0 {
		return sql, nil
	}
	s.out.WriteString(sql[s.done:])
	return s.out.String(), s.args
}

// constantScan walks over the tokens of a statement.
type constantScan struct {
	in   string
	pos  int
	done int // in[:done] is in out
	out  strings.Builder
	args []history.Value
	// value says that a literal here is a value: behind an operator, or a word or
	// parenthesis that an expression follows. Elsewhere it may be part of a type
	// such as numeric(10, 2), an interval, a limit, the number of a column.
	value bool
	after string // the last word, in upper case, when nothing came behind it
	list  bool   // what value is behind a comma
	outer []bool // list of the parentheses around
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
			if !s.word() {
				return false
			}
		case c == '"':
			end := strings.IndexByte(s.in[s.pos+1:], '"')
			if end < 0 {
				return false
			}
			s.pos += end + 2
			s.value, s.after = false, `"`
		case c == '$' || c == '\\' || strings.HasPrefix(s.in[s.pos:], "--") || strings.HasPrefix(s.in[s.pos:], "/*"):
			return false
		default:
			s.symbol(c)
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

// before are the words that an expression follows.
var before = map[string]bool{
	"WHERE": true, "AND": true, "OR": true, "NOT": true, "SELECT": true, "VALUES": true, "IN": true,
	"BETWEEN": true, "LIKE": true, "ILIKE": true, "THEN": true, "ELSE": true, "WHEN": true, "RETURNING": true,
}

// noList are the words behind which a comma is followed by no value.
var noList = map[string]bool{"BY": true, "FROM": true, "LIMIT": true, "OFFSET": true, "INTO": true}

func (s *constantScan) word() bool {
	start := s.pos
	for s.pos < len(s.in) && (isLetter(s.in[s.pos]) || s.in[s.pos] >= '0' && s.in[s.pos] <= '9') {
		s.pos++
	}
	if s.pos < len(s.in) && s.in[s.pos] == '\'' {
		return false // E'…', B'…', U&'…': escapes of another kind
	}
	s.after = strings.ToUpper(s.in[start:s.pos])
	s.value = before[s.after]
	if s.value || noList[s.after] {
		s.list = s.value
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
		s.open(s.after == "" || before[s.after])
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
	s.after = ""
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
	s.value, s.after = false, ""
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
	s.value, s.after = false, ""
	return true
}

func (s *constantScan) take(start int, text string) {
	if !s.value {
		return
	}
	s.args = append(s.args, history.Text(text))
	s.out.WriteString(s.in[s.done:start])
	s.out.WriteString("$" + strconv.Itoa(len(s.args)))
	s.done = s.pos
}
