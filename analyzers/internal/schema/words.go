package schema

import "strings"

// parser is a place in the words of a statement.
type parser struct {
	words []string
	at    int
}

func (p *parser) end() bool { return p.at >= len(p.words) }

func (p *parser) next() string {
	if p.end() {
		return ""
	}
	p.at++
	return p.words[p.at-1]
}

func (p *parser) is(word string) bool { return !p.end() && strings.EqualFold(p.words[p.at], word) }

// skip takes all of the words or none.
func (p *parser) skip(words ...string) bool {
	for i, w := range words {
		if p.at+i >= len(p.words) || !strings.EqualFold(p.words[p.at+i], w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

// ident takes a name, with its schema.
func (p *parser) ident() string {
	n := p.next()
	for p.skip(".") {
		n = p.next()
	}
	return name(n)
}

// columns takes a list in parentheses. Of an expression it takes the last word:
// a key on lower(email) forbids all that one on email does.
func (p *parser) columns() []string {
	if !p.skip("(") {
		return nil
	}
	var key []string
	for _, item := range p.items() {
		column := ""
		for i, w := range item {
			cast := i > 0 && item[i-1] == ":"
			if isWord(w) && !cast && (i+1 == len(item) || item[i+1] != "(") && !isOption(w) {
				column = name(w)
			}
			if isOption(w) {
				break
			}
		}
		if column == "" {
			return nil
		}
		key = append(key, column)
	}
	return key
}

// isOption reports words that may follow a column in an index.
func isOption(w string) bool {
	switch strings.ToLower(w) {
	case "asc", "desc", "nulls", "collate", "varchar_pattern_ops", "text_pattern_ops":
		return true
	}
	return false
}

// items takes what is separated by commas, up to the closing parenthesis of the
// list or the end.
func (p *parser) items() [][]string {
	var all [][]string
	start, depth := p.at, 0
	for ; !p.end(); p.at++ {
		switch p.words[p.at] {
		case "(":
			depth++
		case ")":
			if depth == 0 {
				all = append(all, p.words[start:p.at])
				p.at++
				return all
			}
			depth--
		case ",":
			if depth == 0 {
				all = append(all, p.words[start:p.at])
				start = p.at + 1
			}
		}
	}
	return append(all, p.words[start:])
}

func isWord(w string) bool { return w != "" && (isLetter(w[0]) || w[0] == '"' || w[0] == '`') }

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// statements cuts a text into statements and these into words: identifiers,
// quoted or not, and signs. Comments, strings and the commands of psql, which end
// with their line and without a semicolon, are dropped; what is in dollar quotes is
// a program and no DDL of this level.
func statements(text string) [][]string {
	var all [][]string
	var words []string
	for i := 0; i < len(text); {
		n, word := scan(text[i:])
		i += n
		switch word {
		case "":
		case ";":
			all, words = append(all, words), nil
		default:
			words = append(words, word)
		}
	}
	return append(all, words)
}

// scan returns the length of what is at the beginning of text, and the word in
// it, "" for none.
func scan(text string) (n int, word string) {
	c := text[0]
	switch {
	case strings.HasPrefix(text, "--"), c == '\\':
		return until(text, 1, "\n"), ""
	case strings.HasPrefix(text, "/*"):
		return until(text, 2, "*/"), ""
	case c == '\'':
		return until(text, 1, "'"), ""
	case c == '"' || c == '`':
		n = until(text, 1, string(c))
		return n, text[:n]
	case c == '$':
		if tag := dollar(text); tag != "" {
			return until(text, len(tag), tag), ""
		}
		return 1, ""
	case isLetter(c):
		for n < len(text) && isLetter(text[n]) {
			n++
		}
		return n, text[:n]
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return 1, ""
	}
	return 1, text[:1]
}

// until is the end of the first end mark behind from, or of the text.
func until(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// dollar is the tag of a dollar quote, such as $$ or $body$.
func dollar(text string) string {
	for i := 1; i < len(text); i++ {
		if text[i] == '$' {
			return text[:i+1]
		}
		if !isLetter(text[i]) || i == 1 && text[i] >= '0' && text[i] <= '9' {
			return ""
		}
	}
	return ""
}
