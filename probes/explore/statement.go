package explore

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/internal/sqltext"
	"github.com/ccheck/ccheck/probes/wire"
)

// What an application sends is more than what it does: drivers ask for types,
// pools ask whether a connection lives, and BEGIN and ROLLBACK show nothing to
// another lane. Such statements pass the gate and are no step.

// tableWords are the names of tables of the application, in lower case.
type tableWords map[string]bool

func newTableWords(names []string) tableWords {
	w := tableWords{}
	for _, n := range names {
		w[strings.ToLower(n)] = true
	}
	return w
}

// names are the tables that a statement names, in lower case. What a string holds
// is no name.
func (w tableWords) names(sql string) (list []string) {
	for word := range sqltext.Words(sql) {
		if name := strings.ToLower(unquoted(word)); w[name] && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// unquoted is the name that a quoted identifier stands for.
func unquoted(word string) string {
	if !strings.HasPrefix(word, `"`) {
		return word
	}
	return strings.ReplaceAll(strings.Trim(word, `"`), `""`, `"`)
}

func (w tableWords) in(sql string) bool { return len(w.names(sql)) > 0 }

// free reports whether a statement is no step. tx is the status of its
// transaction before it.
func (w tableWords) free(sql string, tx byte) bool {
	commands := sqltext.Commands(sql)
	if len(commands) > 1 {
		return w.settings(commands)
	}
	switch sqltext.Verb(sql) {
	case "", "begin", "start", "rollback", "abort", "set", "show", "reset", "deallocate", "discard", "savepoint", "release", "listen", "unlisten":
		return true
	case "commit", "end":
		return tx == 'E' // it rolls back
	case "select", "with":
		return w.aside(sql)
	}
	return false
}

// aside reports whether a query asks for nothing that a lane can change: it reads
// no table, those of the catalog alone, or no row, to learn the names of columns.
func (w tableWords) aside(sql string) bool {
	if strings.HasSuffix(strings.ToLower(sqltext.Plain(sql)), " limit 0") {
		return true
	}
	reads, catalog := false, false
	for word := range sqltext.Words(sql) {
		switch word = unquoted(word); {
		case lasts(word):
			return false
		case word == "from":
			reads = true
		case strings.HasPrefix(word, "pg_"), word == "information_schema":
			catalog = true
		}
	}
	if reads {
		return catalog && !w.in(sql)
	}
	return !slices.ContainsFunc(sqltext.Calls(sql), func(name string) bool { return !harmless[name] && !strings.HasPrefix(name, "pg_") })
}

// lasts reports whether a word calls a function whose effect others see, or waits
// for them.
func lasts(word string) bool {
	switch word {
	case "nextval", "setval", "pg_notify":
		return true
	}
	return strings.HasPrefix(word, "pg_advisory") || strings.HasPrefix(word, "pg_try_advisory")
}

// harmless are functions, and other words before a parenthesis, whose answer no
// lane can change.
var harmless = map[string]bool{
	"version": true, "now": true, "current_schema": true, "current_schemas": true, "current_database": true, "current_setting": true,
	"set_config": true, "select": true, "cast": true, "coalesce": true, "array": true, "in": true, "and": true, "or": true, "not": true, "as": true,
	"varchar": true, "char": true, "varying": true, "numeric": true, "decimal": true, "timestamp": true, "time": true,
}

// settings reports whether a text of several commands only sets and shows
// parameters, as drivers do on a connection that they have opened.
func (w tableWords) settings(commands []string) bool {
	for _, c := range commands {
		switch sqltext.Verb(c) {
		case "set", "show", "reset", "":
		case "select":
			if !w.free(c, 'I') {
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
	verb := sqltext.Verb(sql)
	return verb == "begin" || verb == "start"
}
