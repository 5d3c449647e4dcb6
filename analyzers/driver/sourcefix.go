package driver

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Edited is what the suggested edits make of the files. Nothing is written
// until Write is called.
type Edited struct {
	Files   []EditedFile
	Mended  []string // fingerprints of the findings whose edits are in the files
	Skipped []string // fingerprints of those whose edits touch the same lines as others
}

// EditedFile is one file before and after.
type EditedFile struct {
	Name     string
	Old, New []byte
}

// Changed is the error for an edit of a file that is no longer what was judged.
type Changed struct{ File string }

func (c *Changed) Error() string { return c.File + " has changed since it was judged" }

// Digest is the Digest of an edit of a file that holds the text.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Edits are those that Edit makes for a finding, nil for none.
func Edits(f report.Finding) []report.Edit {
	i := slices.IndexFunc(f.Fixes, func(x report.Fix) bool { return len(x.Edits) > 0 })
	if i < 0 {
		return nil
	}
	return f.Fixes[i].Edits
}

// Edit makes the first edit of each finding in the files as read gives them, by
// their whole path. Those of one finding are made together or not at all; one
// that overlaps an earlier one is left out. A file that is not what was judged is
// a Changed.
func Edit(dir string, read func(name string) ([]byte, error), findings []report.Finding) (Edited, error) {
	var e Edited
	d := &draft{dir: dir, read: read, old: map[string][]byte{}, spans: map[string][]span{}}
	for _, f := range findings {
		edits := Edits(f)
		if len(edits) == 0 {
			continue
		}
		ok, err := d.add(edits)
		if err != nil {
			return Edited{}, err
		}
		if ok {
			e.Mended = append(e.Mended, f.Fingerprint)
		} else {
			e.Skipped = append(e.Skipped, f.Fingerprint)
		}
	}
	files, err := d.files()
	e.Files = files
	return e, err
}

// Write writes the files in place.
func (e Edited) Write() error {
	for _, f := range e.Files {
		info, err := os.Stat(f.Name)
		if err == nil {
			err = os.WriteFile(f.Name, f.New, info.Mode().Perm())
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.Name, err)
		}
	}
	return nil
}

// span is an edit by offsets.
type span struct {
	from, to int
	text     string
}

// overlaps reports whether two edits cannot be made both. Two that insert the
// same text at the same place, such as an import, are one.
func (s span) overlaps(o span) bool {
	if s == o {
		return false
	}
	return s.from < o.to && o.from < s.to || s.from == o.from
}

// draft collects edits.
type draft struct {
	dir   string
	read  func(string) ([]byte, error)
	old   map[string][]byte
	spans map[string][]span
}

// add takes all edits or none.
func (d *draft) add(edits []report.Edit) (bool, error) {
	type placed struct {
		name string
		span span
	}
	var all []placed
	for _, e := range edits {
		name := e.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(d.dir, filepath.FromSlash(name))
		}
		s, err := d.span(name, e)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(d.spans[name], s.overlaps) {
			return false, nil
		}
		all = append(all, placed{name, s})
	}
	for _, p := range all {
		if !slices.Contains(d.spans[p.name], p.span) {
			d.spans[p.name] = append(d.spans[p.name], p.span)
		}
	}
	return true, nil
}

// span finds the offsets of an edit.
func (d *draft) span(name string, e report.Edit) (span, error) {
	text, ok := d.old[name]
	if !ok {
		var err error
		if text, err = d.read(name); err != nil {
			return span{}, fmt.Errorf("reading %s to edit it: %w", e.File, err)
		}
		d.old[name] = text
	}
	if e.Digest != "" && e.Digest != Digest(text) {
		return span{}, &Changed{e.File}
	}
	from, ok1 := offset(text, e.Line, e.Column)
	to, ok2 := offset(text, e.EndLine, e.EndColumn)
	if !ok1 || !ok2 || to < from {
		return span{}, &Changed{e.File}
	}
	return span{from, to, e.NewText}, nil
}

// offset of a line and column, both from 1.
func offset(text []byte, line, column int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	at += column - 1
	return at, column > 0 && at <= len(text)
}

// files makes the edits, last first, and formats what comes out.
func (d *draft) files() ([]EditedFile, error) {
	var all []EditedFile
	for name, spans := range d.spans {
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(b.from, a.from) })
		text := slices.Clone(d.old[name])
		for _, s := range spans {
			text = slices.Replace(text, s.from, s.to, []byte(s.text)...)
		}
		formatted, err := format.Source(text)
		if err != nil {
			return nil, fmt.Errorf("the edits of %s do not make Go source: %w", name, err)
		}
		all = append(all, EditedFile{Name: name, Old: d.old[name], New: formatted})
	}
	slices.SortFunc(all, func(a, b EditedFile) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}
