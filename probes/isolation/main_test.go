package isolation

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

func config(t testing.TB) *pgconn.Config {
	t.Helper()
	c := pgtest.Config(t)
	Regress(c)
	return c
}

func test(file string) string { return strings.TrimSuffix(filepath.Base(file), ".spec") }

func parseFile(t testing.TB, file string) *Spec {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// playFile returns what the two streams of isolationtester would hold.
func playFile(t testing.TB, config *pgconn.Config, file string) string {
	t.Helper()
	var out bytes.Buffer
	if err := Run(context.Background(), parseFile(t, file), Options{Config: config, Out: &out, Err: &out}); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	return out.String()
}

// tester is PostgreSQL's isolationtester beside the server of the tests, ""
// when its package does not have it.
func tester(t testing.TB) string {
	t.Helper()
	bin := pgtest.Start(t).Install().Bin
	out, err := exec.Command(filepath.Join(bin, "pg_config"), "--pgxs").Output()
	if err != nil {
		return ""
	}
	pgxs := filepath.Dir(filepath.Dir(filepath.Dir(strings.TrimSpace(string(out))))) // of src/makefiles/pgxs.mk
	name := filepath.Join(pgxs, "src", "test", "isolation", "isolationtester")
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

// isolationtester plays the file with PostgreSQL's own.
func isolationtester(t testing.TB, config *pgconn.Config, file string) string {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command(tester(t), "")
	cmd.Env = append(os.Environ(),
		"PGHOST="+config.Host, "PGPORT="+port(config), "PGUSER="+config.User, "PGPASSWORD="+config.Password,
		"PGDATABASE="+config.Database, "PGAPPNAME=isolation/"+test(file), "PGTZ=America/Los_Angeles",
		"PGDATESTYLE=Postgres, MDY", "PGOPTIONS=-c intervalstyle=postgres_verbose -c lc_messages=C")
	cmd.Stdin = in
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("isolationtester %s: %v", file, err)
	}
	return string(out)
}
