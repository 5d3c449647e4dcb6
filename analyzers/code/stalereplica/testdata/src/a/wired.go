package a

import (
	"context"
	"database/sql"
)

type writer interface {
	ExecContext(ctx context.Context, q string, args ...any) (sql.Result, error)
}

type querier interface {
	QueryRowContext(ctx context.Context, q string, args ...any) *sql.Row
}

// profiles hides both handles; its constructor knows their names.
type profiles struct {
	w writer
	r querier
}

func newProfiles(primary, replica *sql.DB) *profiles { return &profiles{w: primary, r: replica} }

func (p *profiles) load(ctx context.Context, id int64) (name string, err error) {
	err = p.r.QueryRowContext(ctx, `SELECT name FROM profiles WHERE id = $1`, id).Scan(&name)
	return name, err
}

func (p *profiles) rename(ctx context.Context, id int64, to string) (string, error) {
	if _, err := p.w.ExecContext(ctx, `UPDATE profiles SET name = $2 WHERE id = $1`, id, to); err != nil {
		return "", err
	}
	return p.load(ctx, id) // want "read from a replica right after it was written"
}
