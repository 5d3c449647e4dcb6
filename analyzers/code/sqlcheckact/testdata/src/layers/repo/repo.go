// Package repo is one layer of a service, with interfaces between the layers.
package repo

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var ErrNoUser = errors.New("no such user")

type key struct{}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

type Users struct{ pool *pgxpool.Pool }

func (r *Users) q(ctx context.Context) querier {
	if tx, ok := ctx.Value(key{}).(pgx.Tx); ok {
		return tx
	}
	return r.pool
}

func (r *Users) InTx(ctx context.Context, f func(ctx context.Context) error) error {
	tx, err := r.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := f(context.WithValue(ctx, key{}, tx)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

type User struct {
	ID     int64
	Mail   string
	Credit int64
	Status string
}

func (r *Users) ByMail(ctx context.Context, mail string) (*User, error) {
	var u User
	err := r.q(ctx).QueryRow(ctx, "SELECT id, mail, credit FROM users WHERE mail = $1", mail).Scan(&u.ID, &u.Mail, &u.Credit)
	if err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, ErrNoUser
		}
		return nil, err
	}
	return &u, nil
}

func (r *Users) Get(ctx context.Context, id int64) (*User, error) {
	u := &User{}
	err := r.q(ctx).QueryRow(ctx, "SELECT id, mail, credit, status FROM users WHERE id = $1", id).Scan(&u.ID, &u.Mail, &u.Credit, &u.Status)
	return u, err
}

func (r *Users) GetLocked(ctx context.Context, id int64) (*User, error) {
	u := &User{}
	err := r.q(ctx).QueryRow(ctx, "SELECT id, mail, credit, status FROM users WHERE id = $1 FOR UPDATE", id).Scan(&u.ID, &u.Mail, &u.Credit, &u.Status)
	return u, err
}

func (r *Users) Insert(ctx context.Context, u *User) error {
	return r.q(ctx).QueryRow(ctx, "INSERT INTO users (mail, credit) VALUES ($1, $2) RETURNING id", u.Mail, u.Credit).Scan(&u.ID)
}

func (r *Users) Save(ctx context.Context, u *User) error {
	_, err := r.q(ctx).Exec(ctx, "UPDATE users SET mail = $2, credit = $3, status = $4 WHERE id = $1", u.ID, u.Mail, u.Credit, u.Status)
	return err
}

type Mem struct{ m map[string]*User }

func (m *Mem) ByMail(ctx context.Context, mail string) (*User, error)            { return m.m[mail], nil }
func (m *Mem) Get(ctx context.Context, id int64) (*User, error)                  { return nil, nil }
func (m *Mem) GetLocked(ctx context.Context, id int64) (*User, error)            { return nil, nil }
func (m *Mem) Insert(ctx context.Context, u *User) error                         { m.m[u.Mail] = u; return nil }
func (m *Mem) Save(ctx context.Context, u *User) error                           { return nil }
func (m *Mem) InTx(ctx context.Context, f func(ctx context.Context) error) error { return f(ctx) }
