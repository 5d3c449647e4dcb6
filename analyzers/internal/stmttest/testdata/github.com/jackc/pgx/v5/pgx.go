// Package pgx has the types that the analyzers look for.
package pgx

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

var ErrNoRows = errors.New("no rows")

type TxIsoLevel string

const (
	Serializable   TxIsoLevel = "serializable"
	RepeatableRead TxIsoLevel = "repeatable read"
	ReadCommitted  TxIsoLevel = "read committed"
)

type TxOptions struct{ IsoLevel TxIsoLevel }

type NamedArgs map[string]any

type Row interface{ Scan(dest ...any) error }

type Rows interface {
	Close()
	Err() error
	Next() bool
	Scan(dest ...any) error
}

type Tx interface {
	Begin(ctx context.Context) (Tx, error)
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) Row
}

type Beginner interface {
	BeginTx(ctx context.Context, o TxOptions) (Tx, error)
}

func BeginFunc(ctx context.Context, db interface {
	Begin(ctx context.Context) (Tx, error)
}, fn func(Tx) error) error {
	return nil
}

func BeginTxFunc(ctx context.Context, db Beginner, o TxOptions, fn func(Tx) error) error { return nil }

type CollectableRow interface{ Scan(dest ...any) error }

type RowToFunc[T any] func(row CollectableRow) (T, error)

func CollectOneRow[T any](rows Rows, fn RowToFunc[T]) (T, error) { var t T; return t, nil }

func RowToStructByName[T any](row CollectableRow) (T, error) { var t T; return t, nil }
