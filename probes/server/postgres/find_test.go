//go:build linux || darwin

package postgres

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plant makes a directory that looks like a server of a version.
func plant(t *testing.T, bin, version string) {
	t.Helper()
	write(t, filepath.Join(bin, "initdb"), "#!/bin/sh\n")
	write(t, filepath.Join(bin, "postgres"), "#!/bin/sh\necho 'postgres (PostgreSQL) "+version+"'\n")
}

// finderAt searches a fake tree, with the real user's rights.
func finderAt(t *testing.T, root string, env map[string]string) finder {
	t.Helper()
	account, err := findAccount()
	if err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string { return env[name] }
	return finder{root: root, getenv: getenv, account: account, cache: filepath.Join(root, "cache")}
}

func TestFindOrder(t *testing.T) {
	root := testDir(t)
	at := func(p string) string { return filepath.Join(root, p) }
	for bin, version := range map[string]string{
		"usr/lib/postgresql/15/bin":                          "15.18 (Debian 15.18-0+deb12u1)",
		"usr/lib/postgresql/17/bin":                          "17.2 (Debian 17.2-1)",
		"usr/lib/postgresql/13/bin":                          "13.20", // too old
		"usr/pgsql-16/bin":                                   "16.9",
		"opt/homebrew/opt/postgresql@14/bin":                 "14.18 (Homebrew)",
		"usr/local/opt/postgresql@18/bin":                    "18.0 (Homebrew)",
		"Applications/Postgres.app/Contents/Versions/18/bin": "18.1 (Postgres.app)",
		"cache/postgres-18.3.0/bin":                          "18.3",
		"home/linuxbrew/.linuxbrew/opt/postgresql@19/bin":    "19beta1",
		"own/bin":                       "17.10",
		"asked/bin":                     "15.2",
		"chosen/bin":                    "14.1",
		"usr/lib/postgresql/broken/bin": "",
	} {
		plant(t, at(bin), version)
	}
	write(t, at("usr/lib/postgresql/client/bin/psql"), "#!/bin/sh\n")
	write(t, at("tools/pg_config"), "#!/bin/sh\necho "+at("asked/bin")+"\n")
	if err := os.Symlink(at("own/bin/postgres"), at("tools/postgres")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("own/bin/initdb"), at("tools/initdb")); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{at("empty"), "relative", at("tools"), at("own/bin")}, string(os.PathListSeparator))
	all := []Install{
		{at("home/linuxbrew/.linuxbrew/opt/postgresql@19/bin"), "19beta1", 19, "Homebrew"},
		{at("cache/postgres-18.3.0/bin"), "18.3", 18, "download"},
		{at("Applications/Postgres.app/Contents/Versions/18/bin"), "18.1", 18, "Postgres.app"},
		{at("usr/local/opt/postgresql@18/bin"), "18.0", 18, "Homebrew"},
		{at("own/bin"), "17.10", 17, "PATH"},
		{at("usr/lib/postgresql/17/bin"), "17.2", 17, "Debian"},
		{at("usr/pgsql-16/bin"), "16.9", 16, "RPM"},
		{at("usr/lib/postgresql/15/bin"), "15.18", 15, "Debian"},
		{at("asked/bin"), "15.2", 15, "pg_config"},
		{at("opt/homebrew/opt/postgresql@14/bin"), "14.18", 14, "Homebrew"},
	}
	chosen := Install{at("chosen/bin"), "14.1", 14, BinVar}
	for name, test := range map[string]struct {
		env  map[string]string
		want []Install
	}{
		"newest first":         {map[string]string{"PATH": path}, all},
		"the chosen one leads": {map[string]string{"PATH": path, BinVar: at("chosen/bin")}, append([]Install{chosen}, all...)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := finderAt(t, root, test.env).find(testContext(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFindNothing(t *testing.T) {
	got, err := finderAt(t, testDir(t), nil).find(testContext(t))
	if err != nil || len(got) != 0 {
		t.Errorf("find = %v, %v", got, err)
	}
}

func TestChosenThatCannotBeUsed(t *testing.T) {
	root := testDir(t)
	at := func(p string) string { return filepath.Join(root, p) }
	write(t, at("client/psql"), "#!/bin/sh\n")
	write(t, at("half/initdb"), "#!/bin/sh\n")
	plant(t, at("old"), "9.6.24")
	plant(t, at("mute"), "")
	plant(t, at("failing"), "15.1")
	write(t, at("failing/postgres"), "#!/bin/sh\necho 'libicu.so.72: cannot open shared object file' >&2\nexit 127\n")
	for dir, want := range map[string]string{
		"nowhere": "has no initdb; give the directory that holds initdb and postgres",
		"client":  "has no initdb; give the directory that holds initdb and postgres",
		"half":    "has no postgres; give the directory that holds initdb and postgres",
		"old":     "is PostgreSQL 9.6.24: ccheck needs 14 or newer",
		"mute":    "which is not a PostgreSQL server",
		"failing": "libicu.so.72: cannot open shared object file",
	} {
		t.Run(dir, func(t *testing.T) {
			_, err := finderAt(t, root, map[string]string{BinVar: at(dir)}).find(testContext(t))
			wantError(t, err, BinVar+"="+at(dir), want)
		})
	}
}

func TestChosenBehindClosedDoor(t *testing.T) {
	onlyRoot(t)
	root := testDir(t)
	plant(t, filepath.Join(root, "closed", "bin"), "15.1")
	if err := os.Chmod(filepath.Join(root, "closed"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := finderAt(t, root, map[string]string{BinVar: filepath.Join(root, "closed", "bin")}).find(testContext(t))
	wantError(t, err, "cannot reach", "because of the permissions of "+filepath.Join(root, "closed")+":", "chmod o+x")
}

func TestCompareVersions(t *testing.T) {
	ordered := []string{"9.6.24", "14.2", "14.18", "17devel", "18beta1", "18beta2", "18rc1", "18.0", "18.1", "18.10"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := compareVersions(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("compareVersions(%s, %s) = %d", a, b, got)
			}
		}
	}
}

// wantError checks that an error says all of the given parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q:\n%v", part, err)
		}
	}
}
