package explore

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// sticky is SQL that takes from a session what a statement may leave in it
// beyond its transaction: advisory locks, temporary tables, settings.
func sticky(stmts []*history.Stmt) string {
	for _, st := range stmts {
		if sticks(st.SQL) {
			return "select pg_advisory_unlock_all(); unlisten *; reset all; discard temp; close all"
		}
	}
	return ""
}

// sticks reports whether a statement may leave something in its session.
func sticks(sql string) bool {
	switch sqltext.Verb(sql) {
	case "set", "reset", "discard", "prepare", "declare", "listen":
		return true
	}
	for w := range sqltext.Words(sql) {
		if w == "temp" || w == "temporary" || strings.Contains(w, "advisory") {
			return true
		}
	}
	return false
}

// clean brings the sessions of the lanes back.
func (x *explorer) clean() error {
	if x.dirty == "" {
		return nil
	}
	for _, s := range x.seats {
		for _, c := range s.sessions {
			if _, err := c.conn.Ask(x.dirty); err != nil {
				return fmt.Errorf("cleaning the session of lane %s: %w", s.lane.Name, err)
			}
		}
	}
	return nil
}
