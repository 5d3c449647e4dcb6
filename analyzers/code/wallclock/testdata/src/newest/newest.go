package newest

import (
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
