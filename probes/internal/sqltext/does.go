package sqltext

import (
	"slices"
	"strings"
)

// Writes reports whether a statement changes rows by its own words: INSERT,
// UPDATE, DELETE, MERGE, TRUNCATE, COPY … FROM, or WITH that has one of them in
// it (manual, 7.8.4). What a function does that it calls is not known.
func Writes(sql string) bool {
	words := slices.Collect(Words(sql))
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "insert", "update", "delete", "merge", "truncate":
		return true
	case "copy":
		return copiesIn(words)
	case "with":
		return slices.ContainsFunc(indexes(words, "(", ")"), func(i int) bool { return i+2 < len(words) && changes(words[i+1], words[i+2]) })
	}
	return false
}

// changes reports whether two words that follow a parenthesis begin a statement
// that changes rows.
func changes(verb, next string) bool {
	switch verb {
	case "insert", "merge":
		return next == "into"
	case "delete":
		return next == "from"
	case "update":
		return Letter(next[0]) || next[0] == '"'
	}
	return false
}

// copiesIn reports whether a COPY reads rows: what it copies is a name or, in
// parentheses, a query, and the word after that says which way.
func copiesIn(words []string) bool {
	depth := 0
	for _, w := range words {
		switch {
		case w == "(":
			depth++
		case w == ")":
			depth--
		case depth == 0 && (w == "from" || w == "to"):
			return w == "from"
		}
	}
	return false
}

func indexes(words []string, of ...string) (list []int) {
	for i, w := range words {
		if slices.Contains(of, w) {
			list = append(list, i)
		}
	}
	return list
}

// Keeps reports whether a query locks something until its transaction ends: rows
// (FOR UPDATE, FOR SHARE), or an advisory lock of its transaction.
func Keeps(sql string) bool {
	last := ""
	for w := range Words(sql) {
		switch {
		case w == "update" && (last == "for" || last == "key"), w == "share" && (last == "for" || last == "key"):
			return true
		case strings.HasPrefix(w, "pg_advisory_xact_lock"), strings.HasPrefix(w, "pg_try_advisory_xact_lock"):
			return true
		}
		last = w
	}
	return false
}

// Peeks reports whether a statement looks at locks without waiting for them, or
// sets how long it waits.
func Peeks(sql string) bool {
	last := ""
	for w := range Words(sql) {
		if w == "nowait" || w == "lock_timeout" || w == "locked" && last == "skip" || strings.HasPrefix(w, "pg_try_advisory_") {
			return true
		}
		last = w
	}
	return false
}

// LocksSession reports whether a statement takes an advisory lock that its session
// keeps until it gives it up (manual, 9.27.10).
func LocksSession(sql string) bool {
	for w := range Words(sql) {
		switch w {
		case "pg_advisory_lock", "pg_advisory_lock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock_shared":
			return true
		}
	}
	return false
}

// Calls are the functions that a statement calls, and the other words before a
// parenthesis, in lower case.
func Calls(sql string) (names []string) {
	last := ""
	for w := range Words(sql) {
		if w == "(" && last != "" && (Letter(last[0]) || last[0] == '"') {
			names = append(names, last)
		}
		last = w
	}
	return names
}

// MayWrite reports whether a text could change rows: one of its commands does, or it
// has a word for it somewhere, as the body of a function has. It errs on the side of
// those that look for what has been written.
func MayWrite(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"insert", "update", "delete", "merge", "truncate", "copy"}, func(verb string) bool { return strings.Contains(text, verb) })
}
