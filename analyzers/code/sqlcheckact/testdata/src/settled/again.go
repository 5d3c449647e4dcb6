package settled

import (
	"context"
	"database/sql"
	"errors"
)

// like looks first without a lock, and again under that of the author.
func (s *store) like(ctx context.Context, user, post int) error {
	var old int
	err := s.db.QueryRowContext(ctx, `SELECT id FROM likes WHERE reader = $1 AND post = $2`, user, post).Scan(&old)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return s.likeLocked(ctx, user, post)
}

func (s *store) likeLocked(ctx context.Context, user, post int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM readers WHERE id = $1 FOR UPDATE`, user); err != nil {
		return err
	}
	var old int
	err = tx.QueryRowContext(ctx, `SELECT id FROM likes WHERE reader = $1 AND post = $2`, user, post).Scan(&old)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO likes (reader, post) VALUES ($1, $2)`, user, post); err != nil {
		return err
	}
	return tx.Commit()
}

// swap looks for the like of one post and adds that of another.
func (s *store) swap(ctx context.Context, user int, from, to string) error {
	var a, b, old int
	if err := s.db.QueryRowContext(ctx, `SELECT id FROM posts WHERE slug = $1`, from).Scan(&a); err != nil {
		return err
	}
	if err := s.db.QueryRowContext(ctx, `SELECT id FROM posts WHERE slug = $1`, to).Scan(&b); err != nil {
		return err
	}
	err := s.db.QueryRowContext(ctx, `SELECT id FROM likes WHERE reader = $1 AND post = $2`, user, a).Scan(&old)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO likes (reader, post) VALUES ($1, $2)`, user, b)
	return err
}
