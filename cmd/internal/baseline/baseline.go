// Package baseline tells findings that are new from those that were there
// before: by a file of fingerprints that a run wrote, or by the lines that git
// says have changed. It judges nothing and never drops a reason for unknown.
package baseline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/input"
)

// Schema is the first key of a baseline.
const Schema = "ccheck-baseline/1"

// Baseline is what was found before, in the order of the fingerprints, so that
// two of them differ in the lines that differ.
type Baseline struct {
	Schema   string  `json:"schema"`
	Findings []Entry `json:"findings"`
}

// Entry is one finding. The fingerprint finds it again; the rest is for people
// who read the file.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	File        string `json:"file,omitempty"`
	Message     string `json:"message"`
}

// Of makes a baseline of findings. Those without a fingerprint cannot be found
// again and are not in it.
func Of(findings []report.Finding) Baseline {
	b := Baseline{Schema: Schema, Findings: []Entry{}}
	for _, f := range findings {
		if f.Fingerprint != "" {
			b.Findings = append(b.Findings, Entry{f.Fingerprint, f.Rule, f.Where.File, f.Message})
		}
	}
	slices.SortFunc(b.Findings, func(x, y Entry) int { return cmp.Compare(x.Fingerprint, y.Fingerprint) })
	b.Findings = slices.CompactFunc(b.Findings, func(x, y Entry) bool { return x.Fingerprint == y.Fingerprint })
	return b
}

// Read reads a baseline that Write wrote.
func Read(path string) (Baseline, error) {
	text, err := input.Read(path)
	var own *exit.Error
	switch {
	case errors.As(err, &own):
		return Baseline{}, own
	case errors.Is(err, fs.ErrNotExist):
		return Baseline{}, exit.Usagef("there is no baseline %s", path).WithHint("--write-baseline %s makes one of what is found now", path)
	case err != nil:
		return Baseline{}, exit.Failedf("cannot read the baseline %s: %w", path, reason(err))
	}
	b, err := decode(text)
	if err != nil {
		return Baseline{}, exit.Usagef("%s is no baseline that can be read: %w", path, err).WithHint("--write-baseline writes baselines")
	}
	return b, nil
}

func decode(text []byte) (Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return Baseline{}, fmt.Errorf("reading the JSON: %w", err)
	}
	if b.Schema != Schema {
		return Baseline{}, fmt.Errorf("its schema is %q, and this ccheck reads %q", b.Schema, Schema)
	}
	return b, nil
}

// Write writes the baseline to a file, whole or not at all.
func (b Baseline) Write(path string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the baseline: %w", err)
	}
	if err := replace(path, append(text, '\n')); err != nil {
		return exit.Failedf("cannot write the baseline %s: %w", path, reason(err)).WithHint("check that the folder exists and can be written")
	}
	return nil
}

func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("creating it: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// reason is an error of the file system without its operation and its path.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Split tells findings that are not in the baseline from those that are, and
// counts the entries that were not found.
func (b Baseline) Split(findings []report.Finding) (fresh, known []report.Finding, unseen int) {
	seen := map[string]bool{}
	for _, e := range b.Findings {
		seen[e.Fingerprint] = false
	}
	for _, f := range findings {
		if _, ok := seen[f.Fingerprint]; ok && f.Fingerprint != "" {
			seen[f.Fingerprint] = true
			known = append(known, f)
		} else {
			fresh = append(fresh, f)
		}
	}
	for _, found := range seen {
		if !found {
			unseen++
		}
	}
	return fresh, known, unseen
}
