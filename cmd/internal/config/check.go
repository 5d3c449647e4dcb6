package config

import (
	"cmp"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/suggest"
)

// Check tells every fault of the files, in their order: the text, the keys held
// against the commands below root, and the values against the flags when values
// is set. Setting is the only way to try a value, so root must not be run
// afterwards.
func (c *Config) Check(root *cobra.Command, values bool) error {
	faults := slices.Clone(c.faults)
	for _, s := range c.settings {
		if at, err := check(root, s, values); err != nil {
			faults = append(faults, fault{at, err})
		}
	}
	slices.SortStableFunc(faults, func(a, b fault) int {
		return cmp.Or(slices.Index(c.Files, a.at.File)-slices.Index(c.Files, b.at.File), a.at.Line-b.at.Line, a.at.Column-b.at.Column)
	})
	var errs []error
	for _, f := range faults {
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}

func check(root *cobra.Command, s setting, values bool) (Origin, error) {
	having, at, err := having(root, s)
	if err != nil {
		return at, err
	}
	if s.empty {
		return at, nil
	}
	if why := refusal(s.flag, s.origin.Layer, s.values); why != "" {
		return s.key, refused(s.key, s.flag, why)
	}
	if !values {
		return s.origin, nil
	}
	// A name that is a switch of one command and a word of another is right
	// when one of them takes it, unless the file says whose it is.
	for _, f := range having {
		if err = (Value{Flag: f, Values: s.values, Origin: s.origin}).set(); err == nil {
			break
		}
	}
	return s.origin, err
}

// having are the flags that the setting is about; at is the place of the error.
func having(root *cobra.Command, s setting) (found []*pflag.Flag, at Origin, err error) {
	var known, commands []string
	there := s.command == ""
	for _, cmd := range Runnable(root) {
		commands = append(commands, Name(cmd))
		if s.command != "" && Name(cmd) != s.command {
			continue
		}
		there = true
		for _, f := range Flags(cmd) {
			known = append(known, f.Name)
			if f.Name == s.flag {
				found = append(found, f)
			}
		}
	}
	switch {
	case !there:
		return nil, s.section, unknown(s.section, "key", s.command, append(commands, version, Every))
	case s.empty:
		return nil, s.section, nil
	case s.flag == "":
		err := exit.Usagef("%s: expected flags and their values below %s", s.section, cmp.Or(s.command, Every))
		return nil, s.section, err.WithHint("write them on lines of their own, indented: clients: 50")
	case len(found) == 0:
		return nil, s.key, unknown(s.key, "flag", s.flag, known)
	}
	return found, s.key, nil
}

func unknown(at Origin, kind, name string, known []string) error {
	err := exit.Usagef("%s: there is no %s %s", at, kind, flags.Shown(name))
	if slices.Contains([]string{"actors", "invariants", "setup", "name", "params", "load"}, name) {
		return err.WithHint("that belongs into the ccheck.yaml of a scenario, without the dot")
	}
	if near := suggest.Nearest(name, known); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("`ccheck config schema` has the keys; a flag is written without its dashes")
}

// Runnable are the commands below root that do something, in the order of the
// help.
func Runnable(root *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && !cmd.HasSubCommands() && cmd.Name() != "help" {
			all = append(all, cmd)
		}
		all = append(all, Runnable(cmd)...)
	}
	return all
}
