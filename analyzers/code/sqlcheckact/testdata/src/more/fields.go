package more

import (
	"context"
	"database/sql"
	"errors"
)

// seats keeps its statements in fields.
type seats struct {
	db    *sql.DB
	find  *sql.Stmt
	take  *sql.Stmt
	guard *sql.Stmt
	query string
}

func newSeats(db *sql.DB) (*seats, error) {
	s := &seats{db: db, query: "SELECT taken FROM seats WHERE id = $1"}
	var err error
	if s.find, err = db.Prepare("SELECT taken FROM seats WHERE id = $1"); err != nil {
		return nil, err
	}
	if s.take, err = db.Prepare("UPDATE seats SET taken = true WHERE id = $1"); err != nil {
		return nil, err
	}
	s.guard, err = db.Prepare("UPDATE seats SET taken = true WHERE id = $1 AND NOT taken")
	return s, err
}

func (s *seats) prepared(ctx context.Context, id int64) error {
	var taken bool
	if err := s.find.QueryRowContext(ctx, id).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errors.New("taken")
	}
	_, err := s.take.ExecContext(ctx, id) // want "two callers"
	return err
}

func (s *seats) preparedGuard(ctx context.Context, id int64) error {
	var taken bool
	if err := s.find.QueryRowContext(ctx, id).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errors.New("taken")
	}
	r, err := s.guard.ExecContext(ctx, id)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.New("taken")
	}
	return nil
}

func (s *seats) inTx(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var taken bool
	if err := tx.QueryRowContext(ctx, s.query, id).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errors.New("taken")
	}
	if _, err := tx.StmtContext(ctx, s.take).ExecContext(ctx, id); err != nil { // want "two callers"
		return err
	}
	return tx.Commit()
}

// free makes its own error out of what it read.
func (s *seats) free(ctx context.Context, id int64) error {
	var taken bool
	err := s.db.QueryRowContext(ctx, "SELECT taken FROM seats WHERE id = $1", id).Scan(&taken)
	if err == nil && taken {
		err = errors.New("taken")
	}
	return err
}

func (s *seats) asked(ctx context.Context, id int64) error {
	if err := s.free(ctx, id); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE seats SET taken = true WHERE id = $1", id) // want "two callers"
	return err
}
