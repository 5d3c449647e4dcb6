// Package b has handles that a function or a type behind an interface chooses.
package b

import (
	"context"
	"database/sql"

	"b/router"
)

type repo struct{ db router.DB }

func (r *repo) save(ctx context.Context, id int64, open bool) error {
	_, err := r.db.ExecContext(ctx, `UPDATE doors SET open = $1 WHERE id = $2`, open, id)
	return err
}

func (r *repo) load(ctx context.Context, id int64) (open bool, err error) {
	err = r.db.QueryRowContext(ctx, `SELECT open FROM doors WHERE id = $1`, id).Scan(&open)
	return open, err
}

type doors interface {
	save(ctx context.Context, id int64, open bool) error
	load(ctx context.Context, id int64) (bool, error)
}

type service struct{ doors doors }

func (s *service) Open(ctx context.Context, id int64) (bool, error) {
	if err := s.doors.save(ctx, id, true); err != nil {
		return false, err
	}
	return s.doors.load(ctx, id) // linked: read from a replica
}

func direct(ctx context.Context, db router.DB, id int64) (n int, err error) {
	if _, err = db.ExecContext(ctx, `INSERT INTO visits (door) VALUES ($1)`, id); err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM visits WHERE door = $1`, id).Scan(&n) // linked: read from a replica
	return n, err
}

func same(ctx context.Context, db router.Plain, id int64) (n int, err error) {
	if _, err = db.Run(ctx, `INSERT INTO visits (door) VALUES ($1)`, id); err != nil {
		return 0, err
	}
	err = db.One(ctx, `SELECT count(*) FROM visits WHERE door = $1`, id).Scan(&n)
	return n, err
}

type pools struct {
	master *sql.DB
	others []*sql.DB
	next   int
}

// getReplica falls back to the master where there is no replica.
func (p *pools) getReplica() *sql.DB {
	if len(p.others) == 0 {
		return p.master
	}
	p.next++
	return p.others[p.next%len(p.others)]
}

func (p *pools) add(ctx context.Context, id int64) (n int, err error) {
	if _, err = p.master.ExecContext(ctx, `INSERT INTO keys (door) VALUES ($1)`, id); err != nil {
		return 0, err
	}
	err = p.getReplica().QueryRowContext(ctx, `SELECT count(*) FROM keys WHERE door = $1`, id).Scan(&n) // linked: read from a replica
	return n, err
}

// conn says by its argument where a statement goes.
func (p *pools) conn(readOnly bool) *sql.DB {
	if readOnly && len(p.others) > 0 {
		return p.others[0]
	}
	return p.master
}

func (p *pools) rename(ctx context.Context, id int64, name string) (got string, err error) {
	if _, err = p.conn(false).ExecContext(ctx, `UPDATE keys SET name = $1 WHERE door = $2`, name, id); err != nil {
		return "", err
	}
	err = p.conn(false).QueryRowContext(ctx, `SELECT name FROM keys WHERE door = $1`, id).Scan(&got)
	return got, err
}

func (p *pools) retitle(ctx context.Context, id int64, title string) (got string, err error) {
	if _, err = p.conn(false).ExecContext(ctx, `UPDATE keys SET title = $1 WHERE door = $2`, title, id); err != nil {
		return "", err
	}
	err = p.conn(true).QueryRowContext(ctx, `SELECT title FROM keys WHERE door = $1`, id).Scan(&got) // linked: read from a replica
	return got, err
}

type needed struct{}

// WithPrimary says that what was just written will be read.
func WithPrimary(ctx context.Context) context.Context { return context.WithValue(ctx, needed{}, true) }

func (p *pools) reader(ctx context.Context) *sql.DB {
	if need, _ := ctx.Value(needed{}).(bool); need {
		return p.master
	}
	return p.others[0]
}

func (p *pools) color(ctx context.Context, id int64) (got string, err error) {
	err = p.reader(ctx).QueryRowContext(ctx, `SELECT color FROM keys WHERE door = $1`, id).Scan(&got)
	return got, err
}

func (p *pools) paint(ctx context.Context, id int64, color string) (string, error) {
	if _, err := p.master.ExecContext(ctx, `UPDATE keys SET color = $1 WHERE door = $2`, color, id); err != nil {
		return "", err
	}
	return p.color(ctx, id) // linked: read from a replica
}

func (p *pools) repaint(ctx context.Context, id int64, color string) (string, error) {
	if _, err := p.master.ExecContext(ctx, `UPDATE keys SET color = $1 WHERE door = $2`, color, id); err != nil {
		return "", err
	}
	return p.color(WithPrimary(ctx), id)
}
