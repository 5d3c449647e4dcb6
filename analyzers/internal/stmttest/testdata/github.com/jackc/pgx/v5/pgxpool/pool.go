// Package pgxpool has the types that the analyzers look for.
package pgxpool

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

type Pool struct{}

func (*Pool) Begin(ctx context.Context) (pgx.Tx, error)                     { return nil, nil }
func (*Pool) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)  { return nil, nil }
func (*Pool) Acquire(ctx context.Context) (*Conn, error)                    { return nil, nil }
func (*Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row { return nil }
func (*Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return nil, nil
}
func (*Pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, nil
}

type Conn struct{}

func (*Conn) Release()                                                      {}
func (*Conn) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row { return nil }
func (*Conn) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, nil
}
