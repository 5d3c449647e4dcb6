package heap

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/heap/series"
)

// keptName is the file beside snapshots that are kept: when each was taken, and after
// how much work. It holds nothing of what the process has in memory.
const keptName = "watch.json"

// kept is what that file holds.
type kept struct {
	Limit     int64       `json:"limit,omitempty"` // bytes
	LimitName string      `json:"limit_name,omitempty"`
	Snapshots []keptPoint `json:"snapshots"`
}

type keptPoint struct {
	Name   string        `json:"name"`
	At     time.Duration `json:"at"` // nanoseconds since the first
	Work   int64         `json:"work,omitempty"`
	Rounds int64         `json:"rounds"`
	Loaded bool          `json:"loaded,omitempty"`
	RSS    int64         `json:"rss,omitempty"` // bytes
}

// keep writes down the points so far.
func (t *taker) keep() error {
	k := kept{Limit: t.b.s.Limit, LimitName: t.b.s.LimitName}
	for _, p := range t.b.s.Points {
		k.Snapshots = append(k.Snapshots, keptPoint{Name: p.Name, At: p.At, Work: p.Work, Rounds: p.Rounds, Loaded: p.Loaded, RSS: p.RSS})
	}
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return fmt.Errorf("storing the times of the snapshots: %w", err)
	}
	if err := os.WriteFile(filepath.Join(t.w.Dir, keptName), text, 0o600); err != nil {
		return fmt.Errorf("storing the times of the snapshots: %w", err)
	}
	return nil
}

// knows finds what was written down beside files, where it was for all of them: a
// point for each, counted from the first. It is nil where it was not.
func knows(paths []string) (points []series.Point, of kept) {
	dir := filepath.Dir(paths[0])
	text, ok := source(absolute(filepath.Join(dir, keptName)))
	if !ok || json.Unmarshal([]byte(text), &of) != nil {
		return nil, kept{}
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), snapshotSuffix)
		i := slices.IndexFunc(of.Snapshots, func(p keptPoint) bool { return p.Name == name })
		if i < 0 || filepath.Dir(path) != dir {
			return nil, kept{}
		}
		p := of.Snapshots[i]
		points = append(points, series.Point{Name: filepath.Base(path), At: p.At, Work: p.Work, Rounds: p.Rounds, Loaded: p.Loaded, RSS: p.RSS})
	}
	first := points[0]
	for i := range points {
		p := &points[i]
		p.At, p.Work, p.Rounds = p.At-first.At, p.Work-first.Work, p.Rounds-first.Rounds
		if i > 0 && p.Rounds <= points[i-1].Rounds {
			return nil, kept{} // another watch has written into the folder
		}
	}
	return points, of
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}

const snapshotSuffix = ".heapsnapshot"

// moment is the name of what holds one moment, as a watch names it.
var moment = regexp.MustCompile(`^s\d+$`)

// Snapshots are the files that a person means: those of a folder with several moments
// in it, in their order; and s2 before s10, where a shell has sorted them as words.
func Snapshots(paths []string) []string {
	if len(paths) == 1 {
		if all := within(paths[0]); len(all) > 1 {
			return all
		}
	}
	if slices.IsSorted(paths) {
		paths = slices.Clone(paths)
		slices.SortStableFunc(paths, natural)
	}
	return paths
}

// within are the moments in a folder: snapshots of V8, or folders that a watch made.
func within(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it is a file, or cannot be read, which whoever reads it will say
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && moment.MatchString(e.Name()) || !e.IsDir() && strings.HasSuffix(e.Name(), snapshotSuffix) {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(all, natural)
	return all
}

var digits = regexp.MustCompile(`\d+|\D+`)

// natural compares names as a person does, numbers in them by their value.
func natural(a, b string) int {
	x, y := digits.FindAllString(a, -1), digits.FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		c := cmp.Compare(x[i], y[i])
		if '0' <= x[i][0] && x[i][0] <= '9' && '0' <= y[i][0] && y[i][0] <= '9' {
			m, n := strings.TrimLeft(x[i], "0"), strings.TrimLeft(y[i], "0")
			c = cmp.Or(len(m)-len(n), cmp.Compare(m, n))
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}
