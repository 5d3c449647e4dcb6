// Package a has what stalereplica reports, and near-misses.
package a

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

type S struct {
	db      *sql.DB
	pool    *pgxpool.Pool
	x       *sqlx.DB
	g       *gorm.DB
	replica *sql.DB
	slave   *gorm.DB
}

func (s *S) R1(ctx context.Context, id int64, n string) (string, error) {
	if _, err := s.db.ExecContext(ctx, "UPDATE names SET n = $1 WHERE id = $2", n, id); err != nil {
		return "", err
	}
	var got string
	err := s.replica.QueryRowContext(ctx, "SELECT n FROM names WHERE id = $1", id).Scan(&got) // want "read from a replica"
	return got, err
}

type Name struct {
	ID uint
	N  string
}

func (s *S) R2(n string) (*Name, error) {
	v := Name{N: n}
	if err := s.g.Create(&v).Error; err != nil {
		return nil, err
	}
	var out Name
	err := s.slave.First(&out, v.ID).Error // want "read from a replica"
	return &out, err
}

type cluster struct{ w, r *pgxpool.Pool }

func (c *cluster) Reader() *pgxpool.Pool { return c.r }

func (c *cluster) Writer() *pgxpool.Pool { return c.w }

func R3(ctx context.Context, c *cluster, id int64) (n int, err error) {
	if _, err = c.Writer().Exec(ctx, "INSERT INTO things (id) VALUES ($1)", id); err != nil {
		return 0, err
	}
	err = c.Reader().QueryRow(ctx, "SELECT count(*) FROM things").Scan(&n) // want "read from a replica"
	return n, err
}

func R4(ctx context.Context, primary, readReplica *sql.DB, id int64) (n int, err error) {
	err = primary.QueryRowContext(ctx, "INSERT INTO things (id) VALUES ($1) RETURNING id", id).Scan(&id)
	if err != nil {
		return 0, err
	}
	err = readReplica.QueryRowContext(ctx, "SELECT n FROM things WHERE id = $1", id).Scan(&n) // want "read from a replica"
	return n, err
}

func R5(ctx context.Context, primary, readReplica *sql.DB, id int64) (n int, err error) {
	err = readReplica.QueryRowContext(ctx, "SELECT n FROM things WHERE id = $1", id).Scan(&n)
	if err != nil {
		return 0, err
	}
	_, err = primary.ExecContext(ctx, "INSERT INTO audit (id) VALUES ($1)", id)
	return n, err
}

type order struct{ From, To int64 }
