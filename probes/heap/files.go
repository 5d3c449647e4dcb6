package heap

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ccheck/ccheck/probes/heap/goprof"
	"github.com/ccheck/ccheck/probes/heap/series"
	"github.com/ccheck/ccheck/probes/heap/v8"
)

// FileError is what is wrong with a file that a user named.
type FileError struct {
	Path string
	Err  error
	Hint string
}

func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

func (e *FileError) Unwrap() error { return e.Err }

// Files says how snapshots in files are to be taken.
type Files struct {
	Paths []string
	// Every is the time between two of them, and Work the number of requests; 0
	// where it is not known.
	Every time.Duration
	Work  int64
	// Retainers is a reference profile of grf, of the last moment; "" for none.
	Retainers string
	Workers   int // that read at the same time

	points []series.Point // as the watch that took them wrote down; nil where it did not
}

// Read reads the files in their order. A folder is one moment of a Go process
// with several profiles.
func (f *Files) Read(ctx context.Context) (*series.Series, error) {
	v8Files, goFiles := 0, 0
	for _, path := range f.Paths {
		isV8, err := looksLikeV8(path)
		if err != nil {
			return nil, fileError(path, err)
		}
		if isV8 {
			v8Files++
		} else {
			goFiles++
		}
	}
	if v8Files > 0 && goFiles > 0 {
		for _, path := range f.Paths {
			if isV8, _ := looksLikeV8(path); isV8 {
				continue
			}
			if _, err := readProfiles(path); err != nil {
				return nil, fileError(path, err)
			}
		}
		return nil, &FileError{Path: strings.Join(f.Paths, ", "), Err: errors.New("some are snapshots of V8 and some profiles of Go"), Hint: "name the snapshots of one process"}
	}
	b := NewBuilder(len(f.Paths))
	points, known := knows(f.Paths)
	f.points = points
	b.SetLimit(known.Limit, known.LimitName)
	var err error
	if v8Files > 0 {
		err = f.readV8(ctx, b)
	} else {
		err = f.readGo(ctx, b)
	}
	if err != nil {
		return nil, err
	}
	s, err := b.Series()
	if err != nil {
		return nil, fileError(f.Paths[len(f.Paths)-1], err)
	}
	s.Target = strings.Join([]string{filepath.Base(f.Paths[0]), filepath.Base(f.Paths[len(f.Paths)-1])}, " … ")
	return s, nil
}

// point is what is known of a moment: what a person says of it goes before what the
// watch wrote down.
func (f *Files) point(i int) series.Point {
	if f.points != nil && f.Every == 0 && f.Work == 0 {
		return f.points[i]
	}
	return series.Point{Name: filepath.Base(f.Paths[i]), At: time.Duration(i) * f.Every, Work: int64(i) * f.Work}
}

// looksLikeV8 looks at the first byte that is no blank.
func looksLikeV8(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	for {
		c, err := r.ReadByte()
		if err == io.EOF {
			return false, errors.New("the file is empty")
		}
		if err != nil {
			return false, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c == '{', nil
		}
	}
}

// fileError finds the words and the mend for what is wrong with a file.
func fileError(path string, err error) *FileError {
	var known *FileError
	if errors.As(err, &known) {
		return known
	}
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return &FileError{Path: path, Err: pathErr.Err, Hint: "name files that exist and can be read"}
	}
	e := &FileError{Path: path, Err: err, Hint: "ccheck reads .heapsnapshot files of V8, and heap and goroutine profiles of Go"}
	switch {
	case errors.Is(err, v8.ErrTruncated):
		e.Hint = "the process was ended while it wrote, or the disk was full: take the snapshot again"
	case errors.Is(err, goprof.ErrOther):
		e.Hint = "take /debug/pprof/heap or /debug/pprof/goroutine"
	}
	return e
}

// readV8 counts the snapshots and reads the last one whole, several at the same
// time, and adds them in order.
func (f *Files) readV8(ctx context.Context, b *Builder) error {
	last := len(f.Paths) - 1
	var graph *series.Graph
	censuses := make([]*v8.Census, last+1)
	errs := make([]error, last+1)
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(f.Workers, 1))
	for i := last; i >= 0; i-- { // the longest first
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			switch errs[i] = ctx.Err(); {
			case errs[i] != nil:
			case i == last:
				graph, censuses[i], errs[i] = readGraph(f.Paths[i])
			default:
				censuses[i], errs[i] = readCensus(f.Paths[i])
			}
		})
	}
	wg.Wait()
	for i, path := range f.Paths {
		if errs[i] != nil {
			return fileError(path, errs[i])
		}
		b.AddCensus(f.point(i), "", censuses[i])
		censuses[i] = nil
	}
	b.s.Graph, b.ids = graph, nil
	return nil
}

func readCensus(path string) (*v8.Census, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return v8.ReadCensus(file)
}

func (f *Files) readGo(ctx context.Context, b *Builder) error {
	for i, path := range f.Paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		profiles, err := readProfiles(path)
		if err != nil {
			return fileError(path, err)
		}
		if i == len(f.Paths)-1 && f.Retainers != "" {
			refs, err := readProfiles(f.Retainers)
			if err != nil {
				return fileError(f.Retainers, err)
			}
			for _, p := range refs {
				p.Kind = goprof.References
			}
			profiles = append(profiles, refs...)
		}
		if err := b.AddProfiles(f.point(i), profiles); err != nil {
			return &FileError{Path: path, Err: err, Hint: "name heap and goroutine profiles of one process in the order in which they were taken"}
		}
	}
	return nil
}

// readProfiles reads one profile, or all of a folder.
func readProfiles(path string) ([]*goprof.Profile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	names := []string{path}
	if info.IsDir() {
		if names, err = filepath.Glob(filepath.Join(path, "*")); err != nil || len(names) == 0 {
			return nil, errors.New("the folder is empty")
		}
		slices.Sort(names)
	}
	var all []*goprof.Profile
	for _, name := range names {
		p, err := readProfile(name)
		if err != nil {
			return nil, fileError(name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func readProfile(path string) (*goprof.Profile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return goprof.Read(file)
}
