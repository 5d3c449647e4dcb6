// Package config finds what flags are worth where the command line does not say
// it: in the environment, in a file of the repository, in a file of the user.
// One mechanism serves every flag of every command; a command knows nothing of
// it. It is not about scenarios: those are folders with a ccheck.yaml of
// another schema. Commands and the root command may import it.
//
// The first that names a flag wins:
//
//	the command line         --clients 50
//	the environment          CCHECK_STRESS_CLIENTS, then CCHECK_CLIENTS
//	the repository           .ccheck.yaml, in this folder or above
//	the user                 $XDG_CONFIG_HOME/ccheck/config.yaml
//	the default              as --help shows it
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/input"
)

// File is the name of the file of a repository. The dot keeps it apart from the
// ccheck.yaml of a scenario.
const File = ".ccheck.yaml"

// Layer is where a value comes from, the strongest first.
type Layer string

// The layers.
const (
	CommandLine Layer = "flag"
	Environment Layer = "environment"
	Repository  Layer = "repository"
	User        Layer = "user"
	Default     Layer = "default"
)

// layers are all of them in that order.
var layers = []Layer{CommandLine, Environment, Repository, User, Default}

// before reports whether what l says wins over what other says.
func (l Layer) before(other Layer) bool { return slices.Index(layers, l) < slices.Index(layers, other) }

// Origin is the place of a value.
type Origin struct {
	Layer    Layer  `json:"layer"`
	Variable string `json:"variable,omitempty"` // of the environment
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"` // from 1
	Column   int    `json:"column,omitempty"`
}

// String names the place: .ccheck.yaml:4:3, CCHECK_CLIENTS, flag, default.
func (o Origin) String() string {
	switch {
	case o.Variable != "":
		return o.Variable
	case o.File != "":
		return fmt.Sprintf("%s:%d:%d", o.File, o.Line, o.Column)
	}
	return string(o.Layer)
}

// Config is what the files and the environment say. The zero Config says
// nothing.
type Config struct {
	Files    []string // that were read, the strongest first
	settings []setting
	faults   []fault
	env      func(string) string
}

// Where says where to look.
type Where struct {
	Dir  string              // the current folder
	File string              // the file to read as that of the repository, "" to look for it
	Env  func(string) string // as os.Getenv
}

// Here is where cmd looks: from the current folder on, or at the file that
// --config or CCHECK_CONFIG names.
func Here(cmd *cobra.Command, env func(string) string) Where {
	w := Where{Env: env}
	w.Dir, _ = os.Getwd() // without one there is no file of a repository
	if f := cmd.Flag("config"); f != nil {
		w.File = f.Value.String()
	}
	if w.File == "" {
		w.File = env("CCHECK_CONFIG")
	}
	return w
}

// Load reads the files; what is wrong with their text, Check tells. A file that
// nobody named need not be there.
func Load(w Where) (*Config, error) {
	c := &Config{env: w.Env}
	repository := w.File
	if repository == "" {
		repository = find(w.Dir)
	}
	var errs []error
	for _, f := range []struct {
		path  string
		layer Layer
		named bool
	}{
		{repository, Repository, w.File != ""}, {userFile(w.Env), User, false},
	} {
		text, err := read(f.path, f.named)
		if err != nil || text == nil {
			errs = append(errs, err)
			continue
		}
		name := shown(w.Dir, f.path)
		settings, faults := parse(name, f.layer, string(text))
		c.Files, c.settings, c.faults = append(c.Files, name), append(c.settings, settings...), append(c.faults, faults...)
	}
	return c, errors.Join(errs...)
}

// maxBytes is the size that a file may have. It is read at every start, one of a
// repository may be anybody's, and the parser's time grows with the square of
// the number of keys: at this size it stays below a tenth of a second.
const maxBytes = 16 << 10

// read returns the text of a file, nil where there is none.
func read(path string, named bool) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	f, err := input.Open(path)
	var own *exit.Error
	switch {
	case errors.As(err, &own):
		return nil, own
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, exit.Usagef("--config: there is no file %s", path).WithHint("leave --config out to look for %s in this folder and above", File)
	case err != nil:
		return nil, exit.Failedf("reading the configuration: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, exit.Failedf("reading the configuration: %w", err)
	}
	if len(text) > maxBytes {
		return nil, exit.Usagef("%s is longer than %d KiB", path, maxBytes>>10).WithHint("a configuration has a few lines: `ccheck config schema` says what it holds")
	}
	return append([]byte{}, text...), nil
}

// find returns the nearest File in dir and above, "" where there is none. The
// search ends at the root of the repository, or of the module where there is no
// repository, or at once where there is neither: what lies above belongs to
// somebody else.
func find(dir string) string {
	end := rootOf(dir)
	for {
		path := filepath.Join(dir, File)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == end {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

func rootOf(dir string) string {
	for _, mark := range []string{".git", "go.mod"} {
		for d := dir; ; d = filepath.Dir(d) {
			if _, err := os.Stat(filepath.Join(d, mark)); err == nil {
				return d
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return dir
}

// userFile is the user's file by the XDG Base Directory Specification, "" where
// there is no home.
func userFile(env func(string) string) string {
	dir := env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the specification wants a relative one ignored
		home := env("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "ccheck", "config.yaml")
}

// shown is the path as a message names it: from the current folder when it lies
// there or above.
func shown(dir, path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && (filepath.IsLocal(rel) || filepath.Base(path) == File) {
		return rel
	}
	return path
}
