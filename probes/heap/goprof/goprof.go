// Package goprof reads what a Go process tells of its memory: heap, goroutine
// and goroutineleak profiles, as protocol buffers or as text, with the
// runtime.MemStats that the text ends with; and the reference profiles of grf.
//
// It asks no process and judges nothing. A heap profile is a sample: it keeps how
// many samples were taken and the variance of each estimate, so that a judge can
// tell growth from chance. The estimator is that of Horvitz and Thompson (1952)
// for the sampling of runtime.MemProfile, which takes an allocation of z bytes
// with the probability q = 1 − exp(−z/rate).
package goprof

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// Kind says what a profile counts.
type Kind string

// The kinds of profiles.
const (
	Heap       Kind = "heap"
	Goroutines Kind = "goroutine"
	References Kind = "references" // of grf: the stack is a path of references
	Variables  Kind = "variables"  // of expvar: no rows
)

// The ways in which a file is no profile that can be judged.
var (
	ErrForeign = errors.New("this is no Go heap or goroutine profile")
	ErrOther   = errors.New("this is a profile of something else than memory or goroutines")
)

// Profile is one profile.
type Profile struct {
	Kind   Kind
	Period int64 // runtime.MemProfileRate of a heap profile
	Rows   map[string]*Row
	Mem    *MemStats // nil when the profile has none
	Vars   *Vars     // of Variables
}

// Row is one stack, leaf first.
type Row struct {
	Stack  []series.Frame
	State  string // what a goroutine waits for
	Leaked bool
	series.Cell
}

// MaxSize bounds a profile once it is unpacked; that of a process with a
// million stacks has a hundred megabytes.
const MaxSize = 1 << 30

// Read reads a profile of any kind.
func Read(r io.Reader) (*Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading the profile: %w", err)
	}
	if len(data) > MaxSize {
		return nil, fmt.Errorf("it has more than %d MB: %w", MaxSize>>20, ErrForeign)
	}
	return Parse(data)
}

// Parse is Read of what is in memory.
func Parse(data []byte) (*Profile, error) {
	if isText(data) {
		return parseText(data)
	}
	if len(data) > 0 && data[0] == '{' {
		v, err := parseVars(data)
		return &Profile{Kind: Variables, Vars: v}, err
	}
	raw, err := unpacked(data)
	if err != nil {
		return nil, err
	}
	p, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeign, err)
	}
	return fromProto(p)
}

func isText(data []byte) bool {
	for _, head := range []string{"heap profile:", "goroutine profile:", "goroutineleak profile:", "goroutine "} {
		if bytes.HasPrefix(data, []byte(head)) {
			return true
		}
	}
	return false
}

// columns of a profile by the names of its sample types.
type columns struct{ count, space, allocs, allocSpace int }

func columnsOf(types []string) (Kind, columns, error) {
	c := columns{-1, -1, -1, -1}
	kind := Kind("")
	for i, t := range types {
		switch t {
		case "inuse_objects":
			c.count, kind = i, Heap
		case "inuse_space":
			c.space = i
		case "alloc_objects":
			c.allocs = i
		case "alloc_space":
			c.allocSpace = i
		case "goroutine", "goroutines", "goroutineleak":
			c.count, kind = i, Goroutines
		}
	}
	switch {
	case kind == "" || kind == Heap && c.space < 0:
		return "", c, ErrOther
	case kind == Heap && c.allocs < 0:
		kind = References
	}
	return kind, c, nil
}

func fromProto(p *message) (*Profile, error) {
	kind, c, err := columnsOf(p.types)
	if err != nil {
		return nil, err
	}
	out := &Profile{Kind: kind, Period: p.period, Rows: make(map[string]*Row, len(p.samples))}
	names := p.names()
	leaked := len(p.types) == 1 && p.types[0] == "goroutineleak"
	var s sample
	for _, raw := range p.samples {
		if err := s.decode(raw); err != nil {
			return nil, err
		}
		key, own := s.key(names)
		if own {
			continue
		}
		row := out.Rows[key]
		if row == nil {
			row = &Row{Stack: s.frames(names), Leaked: leaked}
			row.State = state(row.Stack)
			out.Rows[key] = row
		}
		row.sample(kind, c, s.values, p.period)
	}
	return out, nil
}

// sample adds one sample of the profile to its stack.
func (r *Row) sample(kind Kind, c columns, values []int64, period int64) {
	at := func(i int) float64 {
		if i < 0 || i >= len(values) {
			return 0
		}
		return float64(values[i])
	}
	if kind != Heap {
		r.Count += int64(at(c.count))
		r.Bytes += at(c.space)
		return
	}
	k, live, variance := estimate(at(c.count), at(c.space), period)
	r.Count += k
	r.Bytes += live
	r.Var += variance
	all, added, addedVar := estimate(at(c.allocs), at(c.allocSpace), period)
	r.Freed += all - k
	r.Added += added
	r.AddedVar += addedVar
}

// estimate turns an estimate of objects and bytes back into samples, and says
// how far off it may be: the variance of Horvitz and Thompson's estimator.
func estimate(objects, space float64, period int64) (samples int64, bytes, variance float64) {
	if objects <= 0 || space <= 0 {
		return 0, 0, 0
	}
	z := space / objects
	q := chance(z, period)
	return int64(math.Round(objects * q)), space, z * z * objects * (1 - q) / q
}

// chance is the probability that an allocation of z bytes is in the sample.
func chance(z float64, period int64) float64 {
	if period <= 1 {
		return 1
	}
	return -math.Expm1(-z / float64(period))
}

// ofProfiler reports whether a function makes profiles: what it allocates is the
// observer's and not the program's.
func ofProfiler(name string) bool {
	return strings.HasPrefix(name, "runtime/pprof.") || strings.HasPrefix(name, "net/http/pprof.")
}

// waits are the functions of the runtime in which a goroutine stops, with the
// words of a goroutine dump.
var waits = []struct{ name, state string }{
	{"runtime.chansend", "chan send"}, {"runtime.chanrecv", "chan receive"}, {"runtime.selectgo", "select"},
	{"runtime.block", "select (no cases)"}, {"time.Sleep", "sleep"}, {"sync.(*WaitGroup).Wait", "sync.WaitGroup.Wait"},
	{"sync.(*Cond).Wait", "sync.Cond.Wait"}, {"sync.(*Mutex).Lock", "sync.Mutex.Lock"}, {"internal/sync.(*Mutex).", "sync.Mutex.Lock"},
	{"sync.(*RWMutex).", "sync.RWMutex"}, {"internal/poll.runtime_pollWait", "IO wait"}, {"runtime.semacquire", "semacquire"},
}

// state says from the upper frames what a goroutine waits for.
func state(stack []series.Frame) string {
	for _, f := range stack[:min(len(stack), 8)] {
		for _, w := range waits {
			if strings.HasPrefix(f.Func, w.name) {
				return w.state
			}
		}
		if !strings.HasPrefix(f.Func, "runtime.") && !strings.HasPrefix(f.Func, "internal/") && !strings.HasPrefix(f.Func, "sync.") {
			break
		}
	}
	return ""
}
