// Package unsettled has writes that look as if they could happen twice.
package unsettled

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/smtp"
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

// take refuses who comes second.
func (s *store) take(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return errors.New("taken")
	}
	return s.set(ctx, id, hidden) // want `status of posts is written because of what was read`
}

// taken tells by a result.
func (s *store) taken(ctx context.Context, id int) (bool, error) {
	p, err := s.post(ctx, id)
	if err != nil {
		return false, err
	}
	if p.status == hidden {
		return false, nil
	}
	return true, s.set(ctx, id, hidden) // want `status of posts is written because of what was read`
}

// told tells by what it changes for its caller.
func (s *store) told(ctx context.Context, id int, won *bool) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	*won = true
	return s.set(ctx, id, hidden) // want `status of posts is written because of what was read`
}

// counted adds one each time.
func (s *store) counted(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	if err := s.set(ctx, id, hidden); err != nil { // want `status of posts is written because of what was read`
		return err
	}
	_, err = s.db.ExecContext(ctx, `UPDATE authors SET removed = removed + 1 WHERE id = $1`, p.likes)
	return err
}

// mailed and queued cost something each time.
func (s *store) mailed(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	if err := s.set(ctx, id, hidden); err != nil { // want `status of posts is written because of what was read`
		return err
	}
	return smtp.SendMail("localhost:25", nil, "a", []string{"b"}, nil)
}

func (s *store) queued(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	if err := s.set(ctx, id, hidden); err != nil { // want `status of posts is written because of what was read`
		return err
	}
	s.q.SendMail(ctx, "hidden")
	return nil
}

// review: of two callers one can accept and one refuse.
func (s *store) review(ctx context.Context, id int, accept bool) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status != 1 {
		return nil
	}
	if accept {
		return s.set(ctx, id, 2) // want `status of posts is written because of what was read`
	}
	return s.set(ctx, id, 3)
}

// likeLoose does not look again.
func (s *store) likeLoose(ctx context.Context, user, post int) error {
	var old int
	err := s.db.QueryRowContext(ctx, `SELECT id FROM likes WHERE reader = $1 AND post = $2`, user, post).Scan(&old)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO likes (reader, post) VALUES ($1, $2)`, user, post) // want `a row of likes is inserted because none was found`
	return err
}

// work takes what waits, and does it.
func (s *store) work(ctx context.Context) error {
	var id int
	err := s.db.QueryRowContext(ctx, `SELECT id FROM posts WHERE status = 1 LIMIT 1`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.set(ctx, id, hidden); err != nil { // want `a row of posts is chosen by status and then changed by key alone`
		return err
	}
	return nil
}

// handle does something of which nothing is known.
func (s *store) handle(ctx context.Context, id int, do func(int) error) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	if err := s.set(ctx, id, hidden); err != nil { // want `status of posts is written because of what was read`
		return err
	}
	return do(id)
}

// call asks another service.
func (s *store) call(ctx context.Context, id int) error {
	p, err := s.post(ctx, id)
	if err != nil {
		return err
	}
	if p.status == hidden {
		return nil
	}
	if err := s.set(ctx, id, hidden); err != nil { // want `status of posts is written because of what was read`
		return err
	}
	return ring("http://localhost/")
}

func ring(url string) error {
	r, err := http.Get(url)
	if err != nil {
		return err
	}
	return r.Body.Close()
}
