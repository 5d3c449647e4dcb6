// Package lab is what the drivers of a scenario share: running the scenario's
// own SQL and telling its mistakes, and keeping the rows of after the setup so
// that they can be put back.
//
// It drives nothing, records nothing and judges nothing. Only probes import it.
package lab

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// SetupError is an error of the scenario's own SQL: the user's to mend.
type SetupError struct {
	Where scenario.Position
	What  string // "setup", "invariant …"
	Err   error
	Hint  string // the mend, when there is one to give
}

func (e *SetupError) Error() string {
	if e.Where == (scenario.Position{}) {
		return fmt.Sprintf("%s: %v", e.What, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Where, e.What, e.Err)
}

func (e *SetupError) Unwrap() error { return e.Err }

// RunSource runs SQL of the scenario. An error is a *SetupError, or that of a
// connection that was lost.
func RunSource(conn *pg.Conn, src scenario.Source, params []scenario.Param, what string) error {
	text, err := scenario.SQL(src.Text, params)
	if err == nil {
		err = elsewhere(text)
	}
	if err != nil {
		return &SetupError{Where: src.Where, What: what, Err: err}
	}
	if _, err := conn.Ask(text); err != nil {
		if IsLost(err) {
			return err
		}
		return &SetupError{Where: At(src, err), What: what, Err: err}
	}
	return nil
}

// OwnLimit reports whether a statement limits its waits by itself.
func OwnLimit(sql string) bool { return ownLimit.MatchString(sql) }

var ownLimit = regexp.MustCompile(`(?i)\b(nowait|lock_timeout|statement_timeout)\b`)

// At is the place in the source that the server's error points at. Parameters
// that were put in shift it within its line at most, as long as they hold no
// line break.
func At(src scenario.Source, err error) scenario.Position {
	pos := src.Where
	var server *pg.Error
	if !errors.As(err, &server) || server.Position == 0 {
		return pos
	}
	before := []rune(src.Text)
	before = before[:min(len(before), server.Position-1)]
	if lines := strings.Count(string(before), "\n"); lines > 0 {
		pos.Line += lines
		pos.Column = len(before) - strings.LastIndex(string(before), "\n")
	} else {
		pos.Column += len(before)
	}
	return pos
}

// IsLost reports whether the error means that the connection is gone.
func IsLost(err error) bool {
	var lost *pg.LostError
	return errors.As(err, &lost)
}

// IsServer reports whether the error is an answer of the server to a statement.
func IsServer(err error) bool {
	var server *pg.Error
	return errors.As(err, &server)
}

// Vars are parameters as the first values of a script's variables.
func Vars(params []scenario.Param) []history.Var {
	list := make([]history.Var, len(params))
	for i, p := range params {
		list[i] = history.Var{Name: p.Name, Value: history.Text(p.Value)}
	}
	return list
}

// Words tells a row: "id 3, balance -8". Secrets are masked.
func Words(columns []string, row []history.Value) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = columns[i] + " " + history.Mask(nil).Show(columns[i], v)
	}
	return strings.Join(parts, ", ")
}

// Ident quotes a name, or a name with a schema.
func Ident(name string) string { return pgx.Identifier(strings.Split(name, ".")).Sanitize() }

// Literal quotes a text.
func Literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
