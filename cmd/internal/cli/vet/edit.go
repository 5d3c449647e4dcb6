package vet

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/mend"
)

// fix makes the edits, takes the findings that they mend out of the result, and
// says what was done.
func (o *Options) fix(dir string, res *driver.SourceResult) (notes []string, err error) {
	edited, err := driver.Edit(dir, os.ReadFile, res.Findings)
	if err != nil {
		return nil, exit.Failedf("%w", err)
	}
	if err := edited.Write(); err != nil {
		return nil, exit.Failedf("cannot write the edits: %w", errors.Unwrap(err)).WithHint("check that the files can be written")
	}
	if n := len(edited.Mended); n > 0 {
		notes = append(notes, fmt.Sprintf("mended %s in %s; read the edits and run the tests", counted(n, "finding"), counted(len(edited.Files), "file")))
	}
	if n := len(edited.Skipped); n > 0 {
		notes = append(notes, fmt.Sprintf("left out %s, because it touches the same lines as another; run --fix again", counted(n, "edit")))
	}
	res.Findings = slices.DeleteFunc(res.Findings, func(f report.Finding) bool { return slices.Contains(edited.Mended, f.Fingerprint) })
	if len(res.Findings) == 0 && len(res.Reasons) == 0 {
		res.Verdict = report.Clean
	}
	return notes, nil
}

// diff prints what fix would change. Findings without an edit do not count, so
// that the exit code is that of the diff: 1 when there is one.
func (o *Options) diff(dir string, res driver.SourceResult) error {
	edited, err := driver.Edit(dir, os.ReadFile, res.Findings)
	if err != nil {
		return exit.Failedf("%w", err)
	}
	if _, err := o.Streams.Out.Write(mend.Diff(dir, edited)); err != nil {
		return exit.Failedf("cannot write the diff: %w", err)
	}
	for _, why := range res.Reasons {
		o.Streams.Warnf("%s", why)
	}
	switch {
	case o.Outcome.ExitZero:
		return nil
	case len(edited.Files) > 0:
		return exit.Status(exit.Findings)
	case len(res.Reasons) > 0:
		return exit.Status(exit.Unknown)
	}
	return nil
}
