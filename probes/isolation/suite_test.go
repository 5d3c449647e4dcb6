//go:build isolationsuite

package isolation

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
)

// least is the share of PostgreSQL's own specs whose output must be the
// expected one to the byte, in percent.
const least = 95

// TestSuite plays all specs of the server's own release, which testdata/suite
// gets from the distribution's source package, or which lie in the folder that
// CCHECK_ISOLATION_SUITE names: specs/*.spec and expected/*.out.
//
// The server and the database are as the README of the suite asks: prepared
// transactions are on, and specs know the database by its name.
func TestSuite(t *testing.T) {
	config := suiteDatabase(t)
	dir := suiteDir(t)
	specs, err := filepath.Glob(filepath.Join(dir, "specs", "*.spec"))
	if err != nil || len(specs) < 100 {
		t.Fatalf("%s holds %d specs (%v), want more than 100", dir, len(specs), err)
	}
	same, took := 0, time.Duration(0)
	for _, file := range specs {
		t.Run(test(file), func(t *testing.T) {
			begin := time.Now()
			got := playFile(t, config, file)
			took += time.Since(begin)
			if expected := expectedOf(t, file); !slices.Contains(expected, got) {
				t.Logf("differs from %d expected files; diff with %s", len(expected), save(t, file, got))
				return
			}
			same++
		})
	}
	t.Logf("%d of %d specs byte for byte as expected, in %v", same, len(specs), took.Round(100*time.Millisecond))
	if 100*same < least*len(specs) {
		t.Errorf("want %d %% at least", least)
	}
}

// TestSuiteTime plays the suite with isolationtester, on the same server, for
// the comparison of the time both take. It cannot fail for being slow.
func TestSuiteTime(t *testing.T) {
	config := suiteDatabase(t)
	specs, err := filepath.Glob(filepath.Join(suiteDir(t), "specs", "*.spec"))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for _, file := range specs {
		if got := isolationtester(t, config, file); !slices.Contains(expectedOf(t, file), got) {
			t.Logf("isolationtester itself differs on %s", test(file))
		}
	}
	t.Logf("isolationtester: %d specs in %v", len(specs), time.Since(begin).Round(100*time.Millisecond))
}

func suiteDatabase(t *testing.T) *pgconn.Config {
	t.Helper()
	s, err := postgres.Start(context.Background(), postgres.Options{
		Dir:      postgres.MemoryDir(),
		Settings: map[string]string{"max_prepared_transactions": "10", "max_wal_size": "512MB"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	conn, err := pgconn.ConnectConfig(t.Context(), s.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+Database+" TEMPLATE template0").ReadAll(); err != nil {
		t.Fatal(err)
	}
	config := s.Config()
	config.Database = Database
	Regress(config)
	return config
}

func suiteDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("CCHECK_ISOLATION_SUITE"); dir != "" {
		return dir
	}
	cmd := exec.Command("testdata/suite", filepath.Join(os.TempDir(), "ccheck-isolation-suite"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("getting the suite with testdata/suite: %v; unpack src/test/isolation of the server's source and name it in CCHECK_ISOLATION_SUITE", err)
	}
	return strings.TrimSpace(string(out))
}

// expectedOf returns the alternatives: x.out, x_1.out to x_9.out.
func expectedOf(t *testing.T, file string) []string {
	t.Helper()
	base := filepath.Join(filepath.Dir(file), "..", "expected", test(file))
	names, _ := filepath.Glob(base + "_[0-9].out")
	var all []string
	for _, name := range append(names, base+".out") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

func save(t *testing.T, file, got string) string {
	t.Helper()
	name := filepath.Join(os.TempDir(), "ccheck-isolation-"+test(file)+".out")
	if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
