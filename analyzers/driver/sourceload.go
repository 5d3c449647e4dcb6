package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedDeps | packages.NeedExportFile | packages.NeedModule | packages.NeedTypesSizes | packages.NeedEmbedFiles

// NoPackages says that the patterns name nothing that can be judged.
type NoPackages struct {
	Why  string // one sentence
	Hint string
}

func (e *NoPackages) Error() string { return e.Why }

// unit is one package that is read from source, or its variant for a test.
type unit struct {
	*packages.Package
	deps   []*unit // of its imports, those that are units
	root   bool    // the patterns name it
	apart  bool    // it sees another version of some package than others do
	why    string  // why it cannot be judged
	key    string
	done   chan struct{}
	cached bool

	said   said
	known  known
	stored bool // known is in the store and not here
}

func (u *unit) broken() bool { return u.why != "" }

func (u *unit) imports() []string {
	paths := make([]string, 0, len(u.deps))
	for _, d := range u.deps {
		paths = append(paths, d.PkgPath)
	}
	return paths
}

// becauseOf joins a package that was not judged with the one that is to blame.
const becauseOf = " was not judged because of "

// load asks the go command for the packages and makes units of those that
// belong to the module at hand, in an order in which imports come first.
func load(ctx context.Context, s Source) ([]*unit, error) {
	cfg := &packages.Config{Context: ctx, Mode: loadMode, Dir: s.Dir, Tests: s.Tests, Env: s.Env}
	if s.BuildTags != "" {
		cfg.BuildFlags = []string{"-tags=" + s.BuildTags}
	}
	roots, err := packages.Load(cfg, s.Patterns...)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("loading packages: %w", ctx.Err())
	}
	if err != nil {
		return nil, loadError(err)
	}
	if len(roots) == 0 {
		return nil, silent(ctx, s)
	}
	if err := nothing(roots); err != nil {
		return nil, err
	}
	l := &loader{units: map[string]*unit{}}
	for _, p := range covered(roots) {
		l.unit(p, true)
	}
	return l.order, nil
}

// covered drops what another package of the list has, too: a package whose
// variant for its tests has the same files and more, and the main packages that
// the go command writes to run tests.
func covered(roots []*packages.Package) []*packages.Package {
	variants := map[string]bool{}
	for _, p := range roots {
		if p.ID != p.PkgPath && !strings.HasSuffix(p.Name, "_test") {
			variants[p.PkgPath] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(roots), func(p *packages.Package) bool {
		return p.ID == p.PkgPath && variants[p.PkgPath] || strings.HasSuffix(p.PkgPath, ".test")
	})
}

// loadError puts an error of the go command into words.
func loadError(err error) error {
	text := strings.TrimPrefix(strings.TrimSpace(err.Error()), "err: exit status 1: stderr: ")
	switch {
	case strings.Contains(text, "executable file not found"):
		return &NoPackages{"the go command was not found in PATH", "install Go, or add its bin folder to PATH"}
	case strings.Contains(text, "does not contain modules listed in go.work"):
		return &NoPackages{"the pattern names no module of the workspace", "name the folders of go.work, as in ./a/... ./b/..., or `work` for all of them"}
	case strings.Contains(text, "go.mod file not found"), strings.Contains(text, "main module"):
		return &NoPackages{"the packages are in no Go module: there is no go.mod in their folder or above it", "run ccheck in a module, or make one with `go mod init`"}
	case unread(text):
		return &NoPackages{"the go command cannot read its own library: " + oneLine(text), "is there room, and leave to write, in the folders that `go env GOCACHE GOTMPDIR` names?"}
	}
	return &NoPackages{"the go command cannot load the packages: " + oneLine(text), "`go list` with the same patterns shows more"}
}

var notStd = regexp.MustCompile(`is not in std \(([^)]+)\)`)

// unread reports whether the go command misses a package of the standard library
// that is there: it says so when its cache cannot be written.
func unread(text string) bool {
	m := notStd.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	_, err := os.Stat(m[1])
	return err == nil
}

// nothing is an error when no root has a file to read.
func nothing(roots []*packages.Package) error {
	for _, p := range roots {
		if len(p.CompiledGoFiles)+len(p.GoFiles) > 0 || p.Module != nil && len(p.Errors) > 0 {
			return nil
		}
	}
	for _, p := range roots {
		for _, e := range p.Errors {
			return loadError(errors.New(e.Msg))
		}
	}
	return noFiles()
}

func noFiles() error {
	return &NoPackages{"the patterns name no package with files for this platform", "`go list` with the same patterns shows what they name; ./... is every package below this folder, without files that build tags, GOOS or CGO_ENABLED=0 leave out"}
}

// silent asks the go command once more for packages that it did not list: what is
// wrong with go.mod it says on its standard error alone, which go/packages drops.
func silent(ctx context.Context, s Source) error {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-tags=" + s.BuildTags, "--"}, s.Patterns...)...)
	list.Dir, list.Env = s.Dir, s.Env
	var said strings.Builder
	list.Stderr = &said
	err := list.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("loading packages: %w", ctx.Err())
	case err != nil && strings.TrimSpace(said.String()) != "":
		return loadError(errors.New(said.String()))
	}
	return noFiles()
}

// loader makes units.
type loader struct {
	units map[string]*unit // by ID
	order []*unit
}

func (l *loader) unit(p *packages.Package, root bool) *unit {
	if u := l.units[p.ID]; u != nil {
		u.root = u.root || root
		return u
	}
	u := &unit{Package: p, root: root, done: make(chan struct{})}
	l.units[p.ID] = u
	for _, path := range sortedKeys(p.Imports) {
		if d := p.Imports[path]; own(d) {
			dep := l.unit(d, false)
			u.deps = append(u.deps, dep)
			u.apart = u.apart || dep.apart || d.ID != d.PkgPath
		}
	}
	u.why = trouble(u)
	l.order = append(l.order, u)
	return u
}

// own reports whether a package belongs to what the user works on: the main
// module or the workspace.
func own(p *packages.Package) bool { return p.Module != nil && p.Module.Main }

// given reports whether the rules take what a package does as they know it from
// their tables: the standard library, and those that these describe.
func (u *unit) given() bool {
	if libs.Known(u.PkgPath) {
		return true
	}
	return u.Module == nil && len(u.GoFiles) > 0 && strings.HasPrefix(u.GoFiles[0], filepath.Join(build.Default.GOROOT, "src")+string(filepath.Separator))
}

func sortedKeys(m map[string]*packages.Package) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// trouble says why a package cannot be judged, as far as the go command knows.
// Errors of the compiler are left to the type-checker, which says them better.
func trouble(u *unit) string {
	for _, d := range u.deps {
		if d.broken() {
			return u.ID + becauseOf + blamed(d)
		}
	}
	for _, e := range u.Errors {
		if e.Kind == packages.ListError || e.Kind == packages.ParseError {
			return u.ID + ": " + located(e)
		}
	}
	for _, path := range sortedKeys(u.Imports) {
		if d := u.Imports[path]; !own(d) && d.ExportFile == "" && len(d.Errors) > 0 { // of no module, or it does not compile
			return u.ID + ": " + located(d.Errors[0])
		}
	}
	size := 0
	for _, f := range u.CompiledGoFiles {
		if info, err := os.Stat(f); err == nil {
			size += int(info.Size())
		}
	}
	if size > maxSource {
		return fmt.Sprintf("%s: %d MB of source, more than the %d MB that are judged", u.ID, size>>20, maxSource>>20)
	}
	if len(u.CompiledGoFiles) == 0 && len(u.Errors) > 0 {
		return u.ID + ": " + located(u.Errors[0])
	}
	return ""
}

// blamed is the package at the root of the trouble of d.
func blamed(d *unit) string {
	if _, who, ok := strings.Cut(d.why, becauseOf); ok {
		return who
	}
	who, _, _ := strings.Cut(d.why, ": ")
	return who
}

func located(e packages.Error) string {
	pos, _, _ := strings.Cut(e.Pos, "\n")
	msg := oneLine(e.Msg)
	if pos == "" || pos == "-" || strings.Contains(msg, filepath.Base(pos)) {
		return msg
	}
	return pos + ": " + msg
}

// oneLine is the first line of a text that says something, with the next one where
// that only announces it; the go command begins some of its errors with "# path".
func oneLine(text string) string {
	said := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if said += line; !strings.HasSuffix(said, ":") {
			return said
		}
		said += " "
	}
	return cmp.Or(strings.TrimSpace(said), text)
}

// goVersion is the version of the language that a package is written in.
func (u *unit) goVersion() string {
	if u.Module == nil || u.Module.GoVersion == "" {
		return ""
	}
	return "go" + u.Module.GoVersion
}
