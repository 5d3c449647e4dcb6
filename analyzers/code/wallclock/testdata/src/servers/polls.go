package servers

import (
	"context"
	"time"
)

type issue struct {
	ID      int
	Updated time.Time
}

type options struct {
	Since time.Time
	Limit int
}

type tracker interface {
	Issues(ctx context.Context, opts *options) ([]issue, error)
	Changed(ctx context.Context, updatedAfter time.Time) ([]issue, error)
	Report(ctx context.Context, since time.Time) error
}

type watcher struct {
	tracker  tracker
	seen     time.Time
	looked   time.Time
	reported time.Time
}

func (w *watcher) poll(ctx context.Context) ([]issue, error) {
	now := time.Now()
	is, err := w.tracker.Issues(ctx, &options{Since: w.seen, Limit: 50}) // want `a reader asks for what is newer than its own last look`
	if err == nil {
		w.seen = now
	}
	return is, err
}

// Near misses: a look again at what is younger than the distance of the clocks, the
// window of a report that answers with nothing.

func (w *watcher) overlap(ctx context.Context) ([]issue, error) {
	now := time.Now()
	is, err := w.tracker.Changed(ctx, w.looked.Add(-time.Minute))
	if err == nil {
		w.looked = now
	}
	return is, err
}

func (w *watcher) report(ctx context.Context) error {
	err := w.tracker.Report(ctx, w.reported)
	w.reported = time.Now()
	return err
}
