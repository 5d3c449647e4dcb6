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
// permutations twenty times, so that connecting counts for little; half of its
// permutations have a step that waits. No step of tables waits.
func BenchmarkSpec(b *testing.B) {
	for _, file := range []string{many(b), specFile("lost-update"), specFile("waits"), specFile("tables")} {
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

func many(b *testing.B) string {
	b.Helper()
	src, err := os.ReadFile(specFile("lost-update"))
	if err != nil {
		b.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^permutation.*\n`).ReplaceAllStringFunc(string(src), func(line string) string {
		return strings.Repeat(line, 20)
	})
	file := filepath.Join(b.TempDir(), "many.spec")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

func bench(b *testing.B, spec *Spec, play func(*pgconn.Config)) {
	c := config(b)
	for b.Loop() {
		play(c)
	}
	permutations, _ := spec.Count().Float64()
	b.ReportMetric(permutations*float64(b.N)/b.Elapsed().Seconds(), "permutations/s")
}
