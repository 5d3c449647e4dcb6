package newest

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
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

// Saved, or dropped, by a store.

type repo interface {
	Get(key string) (Doc, error)
	Save(d *Doc) error
}

func sync(r repo, in Doc) error {
	have, err := r.Get(in.Key)
	if err != nil {
		return err
	}
	if in.UpdatedAt.Before(have.UpdatedAt) { // want `the newer timestamp wins`
		return nil
	}
	return r.Save(&in)
}

// Near miss: the writer is told.
func checked(r repo, in Doc) error {
	have, err := r.Get(in.Key)
	if err != nil {
		return err
	}
	if in.UpdatedAt.Before(have.UpdatedAt) {
		return fmt.Errorf("%s was changed by somebody else", in.Key)
	}
	return r.Save(&in)
}

func upsert(ctx context.Context, db *sql.DB, d Doc) error {
	_, err := db.ExecContext(ctx, `INSERT INTO docs (key, body, ts) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET body = excluded.body, ts = excluded.ts WHERE docs.ts < excluded.ts`, d.Key, d.Body, time.Now().UnixMilli()) // want `the newer timestamp wins`
	return err
}

func counted(ctx context.Context, db *sql.DB, d Doc) error {
	_, err := db.ExecContext(ctx, `INSERT INTO docs (key, body, seq, at) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO UPDATE SET body = excluded.body, seq = excluded.seq WHERE docs.seq < excluded.seq`, d.Key, d.Body, d.Version, time.Now())
	return err
}

// A value and its stamp.

type register struct {
	value string
	stamp int64
	seen  time.Time
	n     int
}

func (r *register) Set(v string) { r.Apply(v, time.Now().UnixNano()) }

func (r *register) Apply(v string, stamp int64) {
	if stamp <= r.stamp { // want `the newer timestamp wins`
		return
	}
	r.value, r.stamp = v, stamp
}

// Near misses: a number that is counted, and the latest time of all.

func (r *register) Push(v string, seq int64) {
	if seq > r.stamp {
		r.value, r.stamp = v, seq
	}
}

func (r *register) Touch() { r.Seen(time.Now()) }

func (r *register) Seen(at time.Time) {
	r.n++
	if at.After(r.seen) {
		r.seen = at
	}
}

// Records of several machines in the order of their stamps.

type op struct {
	Node string
	At   time.Time
	Val  string
}

func newOp(node, val string) op { return op{node, time.Now(), val} }

func last(ops []op) op {
	sort.Slice(ops, func(i, j int) bool { return ops[i].At.Before(ops[j].At) }) // want `the newer timestamp wins`
	return ops[len(ops)-1]
}

func latest(ops []op) string {
	return slices.MaxFunc(ops, func(a, b op) int { return a.At.Compare(b.At) }).Val // want `the newer timestamp wins`
}

// Near misses: all of them are shown; nobody says that several machines made them.

func show(ops []op) {
	sort.Slice(ops, func(i, j int) bool { return ops[i].At.Before(ops[j].At) })
	for _, o := range ops {
		fmt.Println(o.Node, o.Val)
	}
}

type backup struct {
	Name string
	At   time.Time
}

func newBackup(name string) backup { return backup{name, time.Now()} }

func lastBackup(bs []backup) backup {
	sort.Slice(bs, func(i, j int) bool { return bs[i].At.Before(bs[j].At) })
	return bs[len(bs)-1]
}
