package a

import (
	"context"
	"database/sql"
	"errors"
)

func (s *S) name(ctx context.Context, id int64) (n string, err error) {
	err = s.replica.QueryRowContext(ctx, "SELECT n FROM names WHERE id = $1", id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.db.QueryRowContext(ctx, "SELECT n FROM names WHERE id = $1", id).Scan(&n)
	}
	return n, err
}

// A1 asks the primary for the new row when the replica does not have it.
func (s *S) A1(ctx context.Context, n string) (string, error) {
	var id int64
	if err := s.db.QueryRowContext(ctx, "INSERT INTO names (n) VALUES ($1) RETURNING id", n).Scan(&id); err != nil {
		return "", err
	}
	return s.name(ctx, id)
}

// A2 changes a row: the replica has it as it was before.
func (s *S) A2(ctx context.Context, id int64, n string) (string, error) {
	if _, err := s.db.ExecContext(ctx, "UPDATE names SET n = $1 WHERE id = $2", n, id); err != nil {
		return "", err
	}
	return s.name(ctx, id) // want "read from a replica"
}

// A3 may change a row, too.
func (s *S) A3(ctx context.Context, id int64, n string) (string, error) {
	if _, err := s.db.ExecContext(ctx, "INSERT INTO names (id, n) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n", id, n); err != nil {
		return "", err
	}
	return s.name(ctx, id) // want "read from a replica"
}

// A4 finds the one before the newest.
func (s *S) A4(ctx context.Context, n string) (got string, err error) {
	if _, err = s.db.ExecContext(ctx, "INSERT INTO names (n) VALUES ($1)", n); err != nil {
		return "", err
	}
	err = s.replica.QueryRowContext(ctx, "SELECT n FROM names ORDER BY id DESC LIMIT 1").Scan(&got) // want "read from a replica"
	if err != nil {
		err = s.db.QueryRowContext(ctx, "SELECT n FROM names ORDER BY id DESC LIMIT 1").Scan(&got)
	}
	return got, err
}

// A5 asks gorm, by any error.
func (s *S) A5(v *Name) (*Name, error) {
	if err := s.g.Create(v).Error; err != nil {
		return nil, err
	}
	var out Name
	if err := s.slave.First(&out, v.ID).Error; err != nil {
		return &out, s.g.First(&out, v.ID).Error
	}
	return &out, nil
}

// A6 asks another replica.
func (s *S) A6(ctx context.Context, standby *sql.DB, n string) (got string, err error) {
	var id int64
	if err = s.db.QueryRowContext(ctx, "INSERT INTO names (n) VALUES ($1) RETURNING id", n).Scan(&id); err != nil {
		return "", err
	}
	err = s.replica.QueryRowContext(ctx, "SELECT n FROM names WHERE id = $1", id).Scan(&got) // want "read from a replica"
	if err != nil {
		err = standby.QueryRowContext(ctx, "SELECT n FROM names WHERE id = $1", id).Scan(&got) // want "read from a replica"
	}
	return got, err
}
