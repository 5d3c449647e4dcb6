// Package settled has writes that can happen twice and do no harm.
package settled

import (
	"context"
	"database/sql"
	"errors"
)

const hidden = 10

type store struct {
	db *sql.DB
	q  queue
}

// queue takes what is told to nobody who waits for it.
type queue interface {
	Send(ctx context.Context, topic string)
	SendMail(ctx context.Context, topic string)
}

type post struct{ id, status, likes int }

func (s *store) post(ctx context.Context, id int) (post, error) {
	var p post
	err := s.db.QueryRowContext(ctx, `SELECT id, status, likes FROM posts WHERE id = $1`, id).Scan(&p.id, &p.status, &p.likes)
	return p, err
}

func (s *store) set(ctx context.Context, id, status int) error {
	_, err := s.db.ExecContext(ctx, `UPDATE posts SET status = $2 WHERE id = $1`, id, status)
	return err
}

// hide: who comes second is told the same.
func (s *store) hide(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	if err := s.set(ctx, id, hidden); err != nil {
		return err
	}
	s.q.Send(ctx, "hidden")
	return nil
}

// hideRow: the same with a field of what was read.
func (s *store) hideRow(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	p.status = hidden
	return s.set(ctx, p.id, p.status)
}

// seen goes on in the same way.
func (s *store) seen(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == 0 {
		if err := s.set(ctx, id, 1); err != nil {
			return err
		}
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO views (post) VALUES ($1)`, id)
	return err
}

// hideChosen: a read that asks for rows that are not hidden.
func (s *store) hideChosen(ctx context.Context, id int) error {
	var n int
	err := s.db.QueryRowContext(ctx, `SELECT id FROM posts WHERE id = $1 AND status = 1`, id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.set(ctx, id, hidden)
}

// hideBehind: who calls one that looks by itself.
func (s *store) hideBehind(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == 3 {
		return errors.New("locked")
	}
	return s.hide(ctx, id)
}

// hideAll does to all posts of a writer what the one that was read shows already.
func (s *store) hideAll(ctx context.Context, id int) error {
	var writer, status int
	if err := s.db.QueryRowContext(ctx, `SELECT writer, status FROM posts WHERE id = $1`, id).Scan(&writer, &status); err != nil {
		return err
	}
	if status != hidden {
		return errors.New("not hidden")
	}
	_, err := s.db.ExecContext(ctx, `UPDATE posts SET status = $2 WHERE writer = $1`, writer, hidden)
	return err
}
