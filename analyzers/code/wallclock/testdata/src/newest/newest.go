package newest

import (
	"context"
	"database/sql"
	"sort"
	"time"
)

type Doc struct {
	Key       string
	Body      string
	UpdatedAt time.Time
	Version   int64
}

type Store struct{ docs map[string]Doc }

func (s *Store) Merge(d Doc) {
	old, ok := s.docs[d.Key]
	if !ok || d.UpdatedAt.After(old.UpdatedAt) { // want `the newer timestamp wins`
		s.docs[d.Key] = d
	}
}

// Near misses: a counted version, a list for a screen, the newest of a slice.

func (s *Store) Counted(d Doc) {
	if old := s.docs[d.Key]; d.Version > old.Version {
		s.docs[d.Key] = d
	}
}

func Sort(ds []Doc) {
	sort.Slice(ds, func(i, j int) bool { return ds[i].UpdatedAt.Before(ds[j].UpdatedAt) })
}

func Newest(ds []Doc) (best Doc) {
	for _, d := range ds {
		if d.UpdatedAt.After(best.UpdatedAt) {
			best = d
		}
	}
	return best
}

func (s *Store) Row(ctx context.Context, db *sql.DB, d Doc) error {
	_, err := db.ExecContext(ctx, "UPDATE docs SET body = $1, updated_at = $2 WHERE key = $3 AND updated_at < $2", d.Body, time.Now(), d.Key) // want `the newer timestamp wins`
	return err
}

func Expire(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "UPDATE docs SET body = '' WHERE updated_at < $1", time.Now().Add(-time.Hour))
	return err
}
