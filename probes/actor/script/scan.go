package script

import "strings"

// ending is what ended a statement.
type ending uint8

const (
	endText      ending = iota // the end of the script
	endSemicolon               // ;
	endBackslash               // the backslash of a command
)

// statement is a statement as the scanner found it.
type statement struct {
	at     int             // offset of its first byte
	source strings.Builder // as written, without "-- @" comments
	pieces []string        // text, variable, text … : what is sent, \; as ;
	text   strings.Builder // the piece under way
	words  []string        // its first words, in lower case
}

// empty says that no statement has begun: there were blanks and -- comments only.
func (st *statement) empty() bool { return st.source.Len() == 0 }

// add takes text into the statement as it is.
func (st *statement) add(text string) {
	st.source.WriteString(text)
	st.text.WriteString(text)
}

// scanner finds the statements of a script. Its rules are those of psql's
// scanner with standard_conforming_strings on: a semicolon ends a statement
// unless it stands in quotes, a comment, parentheses, or the body of a function
// in CREATE FUNCTION … BEGIN … END.
type scanner struct {
	*source
	parens  []int // offsets of the parentheses that are open
	begins  []int // offsets of BEGIN and CASE that wait for their END
	comment func(text string, at int, st *statement) error
}

// next reads up to the end of the next statement.
func (s *scanner) next(st *statement) (ending, error) {
	for !s.done() {
		at := s.pos
		switch c := s.peek(0); {
		case c == '\\':
			if n := s.peek(1); n != ';' && n != ':' {
				return endBackslash, s.closed()
			}
			s.escape(st)
			continue
		case c == ';' && len(s.parens) == 0 && len(s.begins) == 0:
			s.begin(st, at)
			s.pos++
			return endSemicolon, nil
		}
		if err := s.element(st); err != nil {
			return endText, err
		}
	}
	return endText, s.closed()
}

// closed checks that a statement which no semicolon ended is complete, so that
// the server could take it.
func (s *scanner) closed() error {
	if n := len(s.parens); n > 0 {
		return s.errorAt(s.parens[n-1], "(", "parenthesis is not closed")
	}
	if n := len(s.begins); n > 0 {
		at := s.begins[n-1]
		return s.errorAt(at, firstWord(s.text[at:]), "body of the function is not closed by END")
	}
	return nil
}

// begin marks the start of the statement if it has none.
func (s *scanner) begin(st *statement, at int) {
	if st.empty() {
		st.at = at
	}
}

// escape reads \; and \: as the bare character.
func (s *scanner) escape(st *statement) {
	s.begin(st, s.pos)
	st.source.WriteString(s.text[s.pos : s.pos+2])
	st.text.WriteByte(s.peek(1))
	s.pos += 2
}

// element reads one element of SQL: blanks, a comment, a quoted text, a word, a
// variable, one other character.
func (s *scanner) element(st *statement) error {
	at := s.pos
	c := s.peek(0)
	if isBlank(c) || c == '\n' {
		for s.pos++; isBlank(s.peek(0)) || s.peek(0) == '\n'; s.pos++ {
		}
		if !st.empty() {
			st.add(s.text[at:s.pos])
		}
		return nil
	}
	if c == '-' && s.peek(1) == '-' {
		return s.lineComment(st)
	}
	s.begin(st, at)
	switch {
	case c == '/' && s.peek(1) == '*':
		return s.blockComment(st)
	case c == '\'' || c == '"':
		return s.quoted(st, c, false)
	case c == '$' && dollarTag(s.rest()) != "":
		return s.dollarQuoted(st)
	case isLetter(c):
		return s.word(st)
	case c == ':':
		s.colon(st)
	default:
		s.paren(c)
		s.pos++
		st.add(s.text[at:s.pos])
	}
	return nil
}

func (s *scanner) paren(c byte) {
	if c == '(' {
		s.parens = append(s.parens, s.pos)
	}
	if c == ')' && len(s.parens) > 0 {
		s.parens = s.parens[:len(s.parens)-1]
	}
}

// colon reads a variable, or a run of colons: neither :: nor ::: begins one.
func (s *scanner) colon(st *statement) {
	n := variableLen(s.rest())
	if n == 0 {
		for n = 1; s.peek(n) == ':'; n++ {
		}
		st.add(s.text[s.pos : s.pos+n])
		s.pos += n
		return
	}
	st.source.WriteString(s.text[s.pos : s.pos+n])
	st.variable(s.text[s.pos+1 : s.pos+n])
	s.pos += n
}

// word reads a name or keyword. A letter before a quote can change the meaning
// of the quoted text.
func (s *scanner) word(st *statement) error {
	at := s.pos
	for isAlnum(s.peek(0)) || s.peek(0) == '$' {
		s.pos++
	}
	text := s.text[at:s.pos]
	st.add(text)
	if s.peek(0) == '\'' && strings.EqualFold(text, "e") {
		return s.quoted(st, '\'', true)
	}
	s.countBody(st, strings.ToLower(text), at)
	return nil
}

// countBody follows BEGIN … END in the body of a function or procedure.
func (s *scanner) countBody(st *statement, word string, at int) {
	if len(st.words) < 4 {
		st.words = append(st.words, word)
	}
	if len(s.parens) > 0 || !createsRoutine(st.words) {
		return
	}
	switch {
	case word == "begin", word == "case" && len(s.begins) > 0:
		s.begins = append(s.begins, at)
	case word == "end" && len(s.begins) > 0:
		s.begins = s.begins[:len(s.begins)-1]
	}
}

// createsRoutine reports whether the words begin CREATE [OR REPLACE] FUNCTION or
// PROCEDURE.
func createsRoutine(words []string) bool {
	if len(words) < 2 || words[0] != "create" {
		return false
	}
	if len(words) > 3 && words[1] == "or" && words[2] == "replace" {
		words = words[2:]
	}
	return words[1] == "function" || words[1] == "procedure"
}
