package isolation

import "github.com/jackc/pgx/v5/pgconn"

// Database is the name of the database in which PostgreSQL plays its own specs.
// One of them knows it.
const Database = "isolation_regression"

// Regress sets what pg_isolation_regress sets for its sessions, so that dates,
// intervals and messages come out as in expected files. isolationtester itself
// sets nothing of this.
func Regress(c *pgconn.Config) {
	c.RuntimeParams["lc_messages"] = "C"
	c.RuntimeParams["DateStyle"] = "Postgres, MDY"
	c.RuntimeParams["TimeZone"] = "America/Los_Angeles"
	c.RuntimeParams["IntervalStyle"] = "postgres_verbose"
}
