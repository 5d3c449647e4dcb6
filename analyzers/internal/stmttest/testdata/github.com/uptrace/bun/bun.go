// Package bun has the types that the analyzers look for.
package bun

import (
	"context"
	"database/sql"
)

type BaseModel struct{}

type IDB interface {
	NewSelect() *SelectQuery
	NewInsert() *InsertQuery
	NewUpdate() *UpdateQuery
}

type DB struct{}

func (*DB) NewSelect() *SelectQuery { return nil }
func (*DB) NewInsert() *InsertQuery { return nil }
func (*DB) NewUpdate() *UpdateQuery { return nil }
func (*DB) RunInTx(ctx context.Context, o *sql.TxOptions, fn func(ctx context.Context, tx Tx) error) error {
	return nil
}

type Tx struct{}

func (Tx) NewSelect() *SelectQuery { return nil }
func (Tx) NewInsert() *InsertQuery { return nil }
func (Tx) NewUpdate() *UpdateQuery { return nil }

type SelectQuery struct{}

func (q *SelectQuery) Model(v any) *SelectQuery                    { return q }
func (q *SelectQuery) Where(s string, args ...any) *SelectQuery    { return q }
func (q *SelectQuery) WherePK(cols ...string) *SelectQuery         { return q }
func (q *SelectQuery) For(s string, args ...any) *SelectQuery      { return q }
func (q *SelectQuery) Scan(ctx context.Context, dest ...any) error { return nil }
func (q *SelectQuery) Exists(ctx context.Context) (bool, error)    { return false, nil }

type InsertQuery struct{}

func (q *InsertQuery) Model(v any) *InsertQuery                                  { return q }
func (q *InsertQuery) On(s string, args ...any) *InsertQuery                     { return q }
func (q *InsertQuery) Exec(ctx context.Context, dest ...any) (sql.Result, error) { return nil, nil }

type UpdateQuery struct{}

func (q *UpdateQuery) Model(v any) *UpdateQuery                                  { return q }
func (q *UpdateQuery) WherePK(cols ...string) *UpdateQuery                       { return q }
func (q *UpdateQuery) Exec(ctx context.Context, dest ...any) (sql.Result, error) { return nil, nil }

func (q *UpdateQuery) Set(s string, args ...any) *UpdateQuery { return q }
