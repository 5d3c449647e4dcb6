package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// WithFix returns s with one more variant, of which nothing is to break: the
// scripts in the folder dir stand in the place of those of the same file names,
// and the rest is as in s. The variant has the folder's name. A folder without
// such a file is an error, as is a script that s could not have.
func (s *Scenario) WithFix(dir string) (*Scenario, error) {
	if s.Version != "" {
		return nil, &Error{File: dir, Msg: fmt.Sprintf("%s is a variant, and a fix stands beside the scenario as it is", s.FullName()), Hint: "name the scenario alone: " + s.Name}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &Error{File: dir, Msg: cause(err).Error(), Hint: "a folder with scripts that mend the scenario's, by the same file names"}
	}
	defer root.Close() // all is read before we return
	l := &loader{fsys: root.FS(), dir: ".", shown: filepath.ToSlash(dir), texts: map[string]string{}}
	v := *s
	v.Version, v.Fixed, v.variants = s.fixName(dir), true, nil
	v.Title, v.Doc = "the scripts of "+filepath.ToSlash(dir), ""
	v.Actors = slices.Clone(s.Actors)
	if n := l.replace(&v); n == 0 && len(l.d.errs) == 0 {
		return nil, &Error{File: dir, Msg: "this folder has none of the scenario's scripts", Hint: "it needs one of " + strings.Join(s.scripts(), ", ")}
	}
	if err := join(l.d.errs); err != nil {
		return nil, err
	}
	v.number()
	with := *s
	with.variants = append(slices.Clip(s.variants), &v)
	return &with, nil
}

// replace gives the actors of v the scripts that the loader's folder has, and
// returns how many.
func (l *loader) replace(v *Scenario) int {
	n := 0
	for i := range v.Actors {
		a := &v.Actors[i]
		name := path.Base(a.Path)
		if _, err := fs.Stat(l.fsys, name); a.Script == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		n++
		a.Path, l.d.file = name, l.show(name)
		if a.Script, a.Text = l.script(a.Name, word{pos: pos{1, 1}, text: name}); a.Script == nil {
			continue
		}
		l.scriptVariables(a)
		for _, e := range a.Effects {
			l.effectOf(v.Version, a, e)
		}
	}
	return n
}

// fixName is the name of the variant of a folder.
func (s *Scenario) fixName(dir string) string {
	name := filepath.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	if !isName(name) || slices.Contains(s.Variants(), name) {
		return "fix"
	}
	return name
}

// scripts are the file names of the actors' scripts.
func (s *Scenario) scripts() []string {
	var names []string
	for _, a := range s.Actors {
		if a.Script != nil {
			names = append(names, path.Base(a.Path))
		}
	}
	return names
}
