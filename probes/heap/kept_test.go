package heap

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/heap/series"
)

func TestSnapshots(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"s0", "s2", "s10", "notes", "s1x"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name        string
		paths, want []string
	}{
		{"as a shell sorts them", []string{"d/s0", "d/s1", "d/s10", "d/s11", "d/s2"}, []string{"d/s0", "d/s1", "d/s2", "d/s10", "d/s11"}},
		{"as a person does", []string{"s2", "s10", "s11"}, []string{"s2", "s10", "s11"}},
		{"in an order of their own", []string{"before", "after", "later"}, []string{"before", "after", "later"}},
		{"with zeros", []string{"h010", "h011", "h9"}, []string{"h9", "h010", "h011"}},
		{"other names", []string{"a.heapsnapshot", "b.heapsnapshot"}, []string{"a.heapsnapshot", "b.heapsnapshot"}},
		{"a folder of several", []string{dir}, []string{filepath.Join(dir, "s0"), filepath.Join(dir, "s2"), filepath.Join(dir, "s10")}},
		{"a folder of one moment", []string{filepath.Join(dir, "s0")}, []string{filepath.Join(dir, "s0")}},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Snapshots(tt.paths); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// What a watch wrote down is read again: the work before each snapshot, that of the
// longer rounds too. Files of which it wrote nothing have none of it.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	w := &taker{w: &Watch{Dir: dir}, b: NewBuilder(5)}
	for i, rounds := range []int64{0, 1, 2, 14} {
		w.b.s.Points = append(w.b.s.Points, series.Point{Name: []string{"s0", "s1", "s2", "s3"}[i], At: time.Duration(rounds) * time.Second, Rounds: rounds, Work: 300 * rounds, Loaded: i > 0})
	}
	w.b.SetLimit(1<<30, "memory.max")
	if err := w.keep(); err != nil {
		t.Fatal(err)
	}
	in := func(names ...string) (all []string) {
		for _, name := range names {
			all = append(all, filepath.Join(dir, name))
		}
		return all
	}
	points, of := knows(in("s1", "s2.heapsnapshot", "s3"))
	if len(points) != 3 || points[0].Rounds != 0 || points[2].Rounds != 13 || points[2].Work != 3900 || points[2].At != 13*time.Second || !points[2].Loaded || of.Limit != 1<<30 {
		t.Errorf("got %+v, %+v", points, of)
	}
	for _, paths := range [][]string{in("s1", "s0"), in("s1", "other"), {in("s1")[0], filepath.Join(t.TempDir(), "s2")}, {"nowhere/s1", "nowhere/s2"}} {
		if points, of := knows(paths); points != nil || of.Limit != 0 {
			t.Errorf("%v: got %+v", paths, points)
		}
	}
}

// Snapshots of V8 beside profiles of Go are of no one process; a file that is neither
// is told by its name.
func TestMixed(t *testing.T) {
	dir := t.TempDir()
	var profile bytes.Buffer
	if err := pprof.WriteHeapProfile(&profile); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.heapsnapshot": `{"snapshot":{}}`, "b.pb.gz": profile.String(), "c.txt": "buy milk"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for other, says := range map[string]string{"b.pb.gz": "some are snapshots of V8 and some profiles of Go", "c.txt": "c.txt: this is no Go heap or goroutine profile"} {
		files := &Files{Paths: []string{filepath.Join(dir, "a.heapsnapshot"), filepath.Join(dir, other)}, Workers: 1}
		_, err := files.Read(t.Context())
		var named *FileError
		if !errors.As(err, &named) || !strings.Contains(named.Error(), says) || named.Hint == "" {
			t.Errorf("%s: %v", other, err)
		}
	}
}
