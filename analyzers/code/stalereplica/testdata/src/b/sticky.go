package b

import (
	"context"
	"database/sql"
	"sync/atomic"
)

// store sends its reads to the master while it is told to.
type store struct {
	w, r     *sql.DB
	toMaster atomic.Bool
}

func newStore(primary, slave *sql.DB) *store { return &store{w: primary, r: slave} }

func (s *store) reader() *sql.DB {
	if s.toMaster.Load() {
		return s.w
	}
	return s.r
}

func (s *store) save(ctx context.Context, name string) error {
	_, err := s.w.ExecContext(ctx, `INSERT INTO fields (name) VALUES ($1)`, name)
	return err
}

func (s *store) find(ctx context.Context, name string) (id int64, err error) {
	err = s.reader().QueryRowContext(ctx, `SELECT id FROM fields WHERE name = $1`, name).Scan(&id)
	return id, err
}

func (s *store) plain(ctx context.Context, name string) (id int64, err error) {
	if err := s.save(ctx, name); err != nil {
		return 0, err
	}
	return s.find(ctx, name) // linked: read from a replica
}

// short names say nothing; what the constructor was given does.
func (s *store) short(ctx context.Context, name string) (id int64, err error) {
	if err := s.save(ctx, name); err != nil {
		return 0, err
	}
	err = s.r.QueryRowContext(ctx, `SELECT id FROM fields WHERE name = $1`, name).Scan(&id) // linked: read from a replica
	return id, err
}

func (s *store) sticky(ctx context.Context, name string) (id int64, err error) {
	s.toMaster.Store(true)
	defer s.toMaster.Store(false)
	if err := s.save(ctx, name); err != nil {
		return 0, err
	}
	return s.find(ctx, name)
}

// late takes the switch back before it reads.
func (s *store) late(ctx context.Context, name string) (id int64, err error) {
	if err := s.save(ctx, name); err != nil {
		return 0, err
	}
	s.toMaster.Store(false)
	return s.find(ctx, name) // linked: read from a replica
}
