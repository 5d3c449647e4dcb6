package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// Open returns the scenario that a user named: a built-in one (wallet), a
// variant of it (wallet/atomic), a folder with ccheck.yaml or that file, a
// variant of the folder (./shop/atomic), or a single pgbench script (*.sql),
// which becomes a scenario of one actor without invariants. A built-in name
// wins over a folder of the same name; ./wallet is the folder.
func Open(nameOrPath string) (*Scenario, error) {
	name, variant, _ := strings.Cut(nameOrPath, "/")
	for _, s := range Builtin() {
		if s.Name == name {
			return s.Variant(variant)
		}
	}
	return openPath(nameOrPath)
}

func openPath(p string) (*Scenario, error) {
	info, err := os.Stat(p)
	switch {
	case err == nil && info.IsDir() && exists(filepath.Join(p, File)):
		return openFolder(p)
	case err == nil && !info.IsDir() && filepath.Ext(p) == ".sql":
		return openScript(p)
	case err == nil && !info.IsDir() && filepath.Base(p) == File:
		return openFolder(filepath.Dir(p))
	case err == nil && !info.IsDir():
		return nil, &Error{File: p, Msg: "this is neither a pgbench script (.sql) nor a " + File, Hint: "a pgbench script is a file whose name ends in .sql"}
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid):
		return nil, &Error{File: p, Msg: cause(err).Error()}
	}
	if parent := filepath.Dir(p); exists(filepath.Join(parent, File)) && filepath.Base(p) != ".." {
		s, err := openFolder(parent)
		if err != nil {
			return nil, err
		}
		return s.Variant(filepath.Base(p))
	}
	return nil, notFound(p, err == nil)
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

// notFound tells what could have been meant.
func notFound(p string, folder bool) error {
	if folder {
		return &Error{File: p, Msg: "there is no " + File + " in this folder", Hint: `"ccheck scenario export wallet DIR" writes one to begin with`}
	}
	var names []string
	for _, s := range Builtin() {
		names = append(names, s.Name)
	}
	return &Error{
		Msg:  fmt.Sprintf("no scenario %q: neither built in nor a file or folder", p),
		Hint: oneOf(p, names, ""),
	}
}

// openFolder loads a folder of the operating system. It reads through os.Root,
// so that no link in a folder from elsewhere leads out of it.
func openFolder(dir string) (*Scenario, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &Error{File: dir, Msg: cause(err).Error()}
	}
	name := filepath.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	return load(root.FS(), ".", filepath.ToSlash(dir), name)
}

// openScript makes a scenario of one pgbench script.
func openScript(p string) (*Scenario, error) {
	l := &loader{fsys: os.DirFS(filepath.Dir(p)), dir: ".", texts: map[string]string{}}
	text, err := l.read(filepath.Base(p))
	if err != nil {
		return nil, &Error{File: p, Msg: err.Error(), Hint: recode(err)}
	}
	name := strings.TrimSuffix(filepath.Base(p), ".sql")
	parsed, err := script.Parse(variableName(name), filepath.ToSlash(p), text)
	l.scriptError(pos{1, 1}, err)
	if err := join(l.d.errs); err != nil {
		return nil, err
	}
	return &Scenario{
		Name: name, Title: "the pgbench script " + filepath.Base(p),
		FS: l.fsys, Dir: ".", File: filepath.ToSlash(p),
		Load: Workload{Mode: Loop},
		Actors: []Actor{{
			Name: variableName(name), Script: parsed, Path: filepath.Base(p), Text: text, Weight: 1,
			Where: Position{filepath.ToSlash(p), 1, 1},
		}},
		files: l.files,
	}, nil
}

// variableName is s with an underscore for every letter that the name of a
// variable cannot have.
func variableName(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x7f || !sqltext.Letter(byte(r)) {
			return '_'
		}
		return r
	}, s)
}
