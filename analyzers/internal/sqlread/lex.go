package sqlread

import "strings"

type class uint8

const (
	word    class = iota + 1 // keyword or identifier, folded
	quoted                   // "identifier"
	number                   // 12, 1.5e3
	str                      // 'text', decoded
	param                    // $1, ?, :name, @name
	special                  // operators and punctuation
)

// token is a piece of the source. text is folded, decoded or the operator.
type token struct {
	class  class
	text   string
	n      int // of $n
	lo, hi int // bytes of the source
}

func (t token) is(s string) bool { return t.text == s && (t.class == word || t.class == special) }

// lex cuts the source into tokens. It never fails: what is not closed ends
// with the source, what is unknown is an operator of one byte.
func lex(src string) []token {
	l := lexer{src: src, toks: make([]token, 0, len(src)/4+4)}
	for l.pos < len(src) {
		l.next()
	}
	return l.toks
}

type lexer struct {
	src   string
	pos   int
	asked int // number of ? seen
	toks  []token
}

func (l *lexer) peek(i int) byte {
	if l.pos+i < len(l.src) {
		return l.src[l.pos+i]
	}
	return 0
}

func (l *lexer) emit(c class, text string, hi int) {
	l.toks = append(l.toks, token{class: c, text: text, lo: l.pos, hi: hi})
	l.pos = hi
}

func (l *lexer) next() {
	c := l.src[l.pos]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
		l.pos++
	case c == '-' && l.peek(1) == '-':
		l.pos = l.until(l.pos, "\n")
	case c == '/' && l.peek(1) == '*':
		l.pos = blockComment(l.src, l.pos)
	case c == '\'':
		l.text(false, 0)
	case c == '"', c == '`':
		l.quotedName(c)
	case c == '$':
		l.dollar()
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		l.emit(number, l.src[l.pos:l.numberEnd()], l.numberEnd())
	case isLetter(c):
		l.name()
	default:
		l.operator(c)
	}
}

// until returns the offset after the next end, or that of the end of the source.
func (l *lexer) until(from int, end string) int {
	if i := strings.Index(l.src[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(l.src)
}

// blockComment returns the offset after a comment; comments nest.
func blockComment(src string, pos int) int {
	depth := 0
	for pos < len(src) {
		switch {
		case strings.HasPrefix(src[pos:], "/*"):
			depth++
			pos += 2
		case strings.HasPrefix(src[pos:], "*/"):
			depth--
			pos += 2
			if depth == 0 {
				return pos
			}
		default:
			pos++
		}
	}
	return pos
}

// text reads a string that starts skip bytes further on; escapes are those of E”.
func (l *lexer) text(escapes bool, skip int) {
	var b strings.Builder
	i := l.pos + skip + 1
	for i < len(l.src) {
		c := l.src[i]
		switch {
		case c == '\'' && i+1 < len(l.src) && l.src[i+1] == '\'':
			b.WriteByte('\'')
			i += 2
		case c == '\'':
			l.emit(str, b.String(), i+1)
			return
		case escapes && c == '\\' && i+1 < len(l.src):
			b.WriteByte(unescape(l.src[i+1]))
			i += 2
		default:
			b.WriteByte(c)
			i++
		}
	}
	l.emit(str, b.String(), len(l.src))
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	}
	return c
}

// quotedName reads a quoted name. MySQL's quotes are read as well: xorm turns
// them into those of the server.
func (l *lexer) quotedName(quote byte) {
	i := l.pos + 1
	for i < len(l.src) {
		if l.src[i] != quote {
			i++
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == quote {
			i += 2
			continue
		}
		l.emit(quoted, strings.ReplaceAll(l.src[l.pos+1:i], string([]byte{quote, quote}), string(quote)), i+1)
		return
	}
	l.emit(quoted, l.src[l.pos+1:], len(l.src))
}

// dollar reads $1 or $tag$text$tag$.
func (l *lexer) dollar() {
	if isDigit(l.peek(1)) {
		i, n := l.pos+1, 0
		for i < len(l.src) && isDigit(l.src[i]) {
			n = min(n*10+int(l.src[i]-'0'), 65535)
			i++
		}
		l.emit(param, l.src[l.pos:i], i)
		l.toks[len(l.toks)-1].n = n
		return
	}
	i := l.pos + 1
	for i < len(l.src) && (isLetter(l.src[i]) || isDigit(l.src[i])) {
		i++
	}
	if i == len(l.src) || l.src[i] != '$' {
		l.emit(special, "$", l.pos+1)
		return
	}
	tag := l.src[l.pos : i+1]
	end := l.until(i+1, tag)
	l.emit(str, strings.TrimSuffix(l.src[i+1:end], tag), end)
}

func (l *lexer) numberEnd() int {
	i := l.pos
	for i < len(l.src) {
		c := l.src[i]
		sign := (c == '+' || c == '-') && i > l.pos && (l.src[i-1] == 'e' || l.src[i-1] == 'E')
		if !isDigit(c) && !isLetter(c) && c != '.' && !sign {
			break
		}
		i++
	}
	return i
}

func (l *lexer) name() {
	i := l.pos
	for i < len(l.src) && (isLetter(l.src[i]) || isDigit(l.src[i]) || l.src[i] == '$') {
		i++
	}
	if i < len(l.src) && l.src[i] == '\'' && i == l.pos+1 && strings.IndexByte("eEbBxXnN", l.src[l.pos]) >= 0 {
		l.text(l.src[l.pos]|0x20 == 'e', 1)
		return
	}
	l.emit(word, strings.ToLower(l.src[l.pos:i]), i)
}

const operatorBytes = "+-*/<>=~!@#%^&|`?"

// operator reads an operator or one of the placeholders of other clients:
// "?" where a value is expected, :name and @name.
func (l *lexer) operator(c byte) {
	if (c == ':' || c == '@') && isLetter(l.peek(1)) && !l.after(':') {
		i := l.pos + 1
		for i < len(l.src) && (isLetter(l.src[i]) || isDigit(l.src[i])) {
			i++
		}
		l.emit(param, l.src[l.pos:i], i)
		return
	}
	if c == '?' && l.wantsValue() {
		l.asked++
		l.emit(param, "?", l.pos+1)
		l.toks[len(l.toks)-1].n = l.asked
		return
	}
	if c == ':' && (l.peek(1) == ':' || l.peek(1) == '=') {
		l.emit(special, l.src[l.pos:l.pos+2], l.pos+2)
		return
	}
	l.emit(special, l.src[l.pos:l.operatorEnd()], l.operatorEnd())
}

func (l *lexer) after(c byte) bool { return l.pos > 0 && l.src[l.pos-1] == c }

func (l *lexer) operatorEnd() int {
	i := l.pos
	for i < len(l.src) && strings.IndexByte(operatorBytes, l.src[i]) >= 0 {
		if i > l.pos && (strings.HasPrefix(l.src[i:], "--") || strings.HasPrefix(l.src[i:], "/*")) {
			break
		}
		// A sign or a placeholder after a comparison begins the next value.
		if i > l.pos && (l.src[i] == '-' || l.src[i] == '+' || l.src[i] == '@' && i+1 < len(l.src) && isLetter(l.src[i+1]) || l.src[i] == '?') && strings.IndexByte("=<>+-*/", l.src[i-1]) >= 0 && !strings.HasPrefix(l.src[i-1:], "->") {
			break
		}
		i++
	}
	return max(i, l.pos+1)
}

// wantsValue reports whether the token before cannot end an operand, so that
// "?" is a placeholder and not jsonb's operator.
func (l *lexer) wantsValue() bool {
	if len(l.toks) == 0 {
		return true
	}
	t := l.toks[len(l.toks)-1]
	switch t.class {
	case special:
		return t.text != ")" && t.text != "]"
	case word:
		return reserved(t.text)
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// reserved reports whether the folded word cannot be the name of a column
// without quotes, or is no column where an expression stands.
func reserved(s string) bool {
	switch s {
	case "all", "and", "any", "array", "as", "asc", "between", "both", "by", "case", "cast", "collate", "cross",
		"current_date", "current_time", "current_timestamp", "current_user", "default", "delete", "desc", "distinct", "do", "else",
		"end", "except", "exists", "false", "fetch", "for", "from", "full", "group", "having", "ilike", "in",
		"inner", "insert", "intersect", "interval", "into", "is", "isnull", "join", "lateral", "leading", "left", "like", "limit",
		"localtime", "localtimestamp", "natural", "not", "notnull", "null", "nulls", "offset", "on", "only", "or", "order",
		"outer", "overlaps", "returning", "right", "row", "rows", "select", "session_user", "set", "similar", "some",
		"symmetric", "table", "tablesample", "then", "to", "trailing", "true", "union", "unique", "update", "user", "using",
		"values", "variadic", "when", "where", "window", "with":
		return true
	}
	return false
}
