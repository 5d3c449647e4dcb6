package isolation

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// BenchmarkSpec plays specs from connect to close, beside PostgreSQL's
// isolationtester on the same database. "many" is lost-update with each of its
// permutations twenty times, so that connecting counts for little; six of
// fourteen have a step that waits. "rows" is the same with a table that stays,
// since CREATE and DROP TABLE are most of what is left otherwise. No step of
// tables waits.
func BenchmarkSpec(b *testing.B) {
	for _, file := range []string{many(b, "rows", keepTable), many(b, "many", same), specFile("lost-update"), specFile("waits"), specFile("tables")} {
		spec := parseFile(b, file)
		b.Run(test(file)+"/ccheck", func(b *testing.B) {
			bench(b, spec, func(c *pgconn.Config) {
				if err := Run(context.Background(), spec, Options{Config: c, Out: io.Discard, Err: io.Discard}); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(test(file)+"/isolationtester", func(b *testing.B) {
			if tester(b) == "" {
				b.Skip("PostgreSQL's isolationtester is not installed")
			}
			bench(b, spec, func(c *pgconn.Config) { isolationtester(b, c, file) })
		})
	}
}

func specFile(name string) string { return "testdata/specs/" + name + ".spec" }

var permutations = regexp.MustCompile(`(?m)^permutation.*\n`)

// many writes lost-update with more permutations, changed as told.
func many(b *testing.B, name string, change func(string) string) string {
	b.Helper()
	src, err := os.ReadFile(specFile("lost-update"))
	if err != nil {
		b.Fatal(err)
	}
	text := permutations.ReplaceAllStringFunc(change(string(src)), func(line string) string { return strings.Repeat(line, 20) })
	file := filepath.Join(b.TempDir(), name+".spec")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

func same(src string) string { return src }

func keepTable(src string) string {
	src = strings.Replace(src, "CREATE TABLE counter (n int NOT NULL)", "CREATE TABLE IF NOT EXISTS counter (n int NOT NULL); DELETE FROM counter", 1)
	return strings.Replace(src, "teardown { DROP TABLE counter; }", "teardown {}", 1)
}

func bench(b *testing.B, spec *Spec, play func(*pgconn.Config)) {
	c := config(b)
	for b.Loop() {
		play(c)
	}
	permutations, _ := spec.Count().Float64()
	b.ReportMetric(permutations*float64(b.N)/b.Elapsed().Seconds(), "permutations/s")
}
