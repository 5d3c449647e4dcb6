// Package sqlx has the types that the analyzers look for.
package sqlx

import (
	"context"
	"database/sql"
)

type DB struct{ *sql.DB }

func (*DB) Get(dest any, query string, args ...any) error                             { return nil }
func (*DB) GetContext(ctx context.Context, dest any, query string, args ...any) error { return nil }
func (*DB) NamedExec(query string, arg any) (sql.Result, error)                       { return nil, nil }
func (*DB) BeginTxx(ctx context.Context, o *sql.TxOptions) (*Tx, error)               { return nil, nil }
func (*DB) QueryxContext(ctx context.Context, query string, args ...any) (*Rows, error) {
	return nil, nil
}

type Rows struct{ *sql.Rows }

type Tx struct{ *sql.Tx }

func (*Tx) Get(dest any, query string, args ...any) error { return nil }
func (*Tx) Rebind(query string) string                    { return query }

func In(query string, args ...any) (string, []any, error) { return query, args, nil }

func (*Tx) GetContext(ctx context.Context, dest any, query string, args ...any) error { return nil }

func (*Tx) NamedExecContext(ctx context.Context, query string, arg any) (sql.Result, error) {
	return nil, nil
}
