package more

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
)

const banned = 2

var errClosed = errors.New("closed")

type spaces struct{ db *sql.DB }

func (s *spaces) status(ctx context.Context, id string) (st int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT status FROM spaces WHERE id = $1`, id).Scan(&st)
	return st, err
}

func (s *spaces) rename(ctx context.Context, id, name string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE spaces SET name = $1 WHERE id = $2`, name, id)
	return err
}

func (s *spaces) visited(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE spaces SET last_seen = now() WHERE id = $1`, id)
	return err
}

func (s *spaces) put(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("space")
	st, err := s.status(r.Context(), id)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if st == banned {
		http.Error(w, "banned", http.StatusForbidden)
		return
	}
	if err := s.rename(r.Context(), id, r.FormValue("name")); err != nil { // want `a row of spaces is changed because status allowed it`
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// Whoever has seen it last says nothing of the space.
func (s *spaces) get(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("space")
	st, err := s.status(r.Context(), id)
	if err != nil || st == banned {
		http.Error(w, "banned", http.StatusForbidden)
		return
	}
	if err := s.visited(r.Context(), id); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

type tab struct {
	Owner  int64
	Closed bool
}

func tabOf(ctx context.Context, db *sql.DB, id int64) (b tab, err error) {
	err = db.QueryRowContext(ctx, `SELECT owner, closed FROM tabs WHERE id = $1`, id).Scan(&b.Owner, &b.Closed)
	return b, err
}

func addLine(ctx context.Context, db *sql.DB, id, cents int64) error {
	b, err := tabOf(ctx, db, id)
	if err != nil {
		return err
	}
	if b.Closed {
		return errClosed
	}
	_, err = db.ExecContext(ctx, `UPDATE tabs SET cents = cents + $1 WHERE id = $2`, cents, id) // want `a row of tabs is changed because closed allowed it`
	return err
}

// The owner of a tab stays the same.
func noteOwn(ctx context.Context, db *sql.DB, id, user int64, note string) error {
	b, err := tabOf(ctx, db, id)
	if err != nil {
		return err
	}
	if b.Owner != user {
		return errOther
	}
	_, err = db.ExecContext(ctx, `UPDATE tabs SET note = $1 WHERE id = $2`, note, id)
	return err
}

// The write asks for the state itself.
func addOpen(ctx context.Context, db *sql.DB, id, cents int64) error {
	b, err := tabOf(ctx, db, id)
	if err != nil {
		return err
	}
	if b.Closed {
		return errClosed
	}
	res, err := db.ExecContext(ctx, `UPDATE tabs SET cents = cents + $1 WHERE id = $2 AND NOT closed`, cents, id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errClosed, err)
	}
	return nil
}

// Another look is nobody turned away by.
func remind(ctx context.Context, db *sql.DB, id int64) error {
	b, err := tabOf(ctx, db, id)
	if err != nil {
		return err
	}
	if !b.Closed {
		_, err = db.ExecContext(ctx, `UPDATE tabs SET reminders = reminders + 1 WHERE id = $1`, id)
	}
	return err
}
