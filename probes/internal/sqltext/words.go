package sqltext

import (
	"iter"
	"strings"
)

// String and Number stand for literals in what Words yields.
const (
	String = "'…'"
	Number = "0"
)

// Words yields a statement piece by piece: words in lower case, quoted
// identifiers as they are, String and Number for literals, everything else as
// single characters. Comments and space are left out, so that neither what a
// string holds nor what a comment says is taken for SQL.
func Words(sql string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(sql); {
			end := max(Skip(sql, i), i+1)
			if w := wordOf(sql, i, end); w != "" && !yield(w) {
				return
			}
			i = end
		}
	}
}

// wordOf is the piece from i to end as Words yields it, "" when it is none.
func wordOf(sql string, i, end int) string {
	text := sql[i:end]
	switch c := text[0]; {
	case strings.HasPrefix(text, "--"), strings.HasPrefix(text, "/*"), c == ' ', c == '\t', c == '\r', c == '\n', c == '\f':
		return ""
	case (c == 'e' || c == 'E') && len(text) == 1 && strings.HasPrefix(sql[end:], "'"):
		return "" // of the string that follows
	case c == '\'', c == '$' && len(text) > 1:
		return String
	case Digit(c):
		return Number
	case c == '"', c >= 0x80:
		return text
	}
	return strings.ToLower(text)
}

// Verb is the first word of a statement, in lower case: "select"; "" when there
// is none.
func Verb(sql string) string {
	for w := range Words(sql) {
		if Letter(w[0]) {
			return w
		}
	}
	return ""
}

// Plain is a statement without its comments and the semicolon at its end.
func Plain(sql string) string {
	var b strings.Builder
	for i := 0; i < len(sql); {
		end := max(Skip(sql, i), i+1)
		if text := sql[i:end]; strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*") {
			b.WriteByte(' ')
		} else {
			b.WriteString(text)
		}
		i = end
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(b.String()), "; \t\r\n"))
}

// Fingerprint is what statements have in common that differ in their values,
// comments and spacing alone.
func Fingerprint(sql string) string {
	var words []string
	for w := range Words(sql) {
		if w == String || w == Number {
			w = "?"
		}
		words = append(words, w)
	}
	for len(words) > 0 && words[len(words)-1] == ";" {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// Commands are the fingerprints of the commands in a text of several.
func Commands(sql string) []string {
	var list []string
	for _, part := range strings.Split(Fingerprint(sql), " ; ") {
		if part != "" {
			list = append(list, part)
		}
	}
	return list
}
