// Package mend makes the edits that findings of source suggest: all at once, as
// a diff, or one by one as a person on the full screen asks for them. It judges
// nothing; what to edit stands in the findings. Commands that show or judge
// source import it.
package mend

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/input"
)

// Diff is what edits change, as a unified diff with paths below dir.
func Diff(dir string, e driver.Edited) []byte {
	var b bytes.Buffer
	for _, f := range e.Files {
		name := below(dir, f.Name)
		b.Write(diff.Diff("a/"+name, f.Old, "b/"+name, f.New))
	}
	return b.Bytes()
}

func below(dir, name string) string {
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// Bench is where edits are made one by one. It remembers what it wrote: the
// positions in findings are those of the files as they were judged, and hold for
// a second edit of a file only when it starts from there again.
type Bench struct {
	dir string
	env func(string) string

	mu     sync.Mutex
	made   []report.Finding
	judged map[string][]byte // the files it wrote to, as they were
	wrote  map[string][]byte // and as it left them
}

// NewBench returns a bench for findings whose paths are relative to dir; env is
// as os.Getenv.
func NewBench(dir string, env func(string) string) *Bench {
	return &Bench{dir: dir, env: env, judged: map[string][]byte{}, wrote: map[string][]byte{}}
}

// Read is a file as it was judged, as far as this bench knows.
func (b *Bench) Read(file string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, err := b.read(b.path(file))
	return text, advise(err)
}

func (b *Bench) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(b.dir, filepath.FromSlash(file))
}

// read refuses a file that somebody wrote to after this bench did.
func (b *Bench) read(name string) ([]byte, error) {
	now, err := input.Read(name)
	if err != nil {
		return nil, err
	}
	if wrote, ok := b.wrote[name]; ok {
		if !bytes.Equal(now, wrote) {
			return nil, &driver.Changed{File: below(b.dir, name)}
		}
		return b.judged[name], nil
	}
	return now, nil
}

// Diff is what the edits of the findings change in the files as they were judged.
func (b *Bench) Diff(fs []report.Finding) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, err := driver.Edit(b.dir, b.read, fs)
	if err != nil {
		return "", advise(err)
	}
	return string(Diff(b.dir, e)), nil
}

// Apply writes the edits of the findings, on top of those that it made before,
// and returns the files that it wrote to. It writes nothing when a file is not
// what was judged or lies outside of the folder. Of several findings those whose
// edits touch the same lines as others are left out; left has their indices. One
// alone is refused.
func (b *Bench) Apply(fs []report.Finding) (files []string, left []int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range fs {
		if err := b.may(f); err != nil {
			return nil, nil, err
		}
	}
	e, err := driver.Edit(b.dir, b.read, append(slices.Clone(b.made), fs...))
	if err != nil {
		return nil, nil, advise(err)
	}
	for i, f := range fs {
		if slices.Contains(e.Skipped, f.Fingerprint) {
			left = append(left, i)
		}
	}
	if len(left) == len(fs) {
		return nil, nil, errors.New("another edit touches the same lines; run `ccheck vet` again")
	}
	if err := e.Write(); err != nil {
		return nil, nil, err
	}
	for i, f := range fs {
		if !slices.Contains(left, i) {
			b.made = append(b.made, f)
		}
	}
	return b.note(e), left, nil
}

// may refuses what cannot be known to be right.
func (b *Bench) may(f report.Finding) error {
	for _, e := range driver.Edits(f) {
		switch {
		case e.Digest == "":
			return fmt.Errorf("the report does not say what %s looked like when it was judged; run `ccheck vet` again", e.File)
		case !filepath.IsLocal(below(b.dir, b.path(e.File))):
			return fmt.Errorf("%s lies outside of this folder", e.File)
		case !strings.HasSuffix(e.File, ".go"):
			return fmt.Errorf("%s is no Go file", e.File)
		}
	}
	return nil
}

// note remembers what was written, and names the files.
func (b *Bench) note(e driver.Edited) []string {
	var names []string
	for _, f := range e.Files {
		b.judged[f.Name], b.wrote[f.Name] = f.Old, f.New
		names = append(names, below(b.dir, f.Name))
	}
	return names
}

// advise says what to do about an edit that was refused.
func advise(err error) error {
	var changed *driver.Changed
	switch {
	case errors.As(err, &changed):
		return fmt.Errorf("%w; run `ccheck vet` again", err)
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w; run ccheck in the folder in which the report was made", err)
	}
	return err
}
