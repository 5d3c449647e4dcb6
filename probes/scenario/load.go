package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ccheck/ccheck/probes/actor/script"
)

// maxFile is the size of the largest SQL file that is read.
const maxFile = 16 << 20

// Load reads the scenario in the folder dir of fsys. Its error has every fault
// that was found, in the order of the files, each an *Error; see Errors.
func Load(fsys fs.FS, dir string) (*Scenario, error) {
	return load(fsys, dir, dir, path.Base(dir))
}

// load is Load with the folder's path for messages and its name.
func load(fsys fs.FS, dir, shown, name string) (*Scenario, error) {
	l := &loader{fsys: fsys, dir: dir, shown: shown, name: name, texts: map[string]string{}}
	l.d.file = l.show(File)
	text, err := l.read(File)
	if err != nil {
		return nil, &Error{File: l.d.file, Msg: err.Error(), Hint: cmp.Or(recode(err), "a scenario is a folder with a file "+File)}
	}
	var m manifest
	l.d.document(text, &m)
	if l.d.unread {
		return nil, join(l.d.errs) // what else is missed stands there
	}
	s := l.scenario(&m)
	if err := join(l.d.errs); err != nil {
		return nil, err
	}
	return s, nil
}

// file is a file of the folder with its contents.
type file struct{ path, text string }

// loader turns a manifest into a Scenario.
type loader struct {
	fsys  fs.FS
	dir   string
	shown string
	name  string // of the folder
	d     decoder
	texts map[string]string // of the files read so far
	files []file
}

func (l *loader) show(name string) string { return path.Join(l.shown, name) }

// scenario resolves m and everything it names.
func (l *loader) scenario(m *manifest) *Scenario {
	s := &Scenario{
		Name: cmp.Or(m.Name.text, l.name), Title: m.Title.text, Doc: strings.TrimSpace(m.Doc.text),
		FS: l.fsys, Dir: l.dir, File: l.d.file,
		Isolation: isolationOf(m.Isolation.text), MaxTries: m.MaxTries.n,
		Params: l.params(m.Params),
	}
	l.checkName(m.Name)
	s.Setup, s.Reset = l.sources(m.Setup, s.Params), l.reset(m.Reset, s.Params)
	if s.App = l.app(m, s.Params); s.App == nil {
		s.Actors = l.actors(m.Actors, s.Params)
		s.Load = l.load(&m.Load, s.Actors)
	} else if m.Load.given() {
		s.Load = l.appLoad(&m.Load, s)
	}
	s.Invariants = l.invariants(m.Invariants, s)
	fixed := l.fixed(m)
	for _, v := range m.Variants.items {
		if v.value.given() {
			s.variants = append(s.variants, l.variant(s, v, fixed[v.key]))
		}
	}
	for _, v := range append([]*Scenario{s}, s.variants...) {
		v.files = l.files
		v.number()
	}
	return s
}

// number gives the scripts their places in the list, which debug() prints.
func (s *Scenario) number() {
	for i, a := range s.Actors {
		if a.Script != nil {
			a.Script.Number = i
		}
	}
}

// fail reports a fault of the manifest.
func (l *loader) fail(at pos, hint, format string, args ...any) { l.d.fail(at, hint, format, args...) }

// failAt reports a fault of any file.
func (l *loader) failAt(p Position, hint, format string, args ...any) {
	l.d.errs = append(l.d.errs, &Error{p.File, p.Line, p.Column, fmt.Sprintf(format, args...), hint})
}

func (l *loader) where(p pos) Position { return Position{l.d.file, p.line, p.column} }

// read returns the contents of a file of the folder. The error is for a
// person, without the name.
func (l *loader) read(name string) (string, error) {
	if text, ok := l.texts[name]; ok {
		return text, nil
	}
	info, err := fs.Stat(l.fsys, path.Join(l.dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("no such file")
	case err != nil:
		return "", cause(err)
	case info.IsDir():
		return "", errors.New("this is a folder")
	case !info.Mode().IsRegular():
		return "", errors.New("not a regular file")
	case info.Size() > maxFile:
		return "", fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	b, err := fs.ReadFile(l.fsys, path.Join(l.dir, name))
	if err != nil {
		return "", cause(err)
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	if n := foreign(text); n >= 0 {
		return "", &textError{line: 1 + strings.Count(text[:n], "\n")}
	}
	l.texts[name] = text
	l.files = append(l.files, file{name, text})
	return text, nil
}

// foreign is the offset of the first byte that text in UTF-8 does not have, -1
// where there is none.
func foreign(text string) int {
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == 0 || r == utf8.RuneError && size == 1 {
			return i
		}
	}
	return -1
}

// textError is a file in another encoding, or none of text.
type textError struct{ line int }

func (e *textError) Error() string { return fmt.Sprintf("line %d is no text in UTF-8", e.line) }

// recode is the mend, "" for any other error.
func recode(err error) string {
	if errors.As(err, new(*textError)) {
		return "save it as UTF-8; from Latin-1: iconv -f latin1 -t utf-8"
	}
	return ""
}

// cause leaves the path out of a file system's error; the message names it.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// open reads a file that the manifest names.
func (l *loader) open(w word) (text string, ok bool) {
	if !w.given() {
		return "", false
	}
	name := path.Clean(w.text)
	if w.text == "" || !fs.ValidPath(name) || name == "." {
		l.fail(w.pos, "copy the file into the folder", "%q is not a file inside the scenario's folder", w.text)
		return "", false
	}
	text, err := l.read(name)
	if err != nil {
		l.fail(w.pos, cmp.Or(recode(err), l.similar(name)), "%s: %v", w.text, err)
		return "", false
	}
	return text, true
}

// similar is a hint for a file that is not there.
func (l *loader) similar(name string) string {
	var names []string
	entries, err := fs.ReadDir(l.fsys, path.Join(l.dir, path.Dir(name)))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		names = append(names, path.Join(path.Dir(name), e.Name()))
	}
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// params returns the parameters of one mapping.
func (l *loader) params(m dict[value]) []Param {
	var params []Param
	for _, e := range m.items {
		if !isVariable(e.key) {
			l.fail(e.pos, "letters, digits and underscores, a letter first", "%q cannot be the name of a variable", e.key)
			continue
		}
		if e.value.given() {
			params = append(params, Param{e.key, e.value.text, e.value.quoted, l.where(e.pos)})
		}
	}
	return params
}

// overlay returns base with the parameters of over in their place or behind.
func overlay(base, over []Param) []Param {
	all := slices.Clone(base)
	for _, p := range over {
		if i := slices.IndexFunc(all, func(q Param) bool { return q.Name == p.Name }); i >= 0 {
			all[i] = p
		} else {
			all = append(all, p)
		}
	}
	return all
}

// sources returns the SQL of setup, each held against the parameters.
func (l *loader) sources(from few[source], params []Param) []Source {
	var all []Source
	for _, s := range from.items {
		if src, ok := l.source(s.file, s.sql); ok {
			l.known(src, namesOf(params), "")
			all = append(all, src)
		}
	}
	return all
}

func (l *loader) reset(from source, params []Param) *Source {
	src, ok := l.source(from.file, from.sql)
	if !ok {
		return nil
	}
	l.known(src, namesOf(params), "")
	return &src
}

// source returns SQL from a file or from the manifest itself.
func (l *loader) source(file, sql word) (Source, bool) {
	if sql.given() {
		src := Source{Text: sql.text, Where: l.where(sql.start)}
		if sql.start.line > sql.line {
			src.indent = sql.start.column - 1
		}
		return src, true
	}
	text, ok := l.open(file)
	return Source{Text: text, Where: Position{l.show(file.text), 1, 1}, path: path.Clean(file.text)}, ok
}

// known reports the variables of src that are not among the names.
func (l *loader) known(src Source, names []string, hint string) {
	for _, p := range placeholders(src.Text) {
		if !slices.Contains(names, p.name) {
			near := oneOf(p.name, names, "declare it under params")
			l.failAt(src.at(p.start), cmp.Or(hint, near), "unknown variable :%s", p.name)
		}
	}
}

// script parses a script; what it refuses is reported at its place in the file.
func (l *loader) script(name string, w word) (*script.Script, string) {
	text, ok := l.open(w)
	if !ok {
		return nil, ""
	}
	parsed, err := script.Parse(name, l.show(w.text), text)
	l.scriptError(w.pos, err)
	return parsed, text
}

func isolationOf(text string) Isolation {
	switch text {
	case "rc":
		return ReadCommitted
	case "rr":
		return RepeatableRead
	case "ser":
		return Serializable
	}
	return Isolation(text)
}
