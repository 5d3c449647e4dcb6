package record

import (
	"strings"

	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

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

// token returns the end of what begins at i: a quoted text, a comment, a word or
// one byte.
func token(sql string, i int) (end int, comment bool) {
	return max(sqltext.Skip(sql, i), i+1), strings.HasPrefix(sql[i:], "--") || strings.HasPrefix(sql[i:], "/*")
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
