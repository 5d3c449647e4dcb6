package heap

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ccheck/ccheck/probes/heap/goprof"
	"github.com/ccheck/ccheck/probes/heap/series"
	"github.com/ccheck/ccheck/probes/heap/v8"
)

// Builder makes a series of snapshots that come one after the other. Of a V8
// snapshot it keeps the counts alone; the last one is read whole at the end.
type Builder struct {
	s       series.Series
	expect  int // snapshots to come; decides which is the base
	classes map[v8.Class]*series.Row
	stacks  map[string]*series.Row
	ids     *series.IDs // of the last point
	last    string      // its file
	mem     *goprof.MemStats
	vars    *goprof.Vars
}

// NewBuilder returns a builder for about that many snapshots.
func NewBuilder(expect int) *Builder {
	return &Builder{expect: expect, classes: map[v8.Class]*series.Row{}, stacks: map[string]*series.Row{}}
}

// settled is the point whose objects are the old ones: the second, when there
// are enough for the first to be warm-up.
func (b *Builder) settled() int {
	if b.expect >= 5 {
		return 1
	}
	return 0
}

// AddCensus adds a V8 snapshot that has been counted. The file is read again if
// it is the last.
func (b *Builder) AddCensus(p series.Point, file string, c *v8.Census) {
	n := len(b.s.Points)
	b.s.Language = series.V8
	p.Bytes, p.Objects, p.Exact = c.Bytes, c.Objects, true
	if b.ids != nil {
		shared, added := b.ids.Compare(c.IDs)
		b.s.Comparable = append(b.s.Comparable, shared)
		p.Allocated = b.s.Points[n-1].Allocated + added
	}
	for class, t := range c.Classes {
		row := b.classes[class]
		if row == nil {
			row = &series.Row{Name: class.Name, Kind: class.Kind, Unit: series.Objects}
			b.classes[class] = row
		}
		row.Cells = append(pad(row.Cells, n), series.Cell{Count: t.Count, Bytes: float64(t.Bytes)})
	}
	if n <= b.settled() {
		b.s.Base = c.IDs
	}
	b.ids, b.last = c.IDs, file
	b.s.Points = append(b.s.Points, p)
}

// pad fills the points at which a row had nothing.
func pad(cells []series.Cell, n int) []series.Cell {
	for len(cells) < n {
		cells = append(cells, series.Cell{})
	}
	return cells
}

// AddProfiles adds what a Go process said at one moment.
func (b *Builder) AddProfiles(p series.Point, profiles []*goprof.Profile) error {
	n := len(b.s.Points)
	b.s.Language = series.Go
	for _, prof := range profiles {
		switch prof.Kind {
		case goprof.References:
			b.references(prof)
			continue
		case goprof.Variables:
			b.variables(&p, prof.Vars)
			continue
		case goprof.Heap:
			b.s.Period = max(b.s.Period, prof.Period)
			p.Allocated += allocated(prof)
		}
		if prof.Mem != nil {
			b.memStats(&p, prof.Mem)
		}
		b.rows(prof, n)
		if prof.Kind == goprof.Heap && !p.Exact {
			p.Bytes, p.Objects = estimated(prof)
		}
	}
	if !slices.ContainsFunc(profiles, func(p *goprof.Profile) bool { return p.Kind == goprof.Heap || p.Kind == goprof.Goroutines }) {
		return fmt.Errorf("%s has neither a heap nor a goroutine profile", p.Name)
	}
	if n > 0 && float64(p.Allocated) < 0.99*float64(b.s.Points[n-1].Allocated) {
		return fmt.Errorf("%s is older than %s or of another process: it has allocated less", p.Name, b.s.Points[n-1].Name)
	}
	b.s.Points = append(b.s.Points, p)
	return nil
}

// memStats takes the exact numbers.
func (b *Builder) memStats(p *series.Point, m *goprof.MemStats) {
	if b.mem != nil && len(b.s.Points) > 0 {
		p.Pauses = m.PausesSince(b.mem, p.At-b.s.Points[len(b.s.Points)-1].At)
	}
	b.mem = m
	p.Bytes, p.Objects, p.Exact = m.HeapAlloc, m.HeapObjects, true
	p.Allocated = m.Mallocs
	if p.RSS == 0 {
		p.RSS = m.Sys
	}
}

// variables takes what the process exports of runtime/metrics.
func (b *Builder) variables(p *series.Point, v *goprof.Vars) {
	if b.vars != nil && len(b.s.Points) > 0 {
		v.PausesSince(b.vars, &p.Pauses)
	}
	p.Pauses.Scan = v.Scan
	b.vars = v
}

func (b *Builder) rows(prof *goprof.Profile, n int) {
	unit := series.Samples
	if prof.Kind == goprof.Goroutines {
		unit = series.Goroutines
	}
	for key, r := range prof.Rows {
		key = string(unit) + key
		row := b.stacks[key]
		if row == nil {
			row = &series.Row{Name: "", Unit: unit, Stack: r.Stack, State: r.State}
			b.stacks[key] = row
		}
		row.Leaked = row.Leaked || r.Leaked
		if len(row.Cells) > n {
			continue // of those that nothing can wake, which were counted with all
		}
		row.Cells = append(pad(row.Cells, n), r.Cell)
	}
}

// usual is the size in bytes of an object, to guess how many were allocated.
const usual = 64

// allocated is about how many objects were allocated so far.
func allocated(prof *goprof.Profile) int64 {
	sum := 0.0
	for _, r := range prof.Rows {
		sum += r.Added
	}
	return int64(sum / usual)
}

func estimated(prof *goprof.Profile) (bytes, objects int64) {
	for _, r := range prof.Rows {
		bytes += int64(r.Bytes)
		objects += r.Count
	}
	return bytes, objects
}

// references keeps the heaviest paths of a profile of grf, outermost first.
func (b *Builder) references(prof *goprof.Profile) {
	var all []series.Retainer
	for _, r := range prof.Rows {
		one := series.Retainer{Bytes: int64(r.Bytes), Count: r.Count}
		for _, f := range slices.Backward(r.Stack) {
			one.Path = append(one.Path, f.Func)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b series.Retainer) int { return int(min(max(b.Bytes-a.Bytes, -1), 1)) })
	b.s.Retainers = all[:min(len(all), 10)]
}

// SetLimit says at which size the process dies.
func (b *Builder) SetLimit(bytes int64, name string) { b.s.Limit, b.s.LimitName = bytes, name }

// Note adds what a person should know.
func (b *Builder) Note(text string) { b.s.Notes = append(b.s.Notes, text) }

// Points is the number of snapshots so far.
func (b *Builder) Points() int { return len(b.s.Points) }

// Last is the last point.
func (b *Builder) Last() series.Point { return b.s.Points[len(b.s.Points)-1] }

// Series hands out what was built. The last V8 snapshot is read whole now.
func (b *Builder) Series() (*series.Series, error) {
	n := len(b.s.Points)
	if b.last != "" {
		g, _, err := readGraph(b.last)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(b.last), err)
		}
		b.s.Graph = g
	}
	b.s.Rows = nil
	for _, class := range slices.SortedFunc(maps.Keys(b.classes), compareClass) {
		row := b.classes[class]
		row.Cells = pad(row.Cells, n)
		b.s.Rows = append(b.s.Rows, *row)
	}
	for _, key := range slices.Sorted(maps.Keys(b.stacks)) {
		row := b.stacks[key]
		row.Cells = pad(row.Cells, n)
		b.s.Rows = append(b.s.Rows, *row)
	}
	b.s.Sources = sources(&b.s)
	s := b.s
	return &s, nil
}

func compareClass(a, b v8.Class) int {
	if a.Kind != b.Kind {
		return int(a.Kind) - int(b.Kind)
	}
	if a.Name < b.Name {
		return -1
	}
	return 1
}

func readGraph(path string) (*series.Graph, *v8.Census, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return v8.Read(f)
}
