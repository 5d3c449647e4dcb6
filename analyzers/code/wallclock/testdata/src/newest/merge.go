package newest

import (
	"cmp"
	"io/fs"
	"slices"
	"time"
)

// Member is what the hosts tell each other about one of them.
type Member struct {
	Host    string
	Left    bool
	Updated int64
	Timeout time.Duration
}

type ring struct{ members map[string]Member }

func (r *ring) beat(host string) {
	r.members[host] = Member{Host: host, Updated: time.Now().Unix()}
}

// In a loop, the branch decides on its body.
func (r *ring) merge(other map[string]Member) {
	for host, in := range other {
		if cur, ok := r.members[host]; !ok || in.Updated > cur.Updated { // want `the newer timestamp wins`
			r.members[host] = in
		}
	}
}

func (r *ring) early(other []Member) {
	for _, in := range other {
		cur, ok := r.members[in.Host]
		if ok && cur.Updated >= in.Updated { // want `the newer timestamp wins`
			continue
		}
		r.members[in.Host] = in
	}
}

// A helper compares, or answers with the newer one.

func newer(a, b Doc) bool { return a.UpdatedAt.After(b.UpdatedAt) } // want `the newer timestamp wins`

func (s *Store) Take(in Doc) {
	if old, ok := s.docs[in.Key]; ok && !newer(in, old) {
		return
	}
	s.docs[in.Key] = in
}

func later(a, b Doc) Doc {
	if a.UpdatedAt.Unix() >= b.UpdatedAt.Unix() { // want `the newer timestamp wins`
		return a
	}
	return b
}

func (s *Store) Join(in []Doc) {
	for _, d := range in {
		s.docs[d.Key] = later(s.docs[d.Key], d)
	}
}

type lastWriter struct {
	value string
	stamp time.Time
}

func (l *lastWriter) set(v string) { l.value, l.stamp = v, time.Now() }

func (l *lastWriter) merge(o *lastWriter) {
	if o.stamp.After(l.stamp) { // want `the newer timestamp wins`
		*l = *o
	}
}

func saved(r repo, in []Doc) {
	for i := range in {
		have, err := r.Get(in[i].Key)
		if err == nil && have.UpdatedAt.After(in[i].UpdatedAt) { // want `the newer timestamp wins`
			continue
		}
		_ = r.Save(&in[i])
	}
}

type written struct {
	Node  string
	Value string
	At    int64
}

func write(node, v string) written { return written{node, v, time.Now().UnixNano()} }

func settle(all []written) written {
	slices.SortFunc(all, func(a, b written) int { return cmp.Compare(b.At, a.At) }) // want `the newer timestamp wins`
	return all[0]
}

// The record is made anew, or captured, or asked by a getter.

func (s *Store) rebuild(in *Member, members map[string]*Member) {
	if cur := members[in.Host]; cur != nil && cur.Updated >= in.Updated { // want `the newer timestamp wins`
		return
	}
	members[in.Host] = &Member{Host: in.Host, Updated: in.Updated}
}

func within(members map[string]*Member, in *Member, locked func(func())) {
	locked(func() {
		cur := members[in.Host]
		switch {
		case cur == nil:
			members[in.Host] = in
		case in.Updated > cur.Updated: // want `the newer timestamp wins`
			*cur = *in
		}
	})
}

type dated interface{ UpdatedAt() time.Time }

type cache[T dated] struct{ items map[string]T }

func (c *cache[T]) take(key string, in T) {
	if cur, ok := c.items[key]; ok && cur.UpdatedAt().After(in.UpdatedAt()) { // want `the newer timestamp wins`
		return
	}
	c.items[key] = in
}

// Near misses: the times that a system gives to files of its own, a record of which
// only the key is taken over.

func (c *files) look(found []fs.FileInfo) {
	for _, f := range found {
		if cur, ok := c.known[f.Name()]; !ok || f.ModTime().After(cur.ModTime()) {
			c.known[f.Name()] = f
		}
	}
}

type files struct{ known map[string]fs.FileInfo }

func (s *Store) note(in *Member, seen map[string]*Member) {
	if cur := seen[in.Host]; cur != nil && cur.Updated >= in.Updated {
		return
	}
	seen[in.Host] = &Member{Host: in.Host, Updated: time.Now().Unix()}
}

// Near misses: the newest of each kind for a page, a helper that only sorts, the
// longest of several times, the lowest of a number that is counted.

func page(rows []Doc) map[string]Doc {
	last := map[string]Doc{}
	for _, d := range rows {
		if old, ok := last[d.Key]; !ok || d.UpdatedAt.After(old.UpdatedAt) {
			last[d.Key] = d
		}
	}
	return last
}

func older(a, b Doc) bool { return a.UpdatedAt.Before(b.UpdatedAt) }

func byAge(rows []Doc) {
	slices.SortFunc(rows, func(a, b Doc) int {
		if older(a, b) {
			return -1
		}
		return 1
	})
}

func (r *ring) patient(all []Member) {
	for _, m := range all {
		if cur, ok := r.members[m.Host]; !ok || m.Timeout > cur.Timeout {
			r.members[m.Host] = m
		}
	}
}

func (s *Store) counts(in []Doc) {
	for _, d := range in {
		if old := s.docs[d.Key]; d.Version > old.Version {
			s.docs[d.Key] = d
		}
	}
}
