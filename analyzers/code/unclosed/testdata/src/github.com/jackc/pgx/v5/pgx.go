// Package pgx is as much of pgx as the cases need.
package pgx

import "context"

type Rows interface {
	Close()
	Err() error
	Next() bool
	Scan(dest ...any) error
}

type Tx interface {
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
}

type Conn struct{}

func (*Conn) Query(ctx context.Context, sql string, args ...any) (Rows, error) { return nil, nil }
func (*Conn) Begin(ctx context.Context) (Tx, error)                            { return nil, nil }

func CollectRows[T any](rows Rows, f func(Rows) (T, error)) ([]T, error) { return nil, nil }
