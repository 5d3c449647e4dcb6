package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// BinVar names the environment variable that points at a directory with the
// server's binaries.
const BinVar = "CCHECK_PG_BIN"

// oldest is the oldest major version that is tested.
const oldest = 14

// ErrNotFound says that no PostgreSQL server is installed, and the mend.
var ErrNotFound = errors.New("no PostgreSQL server (14 or newer) was found on this machine: install one (" + howToInstall +
	") or set " + BinVar + " to a directory that holds initdb and postgres")

const howToInstall = "apt-get install postgresql, dnf install postgresql-server, or brew install postgresql"

// Install is a directory with the programs of a PostgreSQL server: initdb and
// postgres, and maybe pg_basebackup and pgbench.
type Install struct {
	Bin     string // the directory, symbolic links resolved
	Version string // "15.18", "19beta1"
	Major   int    // 15
	Source  string // where it was found: "CCHECK_PG_BIN", "PATH", "pg_config", "Debian", …
}

// Find returns the installed servers, newest first; the one that CCHECK_PG_BIN
// names, when it is set, comes before all others. The result is empty when
// there is none. The only error is a CCHECK_PG_BIN that cannot be used.
func Find(ctx context.Context) ([]Install, error) {
	account, err := findAccount()
	if err != nil {
		return nil, err
	}
	f := finder{root: "/", getenv: os.Getenv, account: account, cache: cacheDir()}
	return f.find(ctx)
}

// finder looks below root, which is "/" but in tests.
type finder struct {
	root    string
	getenv  func(string) string
	account account
	cache   string
}

// places are the directories in which packagers put the binaries. The order
// does not matter: versions decide.
var places = []struct{ source, pattern string }{
	{"Debian", "usr/lib/postgresql/*/bin"},
	{"RPM", "usr/pgsql-*/bin"},
	{"Homebrew", "opt/homebrew/opt/postgresql@*/bin"},
	{"Homebrew", "usr/local/opt/postgresql@*/bin"},
	{"Homebrew", "home/linuxbrew/.linuxbrew/opt/postgresql@*/bin"},
	{"Postgres.app", "Applications/Postgres.app/Contents/Versions/*/bin"},
}

func (f finder) find(ctx context.Context) ([]Install, error) {
	chosen, err := f.chosen(ctx)
	if err != nil {
		return nil, err
	}
	var found []Install
	for _, c := range f.candidates(ctx) {
		in, err := f.inspect(ctx, c.Bin)
		if err != nil || in.Major < oldest || contains(chosen, in) || contains(found, in) {
			continue // not a server that can be used: the next place may have one
		}
		in.Source = c.Source
		found = append(found, in)
	}
	slices.SortStableFunc(found, func(a, b Install) int { return compareVersions(b.Version, a.Version) })
	return append(chosen, found...), ctx.Err()
}

// chosen returns the server that the environment names, if it names one.
func (f finder) chosen(ctx context.Context) ([]Install, error) {
	bin := f.getenv(BinVar)
	if bin == "" {
		return nil, nil
	}
	in, err := f.inspect(ctx, bin)
	if err != nil {
		return nil, fmt.Errorf("%s=%s cannot be used: %w", BinVar, bin, err)
	}
	if in.Major < oldest {
		return nil, fmt.Errorf("%s=%s is PostgreSQL %s: ccheck needs %d or newer", BinVar, bin, in.Version, oldest)
	}
	in.Source = BinVar
	return []Install{in}, nil
}

func (f finder) candidates(ctx context.Context) []Install {
	var all []Install
	for _, dir := range filepath.SplitList(f.getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // "." in PATH is a trap for whoever runs ccheck in a foreign directory
		}
		all = append(all, Install{Source: "PATH", Bin: dir})
		if bin := f.askConfig(ctx, dir); bin != "" {
			all = append(all, Install{Source: "pg_config", Bin: bin})
		}
	}
	for _, p := range places {
		dirs, _ := filepath.Glob(filepath.Join(f.root, p.pattern)) // only a bad pattern is an error
		for _, dir := range dirs {
			all = append(all, Install{Source: p.source, Bin: dir})
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(f.cache, "postgres-*", "bin"))
	for _, dir := range dirs {
		all = append(all, Install{Source: "download", Bin: dir})
	}
	return all
}

// askConfig returns the answer of the pg_config in dir, "" when there is none.
func (f finder) askConfig(ctx context.Context, dir string) string {
	path := filepath.Join(dir, "pg_config")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	out, err := f.account.command(ctx, "/", path, "--bindir").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// inspect returns the install in bin, or an error that says what is wrong with it.
func (f finder) inspect(ctx context.Context, bin string) (Install, error) {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(bin, name)); errors.Is(err, fs.ErrNotExist) {
			return Install{}, fmt.Errorf("it has no %s; give the directory that holds initdb and postgres, for example /usr/lib/postgresql/17/bin", name)
		} else if err != nil {
			return Install{}, err
		}
	}
	// The links of a /usr/local/bin are followed so that one server found by
	// three ways is listed once.
	postgres, err := filepath.EvalSymlinks(filepath.Join(bin, "postgres"))
	if err != nil {
		return Install{}, err
	}
	version, err := f.version(ctx, postgres)
	if err != nil {
		return Install{}, err
	}
	major, err := strconv.Atoi(digits.FindString(version))
	if err != nil {
		return Install{}, fmt.Errorf("reading the version %q of %s: %w", version, postgres, err)
	}
	return Install{Bin: filepath.Dir(postgres), Version: version, Major: major}, nil
}

var (
	versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) (\d\S*)`)
	digits      = regexp.MustCompile(`\d+`)
)

func (f finder) version(ctx context.Context, postgres string) (string, error) {
	out, err := f.account.command(ctx, "/", postgres, "--version").Output()
	if err != nil {
		return "", f.account.explain(err, postgres)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%s --version answers %q, which is not a PostgreSQL server", postgres, strings.TrimSpace(string(out)))
	}
	return string(m[1]), nil
}

func contains(list []Install, in Install) bool {
	return slices.ContainsFunc(list, func(x Install) bool { return x.Bin == in.Bin })
}

// compareVersions orders "9.6" < "14.2" < "18beta1" < "18.0" < "18.1": the
// numbers decide, and a letter makes it older than the release.
func compareVersions(a, b string) int {
	return cmp.Or(
		slices.Compare(numbers(a), numbers(b)),
		strings.Compare(a, b),
	)
}

// numbers reads the major and minor version; betas and devels have minor −1.
func numbers(version string) []int {
	major, minor, dotted := strings.Cut(version, ".")
	m, _ := strconv.Atoi(digits.FindString(major))
	if !dotted {
		return []int{m, -1}
	}
	n, _ := strconv.Atoi(digits.FindString(minor))
	return []int{m, n}
}
