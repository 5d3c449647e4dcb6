package target

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// rows runs one statement and returns what it answers as text, null as "".
func rows(ctx context.Context, conn *pgconn.PgConn, sql string, args ...string) ([][]string, error) {
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	res := conn.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	if res.Err != nil {
		return nil, res.Err
	}
	list := make([][]string, len(res.Rows))
	for i, r := range res.Rows {
		list[i] = make([]string, len(r))
		for j, v := range r {
			list[i][j] = string(v)
		}
	}
	return list, nil
}

// row runs a statement that answers exactly one row.
func row(ctx context.Context, conn *pgconn.PgConn, sql string, args ...string) ([]string, error) {
	list, err := rows(ctx, conn, sql, args...)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("reading the catalogue: %d rows instead of one", len(list))
	}
	return list[0], nil
}

// script runs statements separated by semicolons, in the simple protocol: one
// transaction unless they say otherwise.
func script(ctx context.Context, conn *pgconn.PgConn, sql string) error {
	return conn.Exec(ctx, sql).Close()
}

// readOnly runs f in a transaction in which the server itself refuses writes.
func readOnly(ctx context.Context, conn *pgconn.PgConn, f func() error) error {
	if err := script(ctx, conn, "begin read only"); err != nil {
		return err
	}
	if err := f(); err != nil {
		// The transaction is over or its session is; the first error counts.
		script(context.WithoutCancel(ctx), conn, "rollback")
		return err
	}
	return script(ctx, conn, "rollback")
}

// literal quotes a text for SQL, ident a name.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func ident(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
