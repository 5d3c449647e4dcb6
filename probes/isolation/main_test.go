package isolation

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// config is a database with the settings that PostgreSQL's own suite gives the
// one it plays in.
func config(t testing.TB) *pgconn.Config {
	c := pgtest.Config(t)
	for name, value := range map[string]string{
		"lc_messages":   "C",
		"DateStyle":     "Postgres, MDY",
		"TimeZone":      "America/Los_Angeles",
		"IntervalStyle": "postgres_verbose",
	} {
		c.RuntimeParams[name] = value
	}
	return c
}
