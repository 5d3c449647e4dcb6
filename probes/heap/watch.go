package heap

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ccheck/ccheck/probes/heap/process"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// Watch is how a process is watched.
type Watch struct {
	Snapshots int
	// Between runs between two snapshots: it waits, or makes load. Its argument
	// counts from 1.
	Between func(ctx context.Context, round int) error
	// Loaded says that Between makes load.
	Loaded bool
	// Work is the number of requests of one round, 0 when it is not known.
	Work int64
	// Dir is where the snapshots are stored. Keep keeps them all there; otherwise
	// they are removed, the last one when the series has been made.
	Dir  string
	Keep bool
	// Track makes V8 remember where objects are allocated, which costs a good part
	// of the speed of the process.
	Track bool
	// Taken is called after each snapshot; nil for nobody.
	Taken func(series.Point)
	// More is asked when all snapshots have been taken, and again after each one
	// beyond: it returns how many rounds to run before one more, 0 to end. Nil for
	// none.
	More func(*series.Series) int
}

// ErrCut says that the watch was ended before all snapshots were taken; what was
// taken is in the series.
var ErrCut = errors.New("the watch was cut short")

// Watch takes the snapshots and makes a series of them. With ErrCut, the series
// is that of the snapshots until then.
func (p *Process) Watch(ctx context.Context, w *Watch) (*series.Series, error) {
	t := &taker{p: p, w: w, b: NewBuilder(w.Snapshots), without: map[string]bool{}}
	if w.Track && p.session != nil {
		if err := p.session.Track(ctx); err != nil {
			return nil, targetError(err)
		}
	}
	defer t.clean()
	cut := t.all(ctx)
	if t.b.Points() == 0 || cut != nil && ctx.Err() == nil {
		return nil, cut
	}
	p.limit(t.b)
	for {
		s, err := t.b.Series()
		if err != nil {
			return nil, err
		}
		s.Target, s.Local, s.Settings = p.Name, p.PID != 0 || p.near, p.settings()
		if cut != nil {
			return s, ErrCut
		}
		more := 0
		if w.More != nil {
			more = w.More(s)
		}
		if more <= 0 {
			return s, nil
		}
		if cut = t.rounds(ctx, more); cut != nil && ctx.Err() == nil {
			return nil, cut
		}
	}
}

// settings are what the process was started with, nil where that cannot be seen.
func (p *Process) settings() *series.Settings {
	if p.PID == 0 {
		return nil
	}
	env, args, err := process.Settings(p.PID)
	if err != nil {
		return nil
	}
	return &series.Settings{Env: env, Args: args}
}

// limit notes at which size the process dies.
func (p *Process) limit(b *Builder) {
	m := process.Memory{}
	if p.PID != 0 {
		m = process.MemoryOf(p.PID)
	}
	switch {
	case p.info.Limit > 0 && (m.Limit == 0 || p.info.Limit < m.Limit):
		b.SetLimit(p.info.Limit, "the heap limit of V8")
	case m.Limit > 0:
		b.SetLimit(m.Limit, m.LimitName)
	}
}

type taker struct {
	p     *Process
	w     *Watch
	b     *Builder
	start time.Time
	round int      // that were run
	files []string // that are to be removed

	without map[string]bool // what the process does not serve
}

func (t *taker) all(ctx context.Context) error {
	for i := range t.w.Snapshots {
		if err := t.rounds(ctx, min(i, 1)); err != nil {
			return err
		}
	}
	return nil
}

// rounds takes a snapshot after that many rounds.
func (t *taker) rounds(ctx context.Context, n int) error {
	for range n {
		t.round++
		if err := t.w.Between(ctx, t.round); err != nil {
			return err
		}
	}
	i := t.b.Points()
	if err := t.one(ctx, i); err != nil {
		return fmt.Errorf("snapshot %d of %d: %w", i+1, max(t.w.Snapshots, i+1), targetError(err))
	}
	if t.w.Keep {
		t.p.limit(t.b)
		if err := t.keep(); err != nil {
			return err
		}
	}
	if t.w.Taken != nil {
		t.w.Taken(t.b.Last())
	}
	return nil
}

func (t *taker) one(ctx context.Context, i int) error {
	point := series.Point{Name: fmt.Sprintf("s%d", i), Work: int64(t.round) * t.w.Work, Rounds: int64(t.round), Loaded: t.w.Loaded && i > 0}
	if i == 0 {
		t.start = time.Now()
	}
	point.At = time.Since(t.start)
	if t.p.session != nil {
		return t.v8(ctx, point)
	}
	return t.profiles(ctx, point)
}

// v8 takes a snapshot of Node: the pauses so far, a collection, the snapshot.
// What the snapshot itself does to the collector is not counted.
func (t *taker) v8(ctx context.Context, p series.Point) error {
	s := t.p.session
	pauses, pausesErr := s.Pauses(ctx)
	if pausesErr == nil && t.b.Points() > 0 {
		p.Pauses = series.SumPauses("perf_hooks", pauses, p.At-t.b.Last().At)
	}
	if err := s.Collect(ctx); err != nil {
		return err
	}
	info, err := s.Info(ctx)
	if err != nil {
		return err
	}
	p.RSS = info.RSS
	path, err := t.store(p.Name+".heapsnapshot", func(w io.Writer) error { return s.Snapshot(ctx, w) })
	if err != nil {
		return err
	}
	_, _ = s.Pauses(ctx) // those of the snapshot; the next call tells if the process is gone
	c, err := readCensus(path)
	if err != nil {
		return fileError(path, err)
	}
	t.forget(1)
	t.b.AddCensus(p, path, c)
	t.files = append(t.files, path)
	return nil
}

// forget removes the files before the last keep ones.
func (t *taker) forget(keep int) {
	for len(t.files) >= keep && !t.w.Keep && len(t.files) > 0 {
		_ = os.Remove(t.files[0]) // the folder is removed as a whole at the end
		t.files = t.files[1:]
	}
}

func (t *taker) clean() {
	t.forget(0)
}

// store writes a file and returns its path.
func (t *taker) store(name string, fill func(io.Writer) error) (path string, err error) {
	path = filepath.Join(t.w.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("storing the snapshot: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // it holds what the process has in memory
	if err != nil {
		return "", fmt.Errorf("storing the snapshot: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("storing the snapshot: %w", closeErr)
	}
	return path, err
}

// profiles takes a moment of a Go process.
func (t *taker) profiles(ctx context.Context, p series.Point) error {
	e := t.p.endpoint
	parts := []struct {
		name string
		fill func(io.Writer) error
	}{
		{"heap.pb.gz", func(w io.Writer) error { return e.Heap(ctx, w) }},
		{"memstats.txt", func(w io.Writer) error { return e.MemStats(ctx, w) }},
		{"goroutine.pb.gz", func(w io.Writer) error { return e.Goroutines(ctx, w) }},
	}
	for _, part := range parts {
		if _, err := t.store(filepath.Join(p.Name, part.name), part.fill); err != nil {
			return err
		}
	}
	if err := t.beside(ctx, p.Name); err != nil {
		return err
	}
	dir := filepath.Join(t.w.Dir, p.Name)
	all, err := readProfiles(dir)
	if err != nil {
		return fileError(dir, err)
	}
	if !t.w.Keep {
		_ = os.RemoveAll(dir) // the folder above is removed as a whole at the end
	}
	if err := t.b.AddProfiles(p, all); err != nil {
		return &TargetError{"the process was started anew while it was watched: " + err.Error(), "look why it ended, and watch it again"}
	}
	return nil
}

// beside stores what only some processes serve: the goroutines that nothing can
// wake, and the variables of expvar. What was not there once is not asked for again.
func (t *taker) beside(ctx context.Context, point string) error {
	parts := []struct {
		name string
		fill func(context.Context, io.Writer) (bool, error)
	}{
		{"goroutineleak.pb.gz", t.p.endpoint.Leaked},
		{"vars.json", t.p.endpoint.Variables},
	}
	for _, part := range parts {
		if t.without[part.name] {
			continue
		}
		there := false
		path, err := t.store(filepath.Join(point, part.name), func(w io.Writer) (err error) {
			there, err = part.fill(ctx, w)
			return err
		})
		if err != nil {
			return err
		}
		if !there {
			t.without[part.name] = true
			_ = os.Remove(path) // the folder above is removed as a whole at the end
		}
	}
	return nil
}

// Sleep is a Watch.Between that waits.
func Sleep(d time.Duration) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d):
			return nil
		}
	}
}
