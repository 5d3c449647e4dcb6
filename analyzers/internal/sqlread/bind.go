package sqlread

import "strings"

// Bind returns the statement with each parameter replaced by what with says of
// it: a Value of the kind Param, numbered or named as in Read. Comments are left
// out, and each run of blanks outside of strings and names is one.
func Bind(sql string, with func(Value) string) string {
	var b strings.Builder
	end := 0
	for _, t := range lex(sql) {
		if t.lo > end && b.Len() > 0 {
			b.WriteByte(' ')
		}
		if t.class == param {
			b.WriteString(with(Value{Kind: Param, N: t.n, Text: t.text}))
		} else {
			b.WriteString(sql[t.lo:t.hi])
		}
		end = t.hi
	}
	return b.String()
}
