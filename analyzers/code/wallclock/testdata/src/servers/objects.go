package servers

import (
	"context"
	"time"
)

type object struct {
	Key          string
	LastModified *time.Time
}

type page struct{ Contents []object }

type bucket interface {
	List(ctx context.Context, prefix string) (*page, error)
	DeleteObject(ctx context.Context, key string) error
	Stamp(ctx context.Context) (time.Time, error)
}

func sweepParts(ctx context.Context, b bucket) error {
	p, err := b.List(ctx, "parts/")
	if err != nil {
		return err
	}
	for _, o := range p.Contents {
		if time.Now().Sub(*o.LastModified) < 5*time.Minute { // want `what a server stored is deleted when it is old, by this clock`
			continue
		}
		if err := b.DeleteObject(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}

// Near misses: kept for a month, aged by the clock of the server, only shown.

func retain(ctx context.Context, b bucket) error {
	p, err := b.List(ctx, "backups/")
	if err != nil {
		return err
	}
	for _, o := range p.Contents {
		if time.Since(*o.LastModified) > 30*24*time.Hour {
			if err := b.DeleteObject(ctx, o.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

func sweepByServer(ctx context.Context, b bucket) error {
	now, err := b.Stamp(ctx)
	if err != nil {
		return err
	}
	p, err := b.List(ctx, "parts/")
	if err != nil {
		return err
	}
	for _, o := range p.Contents {
		if now.Sub(*o.LastModified) > 5*time.Minute {
			if err := b.DeleteObject(ctx, o.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

func recent(ctx context.Context, b bucket) (n int, err error) {
	p, err := b.List(ctx, "parts/")
	if err != nil {
		return 0, err
	}
	for _, o := range p.Contents {
		if time.Since(*o.LastModified) < 5*time.Minute {
			n++
		}
	}
	return n, nil
}

type sweeper struct {
	bucket   bucket
	minAge   time.Duration
	keepDays time.Duration
}

func (s *sweeper) sweep(ctx context.Context, live map[string]bool) error {
	p, err := s.bucket.List(ctx, "packs/")
	if err != nil {
		return err
	}
	for _, o := range p.Contents {
		if live[o.Key] || time.Since(*o.LastModified) < s.minAge { // want `what a server stored is deleted when it is old, by this clock`
			continue
		}
		if err := s.bucket.DeleteObject(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}

// Near miss: how long backups are kept.

func (s *sweeper) expire(ctx context.Context) error {
	p, err := s.bucket.List(ctx, "backups/")
	if err != nil {
		return err
	}
	for _, o := range p.Contents {
		if time.Since(*o.LastModified) < s.keepDays {
			continue
		}
		if err := s.bucket.DeleteObject(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}
