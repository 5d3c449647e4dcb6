package lag

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// watcher looks at one replica until each write can be read there.
type watcher struct {
	lane
	server Server
	some   chan struct{} // that something is pending

	mu      sync.Mutex
	pending []*pending
	seen    Series
}

// pending is a write that has not been seen on the replica.
type pending struct {
	key       string
	version   int64
	at        lsn
	committed time.Duration
	stale     time.Duration // when the last look began that did not show it
	bytes     int64         // of log that the replica lacked at the first look
}

// watch starts a watcher for each replica. The function that comes back ends
// them; what they have not seen by then is told as failed.
func (d *driver) watch(ctx context.Context, fail context.CancelCauseFunc) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	stop = func() { cancel(); wg.Wait() }
	for i, s := range d.o.Replicas {
		c, err := connect(ctx, s, true)
		if err != nil {
			stop()
			return nil, err
		}
		w := &watcher{lane: d.lane(watcherLane+i, s.Name), server: s, some: make(chan struct{}, 1), seen: Series{Name: s.Name}}
		d.watchers = append(d.watchers, w)
		wg.Go(func() {
			defer c.Close(context.WithoutCancel(ctx))
			if err := w.run(ctx, c); err != nil {
				fail(err)
			}
		})
	}
	return stop, nil
}

// wrote tells the watchers of a commit.
func (d *driver) wrote(key string, version int64, at lsn) {
	now := d.Elapsed()
	for _, w := range d.watchers {
		w.mu.Lock()
		w.pending = append(w.pending, &pending{key: key, version: version, at: at, committed: now})
		w.mu.Unlock()
		select {
		case w.some <- struct{}{}:
		default:
		}
	}
}

// waits reports whether something has not been seen yet.
func (w *watcher) waits() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending) > 0
}

func (w *watcher) series() Series {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.seen
	s.Values = slices.Clone(s.Values)
	return s
}

func (w *watcher) run(ctx context.Context, c *conn) error {
	for {
		select {
		case <-w.some:
		case <-ctx.Done():
			return w.giveUp()
		}
		for w.waits() {
			young, err := w.look(ctx, c)
			if ctx.Err() != nil {
				return w.giveUp()
			}
			if err != nil {
				return err
			}
			if sleep(ctx, backOff(young)) != nil {
				return w.giveUp()
			}
		}
	}
}

// look asks the replica once, and returns the age of the youngest write that is
// not there.
func (w *watcher) look(ctx context.Context, c *conn) (young time.Duration, err error) {
	began := w.tape.Elapsed()
	rows, err := c.ask(ctx, `select key, version, pg_is_in_recovery(), pg_last_wal_replay_lsn() from post
		union all select 'account/' || key, version, pg_is_in_recovery(), pg_last_wal_replay_lsn() from account`)
	if err != nil {
		return 0, err
	}
	ended := w.tape.Elapsed()
	versions := map[string]int64{}
	var replayed lsn
	for _, r := range rows {
		if r[2] != "t" {
			return 0, &PromotedError{w.server.Name}
		}
		if versions[r[0]], err = strconv.ParseInt(r[1], 10, 64); err != nil {
			return 0, fmt.Errorf("reading the versions on %s: %w", w.server.Name, err)
		}
		if replayed, err = parseLSN(r[3]); err != nil {
			return 0, err
		}
	}
	return w.take(versions, replayed, began, ended)
}

// take sorts what the look showed. A write that was made after the look began is
// left for the next one.
func (w *watcher) take(versions map[string]int64, replayed lsn, began, ended time.Duration) (young time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var left []*pending
	young = time.Second
	for _, p := range w.pending {
		switch {
		case versions[p.key] >= p.version:
			err = w.visible(p, ended)
		case p.committed <= began:
			if p.stale == 0 && p.at > replayed {
				p.bytes = int64(p.at - replayed)
			}
			p.stale = began
			fallthrough
		default:
			young = min(young, ended-p.committed)
			left = append(left, p)
		}
		if err != nil {
			return 0, err
		}
	}
	w.pending = left
	return young, nil
}

// visible records that a write can be read on the replica.
func (w *watcher) visible(p *pending, now time.Duration) error {
	w.seen.Values = append(w.seen.Values, max(now-p.committed, 0))
	w.seen.Bytes = max(w.seen.Bytes, p.bytes)
	return w.note("visible", p.vars().number("visible_ns", int64(now)))
}

// giveUp records what was not seen to the end.
func (w *watcher) giveUp() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pending {
		if err := w.note("invisible", p.vars()); err != nil {
			return err
		}
	}
	w.pending = nil
	return nil
}

func (p *pending) vars() vars {
	return text("key", p.key).number("version", p.version).number("committed_ns", int64(p.committed)).
		number("stale_ns", int64(p.stale)).number("bytes", p.bytes)
}
