package lag

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// errNotReplayed is the refusal of a read that waited for its replica in vain.
var errNotReplayed = errors.New("the replica did not replay the log up to there in time")

func isRefusal(err error) bool { return errors.Is(err, errNotReplayed) || errors.Is(err, errNotThere) }

// session is a session of the application: it reads by a policy and knows how
// far the log was of what it saw.
type session struct {
	lane
	*cluster
	policy   Policy
	patience time.Duration
	knows    lsn
	version  int64 // of the account, as the session left it
	wrote    func(key string, version int64, at lsn)
}

// Lanes of a policy follow each other; so do those of the watchers, from
// watcherLane on.
const (
	lanesEach   = 10
	watcherLane = 100
)

func (d *driver) session(c *cluster, p Policy, role int, name string) *session {
	number := slices.Index(Policies, p)*lanesEach + role
	return &session{lane: d.lane(number, name), cluster: c, policy: p, patience: d.o.Patience, wrote: d.wrote}
}

// write makes the next version of a key.
func (s *session) write(ctx context.Context, key string) (version int64, err error) {
	var at lsn
	err = s.call("write", func() (vars, error) {
		version, _, at, err = s.primary.change(ctx, fmt.Sprintf("update post set version = version + 1 where key = '%s' returning version, version", key))
		return text("key", key, "lsn", at.String(), "policy", string(s.policy)).number("version", version), err
	})
	if err == nil {
		s.knows = max(s.knows, at)
		s.wrote(key, version, at)
	}
	return version, err
}

// told makes the session know what another one has told it: the version of a
// key, and how far the log was.
func (s *session) told(by *session, key string, version int64) error {
	s.knows = max(s.knows, by.knows)
	return s.note("told", text("key", key, "policy", string(s.policy)).number("version", version))
}

// read reads a key from the replica, or from where the policy sends the session
// instead.
func (s *session) read(ctx context.Context, key string, replica *conn) error {
	return s.call("read", func() (vars, error) {
		v := text("key", key, "policy", string(s.policy))
		from, waited, err := s.route(ctx, replica)
		v = append(v, text("asked", replica.name, "from", from.name)...).number("waited_us", waited.Microseconds())
		if err != nil {
			return v, err
		}
		version, at, err := from.version(ctx, "post", key)
		if err == nil && !from.replica {
			s.knows = max(s.knows, at)
		}
		return v.number("version", version), err
	})
}

// readPrimary reads a key from the primary, as a page does that must be right.
func (s *session) readPrimary(ctx context.Context, key string) error {
	return s.call("read", func() (vars, error) {
		version, at, err := s.primary.version(ctx, "post", key)
		s.knows = max(s.knows, at)
		return text("key", key, "policy", string(s.policy), "asked", s.primary.name, "from", s.primary.name).number("version", version), err
	})
}

// route chooses the server for a read that would go to the replica.
func (s *session) route(ctx context.Context, replica *conn) (*conn, time.Duration, error) {
	if s.policy == Replica || s.knows == 0 {
		return replica, 0, nil
	}
	if s.policy == Primary {
		return s.primary, 0, nil
	}
	began := time.Now()
	for {
		there, err := replica.replayed(ctx, s.knows)
		waited := time.Since(began)
		switch {
		case err != nil || there:
			return replica, waited, err
		case s.policy == Token:
			return s.primary, waited, nil
		case waited > s.patience:
			return replica, waited, errNotReplayed
		}
		if err := sleep(ctx, backOff(waited)); err != nil {
			return replica, waited, err
		}
	}
}

// backOff is the time between two looks at something that has been awaited for
// so long: it makes the time that is seen wrong by a twentieth at most.
func backOff(waited time.Duration) time.Duration {
	return min(max(waited/20, 500*time.Microsecond), 20*time.Millisecond)
}

// talk makes rounds of the three sessions under the policy for the span.
func (d *driver) talk(ctx context.Context, p Policy, length span) error {
	c, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close(ctx)
	next := time.Now()
	for i := 0; length.open(i); i++ {
		if err := d.round(ctx, c, p, i); err != nil {
			return err
		}
		next = next.Add(d.o.Every)
		if wait := time.Until(next); wait > 0 {
			if err := sleep(ctx, wait); err != nil {
				return err
			}
		} else {
			next = time.Now() // it waited for longer than a round; nothing is made up for
		}
	}
	return nil
}

// round is what Doc tells of A, B and C. Their knowledge begins anew, as that of
// three people who come to the site.
func (d *driver) round(ctx context.Context, c *cluster, p Policy, i int) error {
	one, other := c.replicas[i%len(c.replicas)], c.replicas[(i+1)%len(c.replicas)]
	post, reply := "post/"+string(p), "reply/"+string(p)
	A, B, C := d.session(c, p, 0, "A"), d.session(c, p, 1, "B"), d.session(c, p, 2, "C")
	n, err := A.write(ctx, post)
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error { return A.read(ctx, post, one) },
		func() error { return B.told(A, post, n) },
		func() error { return B.read(ctx, post, other) },
		func() error { _, err := B.write(ctx, reply); return err },
		func() error { return C.readPrimary(ctx, reply) },
		func() error { return C.read(ctx, post, one) },
		func() error { _, err := A.write(ctx, post); return err },
		func() error { return C.readPrimary(ctx, post) },
		func() error { return C.read(ctx, post, other) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
