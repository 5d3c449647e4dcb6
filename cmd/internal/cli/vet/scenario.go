package vet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
)

// scenarioRule is the rule whose findings can become scenarios.
const scenarioRule = "sqlcheckact"

// room refuses a folder for scenarios in which something is.
func (o *Options) room() error {
	if o.Scenario == "" {
		return nil
	}
	entries, err := os.ReadDir(o.Scenario)
	switch {
	case err == nil && len(entries) > 0:
		return exit.Usagef("--scenario %s: this folder is not empty", flags.Shown(o.Scenario)).WithHint("name a new folder")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exit.Usagef("--scenario %s: %w", flags.Shown(o.Scenario), errors.Unwrap(err)).WithHint("name a new folder")
	}
	return nil
}

// stage writes the scenarios of the findings that are reported, and says how to
// run them.
func (o *Options) stage(res driver.SourceResult) (notes []string, err error) {
	if o.Scenario == "" {
		return nil, nil
	}
	var all []driver.Scenario
	for _, f := range res.Findings {
		if f.Rule != scenarioRule {
			continue
		}
		if s, ok := res.Scenario(f); ok {
			all = append(all, s)
		} else {
			notes = append(notes, fmt.Sprintf("no scenario for %s:%d: its SQL, or what decides between its statements, is not known in full", f.Where.File, f.Where.Line))
		}
	}
	if len(all) == 0 {
		return append(notes, "no scenario was written: there is no finding of "+scenarioRule+" that one can be drafted from"), nil
	}
	used := map[string]int{}
	for _, s := range all {
		dir := o.Scenario
		if used[s.Name]++; len(all) > 1 {
			dir = filepath.Join(dir, numbered(s.Name, used[s.Name]))
		}
		if err := write(dir, s); err != nil {
			return nil, exit.Failedf("cannot write the scenario: %w", err).WithHint("name another folder")
		}
		notes = append(notes, fmt.Sprintf("%s:%d can be proved: ccheck explore %s", s.Where.File, s.Where.Line, dir))
	}
	return notes, nil
}

func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, n)
}

func write(dir string, s driver.Scenario) error {
	for _, f := range s.Files {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(f.Text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
