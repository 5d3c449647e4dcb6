package baseline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/analyzers/report"
)

// Flags are the flags that say what is new.
type Flags struct {
	Known string // file of a baseline
	Write string // file to write one to
}

// Register adds the flags to fs.
func (f *Flags) Register(fs *pflag.FlagSet) {
	fs.StringVar(&f.Known, "baseline", "", "report only findings that are not in this `file`")
	fs.StringVar(&f.Write, "write-baseline", "", "write all findings to this `file` and count them as known")
}

// Read reads the baseline, an empty one where none is named. One that is about to
// be written need not be there yet.
func (f *Flags) Read() (Baseline, error) {
	none := Baseline{Schema: Schema}
	if f.Known == "" {
		return none, nil
	}
	if _, err := os.Stat(f.Known); f.Known == f.Write && errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	return Read(f.Known)
}

// Apply leaves out what is known, writes the new baseline where one is asked
// for, and says in notes what it did.
func (f *Flags) Apply(known Baseline, findings []report.Finding) (fresh []report.Finding, notes []string, err error) {
	fresh, old, unseen := known.Split(findings)
	if len(old) > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s not shown", counted(len(old), "known finding"), f.Known+verb(len(old))))
	}
	if unseen > 0 && f.Write == "" {
		notes = append(notes, fmt.Sprintf("%s of %s not seen; when all was judged that should be, --write-baseline leaves them out", counted(unseen, "finding"), f.Known+verb(unseen)))
	}
	if f.Write == "" {
		return fresh, notes, nil
	}
	all := Of(findings)
	if err := all.Write(f.Write); err != nil {
		return nil, nil, err
	}
	notes = append(notes, fmt.Sprintf("%s written to %s", counted(len(all.Findings), "finding"), f.Write))
	fresh, _, _ = all.Split(fresh)
	return fresh, notes, nil
}

func verb(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Check finds what is wrong with the flags before anything was run.
func (f *Flags) Check() error {
	_, err := f.Read()
	return err
}
