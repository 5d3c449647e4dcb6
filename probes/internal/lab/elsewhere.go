package lab

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// What lies outside of the sandbox's schema is neither put back nor removed.

const name = `((?:"[^"]+"|[a-z_][a-z0-9_$]*)\.(?:"[^"]+"|[a-z_][a-z0-9_$]*))`

var (
	newSchema = regexp.MustCompile(`(?im)^\s*create\s+schema\s+(?:if\s+not\s+exists\s+)?("[^"]+"|[a-z_][a-z0-9_$]*)`)
	newTable  = regexp.MustCompile(`(?im)^\s*create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?` + name)
	// named are tables that a statement names with their schema. It finds
	// "distinct from a.b" as well: the server knows which of them are tables.
	named = regexp.MustCompile(`(?i)\b(?:from|join|into|update|only|table|using)\s+` + name)
)

// elsewhere returns an error when the scenario's own SQL makes what is not in
// the schema of the run, which search_path names.
func elsewhere(sql string) error {
	if m := newSchema.FindStringSubmatch(sql); m != nil {
		return fmt.Errorf("it makes the schema %s, but a run has a schema of its own, which search_path names: leave out the schema, here and in front of the names", m[1])
	}
	if m := newTable.FindStringSubmatch(sql); m != nil {
		return fmt.Errorf("it makes the table %s outside of the schema of the run, which search_path names: leave out the schema in front of the names", m[1])
	}
	return nil
}

// Foreign returns the first statement that names a table outside of the schema
// of the run, and that table; nil when there is none.
func Foreign(conn *pg.Conn, stmts []*history.Stmt) (st *history.Stmt, table string, err error) {
	for _, st := range stmts {
		if st.Outside {
			continue // another service's
		}
		for _, m := range named.FindAllStringSubmatch(st.SQL, -1) {
			foreign, err := isForeign(conn, m[1])
			if err != nil || foreign {
				return st, m[1], err
			}
		}
	}
	return nil, "", nil
}

func isForeign(conn *pg.Conn, table string) (bool, error) {
	res, err := conn.Ask(fmt.Sprintf(`select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.oid = to_regclass(%s) and n.nspname <> current_schema() and n.nspname !~ '^(pg_|information_schema$)')`, Literal(strings.TrimSpace(table))))
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", table, err)
	}
	return res.Rows[0][0].Text == "t", nil
}
