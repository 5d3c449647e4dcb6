package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/input"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/scenario"
)

// stored is a schedule in a file: a test that fails while the bug is there.
type stored struct {
	Schema    string   `json:"schema"`
	Scenario  string   `json:"scenario"` // as it was named on the command line
	Variant   string   `json:"variant,omitempty"`
	Fix       string   `json:"fix,omitempty"` // folder of --fix
	Lanes     []string `json:"lanes"`         // actors
	Isolation string   `json:"isolation"`
	Seed      uint64   `json:"seed"`
	Schedule  string   `json:"schedule"`
	Finding   string   `json:"finding"` // what it showed when it was saved
}

const storedSchema = "ccheck-schedule/1"

// checkSave looks whether the file of --save can be written, before anything runs.
func (o *Options) checkSave() error {
	if o.Save == "" {
		return nil
	}
	_, missing := os.Lstat(o.Save)
	f, err := os.OpenFile(o.Save, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return unsaved(o.Save, err)
	}
	_ = f.Close() // nothing was written
	if missing != nil {
		_ = os.Remove(o.Save) // it is made when something breaks
	}
	return nil
}

func unsaved(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return exit.Failedf("--save %s: %w", path, err).WithHint("name a file in a folder that can be written")
}

// save writes the smallest schedule of the first cell that breaks.
func (s *session) save(d *done) error {
	if s.o.Save == "" || s.saved || len(d.verdict.Findings) == 0 {
		return nil
	}
	f := d.verdict.Findings[0]
	schedule := d.counts.First.Text(explore.Names(d.actors))
	if schedule == "" {
		_, rest, _ := strings.Cut(f.Repro.Command, "--schedule ")
		schedule = strings.Trim(rest, `"`)
	}
	if schedule == "" {
		return nil
	}
	b, err := json.MarshalIndent(stored{
		Schema: storedSchema, Scenario: s.o.Name, Variant: d.sc.Version, Fix: s.fixOf(d.sc), Lanes: d.actors, Isolation: string(d.level),
		Seed: s.o.Seed.Pick(), Schedule: schedule, Finding: f.Message,
	}, "", "  ")
	if err == nil {
		err = os.WriteFile(s.o.Save, append(b, '\n'), 0o600)
	}
	if err != nil {
		return unsaved(s.o.Save, err)
	}
	s.saved = true
	s.o.Streams.Sayf("the smallest schedule that breaks is in %s; `ccheck explore --replay %s` runs it again", s.o.Save, s.o.Save)
	return nil
}

// stored reads the file of --replay. The scenario is the one of today, so that
// the schedule tells whether its bug is still there.
func (o *Options) stored() ([]*cell, error) {
	var f stored
	b, err := input.Read(o.Replay)
	var own *exit.Error
	var pe *fs.PathError
	switch {
	case errors.As(err, &own):
		return nil, own
	case errors.Is(err, fs.ErrNotExist):
		return nil, exit.Usagef("--replay: there is no file %s", o.Replay).WithHint("`ccheck explore SCENARIO --save %s` writes one", o.Replay)
	case errors.As(err, &pe):
		return nil, exit.Failedf("--replay %s: %w", o.Replay, pe.Err).WithHint("name a file that can be read")
	}
	if err := json.Unmarshal(b, &f); err != nil || f.Schema != storedSchema {
		return nil, exit.Usagef("%s is no schedule of ccheck", o.Replay).WithHint("`ccheck explore SCENARIO --save FILE` writes one; a history is shown by `ccheck show`")
	}
	switch n := len(f.Lanes); {
	case f.Scenario == "":
		return nil, exit.Usagef("%s names no scenario", o.Replay).WithHint("save the schedule again")
	case n < 2 || n > maxLanes:
		return nil, exit.Usagef("%s has %s; a schedule needs 2 to %d of them", o.Replay, count(n, "lane"), maxLanes).WithHint("save the schedule again")
	case o.Name == "":
		o.Name, o.Variant, o.Fix = f.Scenario, f.Variant, f.Fix
	}
	o.Seed.Value, o.Seed.Given = f.Seed, true
	c, err := f.cell(o)
	if err != nil {
		return nil, err
	}
	return []*cell{c}, nil
}

func (f *stored) cell(o *Options) (*cell, error) {
	sc, err := o.open()
	if err == nil && o.Variant != "" {
		sc, err = sc.Variant(o.Variant)
	}
	if err != nil {
		return nil, err
	}
	for _, a := range f.Lanes {
		if sc.Actor(a) == nil {
			return nil, exit.Usagef("%s: scenario %s has no actor %q any more", o.Replay, sc.FullName(), a).WithHint("save the schedule again")
		}
	}
	c := &cell{sc: sc, actors: f.Lanes, level: scenario.Isolation(f.Isolation)}
	if c.schedule, err = explore.ParseSchedule(f.Schedule, explore.Names(f.Lanes)); err != nil {
		return nil, exit.Usagef("%s: %v", o.Replay, err).WithHint("save the schedule again")
	}
	if !slices.Contains(flags.Levels, c.level) {
		return nil, exit.Usagef("%s: %s", o.Replay, fmt.Sprintf("%q is no isolation level", f.Isolation)).WithHint("save the schedule again")
	}
	return c, nil
}
