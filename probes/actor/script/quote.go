package script

import "strings"

// lineComment reads a comment up to the end of the line. One that begins with @
// is for us and leaves no trace in the statement.
func (s *scanner) lineComment(st *statement) error {
	at := s.pos
	end := strings.IndexByte(s.rest(), '\n')
	if end < 0 {
		end = len(s.rest())
	}
	s.pos += end
	text := s.text[at+2 : s.pos]
	if words := strings.TrimLeft(text, " \t"); len(words) > 1 && words[0] == '@' && isLetter(words[1]) {
		return s.comment(words, s.pos-len(words), st)
	}
	if !st.empty() {
		st.add(s.text[at:s.pos])
	}
	return nil
}

// blockComment reads /* */, which nest.
func (s *scanner) blockComment(st *statement) error {
	at, depth := s.pos, 0
	for !s.done() {
		switch two := s.text[s.pos:min(s.pos+2, len(s.text))]; two {
		case "/*":
			depth++
			s.pos += 2
		case "*/":
			depth--
			s.pos += 2
		default:
			s.pos++
		}
		if depth == 0 {
			st.add(s.text[at:s.pos])
			return nil
		}
	}
	return s.errorAt(at, "/*", "comment is not closed")
}

// quoted reads up to the closing quote; a doubled quote stands for itself, and
// in E'…' a backslash takes the next character with it. Variables are replaced
// in quotes too, as pgbench does.
func (s *scanner) quoted(st *statement, quote byte, backslash bool) error {
	at := s.pos
	for s.pos++; !s.done(); s.pos++ {
		switch c := s.peek(0); {
		case c == '\\' && backslash:
			s.pos++
		case c == quote && s.peek(1) == quote:
			s.pos++
		case c == quote:
			s.pos++
			s.substitute(st, s.text[at:s.pos])
			return nil
		}
	}
	s.pos = len(s.text)
	e := s.errorAt(at, string(quote), "quoted string is not closed")
	if quote == '"' {
		e.Msg = "quoted identifier is not closed"
	}
	return e
}

// dollarTag returns the $tag$ at the start of s, or "".
func dollarTag(s string) string {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '$':
			return s[:i+1]
		case !isAlnum(s[i]), i == 1 && isDigit(s[i]):
			return ""
		}
	}
	return ""
}

func (s *scanner) dollarQuoted(st *statement) error {
	at, tag := s.pos, dollarTag(s.rest())
	end := strings.Index(s.text[at+len(tag):], tag)
	if end < 0 {
		s.pos = len(s.text)
		return s.errorAt(at, tag, "dollar-quoted string is not closed")
	}
	s.pos = at + end + 2*len(tag)
	s.substitute(st, s.text[at:s.pos])
	return nil
}

// substitute adds a quoted text and cuts out the variables in it.
func (s *scanner) substitute(st *statement, text string) {
	st.source.WriteString(text)
	for text != "" {
		colon := strings.IndexByte(text, ':')
		if colon < 0 {
			break
		}
		st.text.WriteString(text[:colon])
		text = text[colon:]
		n := variableLen(text)
		if n > 0 {
			st.variable(text[1:n])
		} else {
			n = len(text) - len(strings.TrimLeft(text, ":"))
			st.text.WriteString(text[:n])
		}
		text = text[n:]
	}
	st.text.WriteString(text)
}

func (st *statement) variable(name string) {
	st.pieces = append(st.pieces, st.text.String(), name)
	st.text.Reset()
}

// variableLen returns the length of the :name at the start of s, 0 when there is
// none. A name does not begin with a digit, so that 12:30 stays a time.
func variableLen(s string) int {
	if len(s) < 2 || !isLetter(s[1]) {
		return 0
	}
	n := 2
	for n < len(s) && isAlnum(s[n]) {
		n++
	}
	return n
}
