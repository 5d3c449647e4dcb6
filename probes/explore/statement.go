package explore

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/wire"
)

// What an application sends is more than what it does: drivers ask for types,
// pools ask whether a connection lives, and BEGIN and ROLLBACK show nothing to
// another lane. Such statements pass the gate and are no step.

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|--[^\n]*`)
	literals = regexp.MustCompile(`'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b`)
	// harmless are queries without a table whose answer no lane can change.
	harmless = regexp.MustCompile(`(?is)^select\s+(?:[^()]*|(?:pg_catalog\.)?(?:version|now|current_schema|current_database|current_setting|set_config|pg_backend_pid|pg_is_in_recovery)\s*\(.*)$`)
	fromWord = regexp.MustCompile(`(?i)\bfrom\b`)
	catalogs = regexp.MustCompile(`(?i)\bpg_[a-z_]+|\binformation_schema\b`)
	locking  = regexp.MustCompile(`(?i)\bpg_(try_)?advisory`)
)

// plain is a statement without its comments, which may hold a trace id.
func plain(sql string) string {
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(comments.ReplaceAllString(sql, " ")), ";"))
}

// fingerprint is what statements have in common that differ in values alone.
func fingerprint(sql string) string {
	return strings.Join(strings.Fields(literals.ReplaceAllString(plain(sql), "?")), " ")
}

// tableWords matches the names of tables of the application.
type tableWords struct{ re *regexp.Regexp }

func newTableWords(names []string) tableWords {
	if len(names) == 0 {
		return tableWords{}
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	return tableWords{regexp.MustCompile(`(?i)(?:^|[^a-z0-9_$])(` + strings.Join(quoted, "|") + `)(?:$|[^a-z0-9_$])`)}
}

// names are the tables that a statement names, in lower case.
func (w tableWords) names(sql string) (list []string) {
	for rest := plain(sql); w.re != nil; {
		at := w.re.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		if name := strings.ToLower(rest[at[2]:at[3]]); !slices.Contains(list, name) {
			list = append(list, name)
		}
		rest = rest[at[3]:]
	}
	return list
}

func (w tableWords) in(sql string) bool { return w.re != nil && w.re.MatchString(sql) }

// free reports whether a statement is no step. tx is the status of its
// transaction before it.
func (w tableWords) free(sql string, tx byte) bool {
	text := plain(sql)
	if strings.Contains(text, ";") {
		return w.settings(text)
	}
	switch verbOf(text) {
	case "", "begin", "start", "rollback", "abort", "set", "show", "reset", "deallocate", "discard", "savepoint", "release", "listen", "unlisten":
		return true
	case "commit", "end":
		return tx == 'E' // it rolls back
	case "select", "with":
		if locking.MatchString(text) {
			return false
		}
		return !fromWord.MatchString(text) && harmless.MatchString(text) || catalogs.MatchString(text) && !w.in(text)
	}
	return false
}

// settings reports whether a text of several commands only sets and shows
// parameters, as drivers do on a connection that they have opened.
func (w tableWords) settings(text string) bool {
	for part := range strings.SplitSeq(literals.ReplaceAllString(text, "?"), ";") {
		switch verbOf(part) {
		case "set", "show", "reset", "":
		case "select":
			if !w.free(part, 'I') {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// step is the statement that makes a step of a batch, nil when it has none.
func (w tableWords) step(b wire.Batch) *wire.Statement {
	for i := range b.Statements {
		s := &b.Statements[i]
		if s.Kind != wire.Prepare && !w.free(s.SQL, b.Tx) {
			return s
		}
	}
	return nil
}

// begins reports whether the statement opens a transaction.
func begins(sql string) bool {
	verb := verbOf(plain(sql))
	return verb == "begin" || verb == "start"
}
