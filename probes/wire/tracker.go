package wire

import (
	"strings"

	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// tracker tells which statements belong to one transaction when they are sent,
// before the server has said how the ones before them ended. It follows the
// transaction commands; what the server says in the end corrects it.
type tracker struct {
	id       int64
	open     bool // a transaction is open, explicit or implicit
	explicit bool // BEGIN has opened it
}

// enter returns the transaction of a statement; next numbers a new one.
func (t *tracker) enter(verb string, next func() int64) int64 {
	if !t.open {
		t.id, t.open = next(), true
	}
	switch verb {
	case "BEGIN":
		t.explicit = true
	case "COMMIT", "ROLLBACK":
		t.open, t.explicit = false, false
	}
	return t.id
}

// sync is the end of an implicit transaction.
func (t *tracker) sync() { t.open = t.explicit }

// correct takes the server's word when nothing is on its way.
func (t *tracker) correct(status byte) {
	t.explicit = status != 'I'
	t.open = t.explicit
}

// verbOf is the first word of a statement in upper case, with one name for
// synonyms: BEGIN, COMMIT, ROLLBACK. ROLLBACK TO and COMMIT PREPARED end no
// transaction of this session and keep both words.
func verbOf(sql string) string {
	word, rest := firstWord(sql)
	switch word {
	case "START":
		if second, _ := firstWord(rest); second == "TRANSACTION" {
			return "BEGIN"
		}
	case "PREPARE":
		if second, _ := firstWord(rest); second == "TRANSACTION" {
			return "COMMIT" // what follows is another transaction
		}
	case "END", "COMMIT":
		return endOf("COMMIT", rest)
	case "ABORT", "ROLLBACK":
		return endOf("ROLLBACK", rest)
	}
	return word
}

// endOf is a word that ends a transaction, with the word behind it that has it
// end none.
func endOf(word, rest string) string {
	second, rest := firstWord(rest)
	if second == "WORK" || second == "TRANSACTION" {
		second, _ = firstWord(rest)
	}
	if second == "TO" || second == "PREPARED" {
		return word + " " + second
	}
	return word
}

// firstWord returns the first word in upper case, and what follows it.
func firstWord(sql string) (word, rest string) {
	sql = skipBlank(sql)
	n := 0
	for n < len(sql) && (sql[n]|0x20 >= 'a' && sql[n]|0x20 <= 'z' || sql[n] == '_') {
		n++
	}
	return strings.ToUpper(sql[:n]), sql[n:]
}

// skipBlank drops white space, empty commands and comments from the front.
func skipBlank(sql string) string {
	for {
		for len(sql) > 0 && (sql[0] == ' ' || sql[0] == ';' || sql[0] >= '\t' && sql[0] <= '\r') {
			sql = sql[1:]
		}
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			sql = sql[sqltext.Comment(sql):]
		default:
			return sql
		}
	}
}
