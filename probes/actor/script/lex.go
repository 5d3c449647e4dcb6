package script

import (
	"strconv"
	"strings"
)

// tokenKind is what a token of an expression is.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota // of the line or the text
	tokenInt
	tokenDouble
	tokenMinInt // 9223372036854775808, an integer only after a minus sign
	tokenVariable
	tokenName // of a function
	tokenSymbol
	tokenKeyword
	tokenQuote // a string in single quotes, where text is known
)

type token struct {
	kind  tokenKind
	text  string // as written; a keyword in lower case, != as <>
	at    int
	value value // of a number
}

var keywords = []string{
	"and", "or", "not", "is", "isnull", "notnull", "case", "when", "then", "else", "end",
	"true", "false", "null",
}

// lexer cuts an expression into tokens; it ends where the expression does.
type lexer struct {
	src   *source
	end   int
	texts bool // strings in single quotes are tokens
}

// next returns the next token.
func (l *lexer) next() (token, error) {
	s := l.src
	s.skipBlanks()
	if s.pos >= l.end {
		s.pos = l.end
		return token{kind: tokenEnd, at: l.end}, nil
	}
	start := s.pos
	switch c := s.peek(0); {
	case isDigit(c), c == '.' && isDigit(s.peek(1)):
		return l.number()
	case c == ':' && isAlnum(s.peek(1)):
		s.pos++
		return token{kind: tokenVariable, text: l.run(), at: start}, nil
	case isLetter(c):
		return wordToken(l.run(), start), nil
	case c == '\'' && l.texts:
		return l.quote()
	}
	return l.symbol()
}

// run reads letters and digits.
func (l *lexer) run() string {
	start := l.src.pos
	for l.src.pos < l.end && isAlnum(l.src.peek(0)) {
		l.src.pos++
	}
	return l.src.text[start:l.src.pos]
}

func wordToken(text string, at int) token {
	for _, k := range keywords {
		if strings.EqualFold(k, text) {
			return token{kind: tokenKeyword, text: k, at: at}
		}
	}
	return token{kind: tokenName, text: text, at: at}
}

func (l *lexer) digits() {
	for l.src.pos < l.end && isDigit(l.src.peek(0)) {
		l.src.pos++
	}
}

// number reads 12, 12., .5, 1.5e-3. Letters that make no exponent are left to
// be the next token.
func (l *lexer) number() (token, error) {
	s := l.src
	start, kind := s.pos, tokenInt
	l.digits()
	if s.peek(0) == '.' && s.pos < l.end {
		kind = tokenDouble
		s.pos++
		l.digits()
	}
	if n := l.exponent(); n > 0 {
		kind = tokenDouble
		s.pos += n
		l.digits()
	}
	t := token{kind: kind, text: s.text[start:s.pos], at: start}
	err := l.convert(&t)
	return t, err
}

// exponent returns the length of e, e+ or e- when digits follow.
func (l *lexer) exponent() int {
	n := 1
	if l.src.peek(0)|0x20 != 'e' {
		return 0
	}
	if c := l.src.peek(1); c == '+' || c == '-' {
		n = 2
	}
	if l.src.pos+n >= l.end || !isDigit(l.src.peek(n)) {
		return 0
	}
	return n
}

func (l *lexer) convert(t *token) error {
	if t.kind == tokenDouble {
		d, ok := parseDouble(t.text)
		if !ok {
			return l.src.errorAt(t.at, t.text, "double constant overflow")
		}
		t.value = doubleValue(d)
		return nil
	}
	if t.text == "9223372036854775808" {
		t.kind = tokenMinInt
		return nil
	}
	i, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		return l.src.errorAt(t.at, t.text, "bigint constant overflow")
	}
	t.value = intValue(i)
	return nil
}

func (l *lexer) symbol() (token, error) {
	s := l.src
	start := s.pos
	if s.pos+1 < l.end {
		switch two := s.text[start : start+2]; two {
		case "<=", ">=", "<>", "!=", "<<", ">>":
			s.pos += 2
			if two == "!=" {
				two = "<>"
			}
			return token{kind: tokenSymbol, text: two, at: start}, nil
		}
	}
	if one := s.text[start : start+1]; strings.Contains("+-*/%(),<>=|#&~", one) {
		s.pos++
		return token{kind: tokenSymbol, text: one, at: start}, nil
	}
	return token{}, s.errorAt(start, s.text[start:start+1], "unexpected character")
}
