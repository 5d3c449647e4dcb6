// Package router sends statements to a primary or to replicas.
package router

import (
	"context"
	"database/sql"
)

// DB is what the repositories see.
type DB interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type router struct {
	primary  *sql.DB
	replicas []*sql.DB
}

func New(primary *sql.DB, replicas ...*sql.DB) DB { return &router{primary, replicas} }

func (r *router) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return r.primary.ExecContext(ctx, query, args...)
}

func (r *router) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return r.replicas[0].QueryRowContext(ctx, query, args...)
}

// Plain hides one pool; what it reads it has written.
type Plain interface {
	Run(ctx context.Context, query string, args ...any) (sql.Result, error)
	One(ctx context.Context, query string, args ...any) *sql.Row
}

type plain struct{ replicaOrNot *sql.DB }

func (p *plain) Run(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return p.replicaOrNot.ExecContext(ctx, query, args...)
}

func (p *plain) One(ctx context.Context, query string, args ...any) *sql.Row {
	return p.replicaOrNot.QueryRowContext(ctx, query, args...)
}
