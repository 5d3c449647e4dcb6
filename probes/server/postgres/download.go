package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// download fetches server binaries through the library embedded-postgres,
// which takes them from Maven Central and verifies their checksum. Only its
// download is used: it cannot drop the privileges of root, and it has no guard.
type download struct {
	cache      string // directory that keeps the binaries, one folder per version
	repository string // base URL
	version    embedded.PostgresVersion
}

func newDownload() download {
	return download{cache: cacheDir(), repository: "https://repo1.maven.org/maven2", version: embedded.V18}
}

// cacheDir is where downloads are kept. Root's is one that the account that
// runs the server can reach too. It is "" where the system has no such place.
func cacheDir() string {
	if os.Geteuid() == 0 {
		return "/var/cache/ccheck"
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ccheck")
}

// fetch returns the downloaded binaries.
func (d download) fetch(ctx context.Context, say func(string)) (Install, error) {
	say(fmt.Sprintf("no PostgreSQL is installed here: downloading the binaries of %s from %s into %s", d.version, d.repository, d.cache))
	bin, err := d.fill(ctx)
	if err != nil {
		return Install{}, fmt.Errorf("no PostgreSQL server is installed, and downloading one from %s did not work (%w): install one (%s) or set %s to a directory that holds initdb and postgres",
			d.repository, err, howToInstall, BinVar)
	}
	account, err := findAccount()
	if err != nil {
		return Install{}, err
	}
	in, err := finder{account: account}.inspect(ctx, bin)
	in.Source = "download"
	return in, err
}

// fill puts the binaries into the cache, whole or not at all.
func (d download) fill(ctx context.Context) (bin string, err error) {
	final := filepath.Join(d.cache, "postgres-"+string(d.version))
	if _, err := os.Stat(final); err == nil {
		return filepath.Join(final, "bin"), nil
	}
	if err := os.MkdirAll(d.cache, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(d.cache, "new-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := d.unpack(ctx, work); err != nil {
		return "", err
	}
	unpacked := filepath.Join(work, "pg")
	if err := os.Chmod(unpacked, 0o755); err != nil {
		return "", err
	}
	// Where another process was faster, its copy is as good.
	if err := os.Rename(unpacked, final); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return filepath.Join(final, "bin"), nil
}

// unpack makes the library download and unpack into work/pg. It has no call for
// that alone, but does it at the beginning of Start, before it creates a
// cluster: it is given a path that cannot be one (os.RemoveAll refuses a final
// dot), so Start always ends there, and what is on disk tells how far it came.
func (d download) unpack(ctx context.Context, work string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	target := filepath.Join(work, "pg")
	config := embedded.DefaultConfig().Version(d.version).BinaryRepositoryURL(d.repository).Port(uint32(port)).
		CachePath(filepath.Join(work, "archive")).RuntimePath(filepath.Join(work, "run")).
		BinariesPath(target).DataPath(work + "/.").Logger(io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- embedded.NewDatabase(config).Start() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		return ctx.Err() // the library cannot be interrupted; it writes only below work
	}
	for _, name := range []string{"initdb", "postgres"} {
		if _, stat := os.Stat(filepath.Join(target, "bin", name)); stat != nil {
			return errors.New(firstLine(err))
		}
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
