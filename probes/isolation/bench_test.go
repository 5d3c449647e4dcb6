package isolation

import (
	"context"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// BenchmarkSpec plays specs from connect to close, beside PostgreSQL's
// isolationtester on the same database. Waiting is most of lost-update and
// waits, and none of tables.
func BenchmarkSpec(b *testing.B) {
	for _, name := range []string{"lost-update", "waits", "tables"} {
		file := "testdata/specs/" + name + ".spec"
		b.Run(name+"/ccheck", func(b *testing.B) {
			spec, c := parseFile(b, file), config(b)
			bench(b, spec, func() {
				if err := Run(context.Background(), spec, Options{Config: c, Out: io.Discard, Err: io.Discard}); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(name+"/isolationtester", func(b *testing.B) {
			if tester(b) == "" {
				b.Skip("PostgreSQL's isolationtester is not installed")
			}
			spec, c := parseFile(b, file), config(b)
			bench(b, spec, func() { isolationtester(b, c, file) })
		})
	}
}

// BenchmarkPermutation plays the permutations of one spec on connections that
// stay, which is what a spec with many costs.
func BenchmarkPermutation(b *testing.B) {
	spec, c := parseFile(b, "testdata/specs/lost-update.spec"), config(b)
	written := spec.Permutations
	spec.Permutations = nil
	for i := 0; i < b.N; i++ {
		spec.Permutations = append(spec.Permutations, written[i%len(written)])
	}
	b.ResetTimer()
	play1(b, spec, c)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "permutations/s")
}

func play1(b *testing.B, spec *Spec, c *pgconn.Config) {
	if err := Run(context.Background(), spec, Options{Config: c, Out: io.Discard, Err: io.Discard}); err != nil {
		b.Fatal(err)
	}
}

func bench(b *testing.B, spec *Spec, play func()) {
	for b.Loop() {
		play()
	}
	permutations, _ := spec.Count().Float64()
	b.ReportMetric(permutations*float64(b.N)/b.Elapsed().Seconds(), "permutations/s")
}
