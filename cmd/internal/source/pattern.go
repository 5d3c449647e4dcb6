package source

import (
	"regexp"
	"strings"
)

// tokens of a statement: comments, texts, dollar-quoted ones left out, names,
// numbers, parameters, and signs.
var tokens = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"[^"]*"|\$\d+|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|[^\s\w]`)

const (
	// between is what may stand between two tokens in code: blanks, the ends of
	// two strings that are joined, escapes.
	between = `(?:\\[nrt]|[\s"'` + "`" + `+\\.&|])*`
	// value is what stands for a value: a literal, a parameter, a piece of the
	// language around. It ends before the next token of the statement.
	value = `[^;\n]{1,80}?`
	// fewest is the number of names that tell a statement from others.
	fewest = 4
)

// patternOf is an expression that finds the statement in code, nil when it has
// too little to be found by: BEGIN, COMMIT.
func patternOf(sql string) *regexp.Regexp {
	var parts []string
	names := 0
	for _, tok := range tokens.FindAllString(sql, -1) {
		part := partOf(tok)
		switch {
		case part == "":
			continue
		case part != value:
			names++
		case len(parts) > 0 && parts[len(parts)-1] == value:
			continue
		}
		parts = append(parts, part)
	}
	for len(parts) > 0 && parts[len(parts)-1] == value {
		parts = parts[:len(parts)-1] // of the last one nothing shows the end
	}
	if names < fewest {
		return nil
	}
	re, err := regexp.Compile(`(?is)` + strings.Join(parts, between))
	if err != nil {
		return nil // a name that repeats too often: not to be found
	}
	return re
}

// partOf is the expression of one token, "" for what may be written in more ways
// than one.
func partOf(tok string) string {
	switch c := tok[0]; {
	case strings.HasPrefix(tok, "--"), strings.HasPrefix(tok, "/*"), c == ';', c == '.':
		return ""
	case c == '\'', c == '$' && len(tok) > 1, c >= '0' && c <= '9':
		return value
	case strings.EqualFold(tok, "null"), strings.EqualFold(tok, "true"), strings.EqualFold(tok, "false"):
		return value
	case c == '"':
		return regexp.QuoteMeta(strings.Trim(tok, `"`))
	case c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
		return `\b` + regexp.QuoteMeta(tok) + `\b`
	}
	return regexp.QuoteMeta(tok)
}
