package record

import "strings"

// uncomment takes the comments out of a statement, which are different each time
// when they hold the id of a trace. A statement without any stays as it is.
func uncomment(sql string) (plain, comments string) {
	if !strings.Contains(sql, "/*") && !strings.Contains(sql, "--") {
		return sql, ""
	}
	var out, said strings.Builder
	for i := 0; i < len(sql); {
		end, comment := token(sql, i)
		if comment {
			said.WriteString(sql[i:end])
			out.WriteByte(' ')
		} else {
			out.WriteString(sql[i:end])
		}
		i = end
	}
	return strings.TrimSpace(out.String()), said.String()
}

// token returns the end of what begins at i: a quoted text, a comment, or one
// byte. What is not closed goes to the end.
func token(sql string, i int) (end int, comment bool) {
	rest := sql[i:]
	closing := func(from int, mark string) int {
		if k := strings.Index(rest[from:], mark); k >= 0 {
			return i + from + k + len(mark)
		}
		return len(sql)
	}
	switch {
	case strings.HasPrefix(rest, "--"):
		return closing(2, "\n"), true
	case strings.HasPrefix(rest, "/*"):
		return i + nested(rest), true
	case rest[0] == '\'' || rest[0] == '"':
		return closing(1, rest[:1]), false
	case rest[0] == '$':
		if k := strings.IndexByte(rest[1:], '$'); k >= 0 && strings.Trim(rest[1:k+1], letters) == "" {
			return closing(k+2, rest[:k+2]), false
		}
	}
	return i + 1, false
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// nested is the length of a comment, which may hold others.
func nested(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// plain takes the texts out of a statement that is no DML: what it sets may be
// a password.
func plain(sql string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES", "MERGE", "BEGIN", "COMMIT", "ROLLBACK", "START":
		return sql
	}
	var out strings.Builder
	for i := 0; i < len(sql); {
		end, _ := token(sql, i)
		if sql[i] == '\'' || sql[i] == '$' && end > i+1 {
			out.WriteString("'…'")
		} else {
			out.WriteString(sql[i:end])
		}
		i = end
	}
	return out.String()
}
