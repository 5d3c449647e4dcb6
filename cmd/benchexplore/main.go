// Benchexplore measures ccheck explore beside PostgreSQL's isolationtester, in
// turn on one server: the same lanes through all their possible orders. The spec is what
// both read; the scenario is the same lanes as explore proper runs them, with
// both oracles. It prints orders per second of the whole process and the ratios
// of pairs from one round.
//
//	go run ./cmd/benchexplore [-rounds 3] [-work two3,two5,three3]
package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/bench"
	"github.com/ccheck/ccheck/probes/server/postgres"
)

//go:embed work
var work embed.FS

type options struct {
	rounds int
	work   string
	ccheck string
	tester string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 3, "rounds; the median of their ratios is printed")
	flag.StringVar(&o.work, "work", "two3,two5,three3", "which lanes: two of three steps, two of five, three of three")
	flag.StringVar(&o.ccheck, "ccheck", "", "the ccheck to measure (default: built from this tree)")
	flag.StringVar(&o.tester, "isolationtester", "", "the isolationtester to compare with (default: the one of the server's package)")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "benchexplore:", err)
		os.Exit(1)
	}
}

// lab is a server, the tools and the files that they run.
type lab struct {
	options
	dsn string
	dir string
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "ccheck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := postgres.Start(ctx, postgres.Options{})
	if err != nil {
		return err
	}
	defer server.Stop(ctx)
	if o.tester == "" {
		o.tester = filepath.Join(server.Install().Bin, "../lib/pgxs/src/test/isolation/isolationtester")
	}
	if _, err := os.Stat(o.tester); err != nil {
		return errors.New("no isolationtester beside the server: name one with -isolationtester")
	}
	if err := os.CopyFS(dir, work); err != nil {
		return err
	}
	if o.ccheck, err = bench.Build(ctx, o.ccheck, dir); err != nil {
		return err
	}
	fmt.Printf("PostgreSQL %s, %d rounds, orders per second of the whole process\n", server.Version(), o.rounds)
	fmt.Printf("%-8s %16s %12s %22s %12s %22s\n", "lanes", "isolationtester", "spec", "÷ isolationtester", "scenario", "÷ isolationtester")
	l := &lab{options: o, dsn: server.DSN(), dir: filepath.Join(dir, "work")}
	for name := range strings.SplitSeq(o.work, ",") {
		if err := l.compare(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// compare runs the three in turn.
func (l *lab) compare(ctx context.Context, name string) error {
	var theirs, spec, scenario []float64
	for range l.rounds {
		for _, one := range []struct {
			rates *[]float64
			run   func(context.Context, string) (float64, error)
		}{{&theirs, l.isolationtester}, {&spec, l.spec}, {&scenario, l.scenario}} {
			rate, err := one.run(ctx, name)
			if err != nil {
				return err
			}
			*one.rates = append(*one.rates, rate)
		}
	}
	fmt.Printf("%-8s %16.0f %12.0f %22s %12.0f %22s\n", name, bench.Median(theirs),
		bench.Median(spec), bench.Spread(bench.Ratios(spec, theirs)), bench.Median(scenario), bench.Spread(bench.Ratios(scenario, theirs)))
	return nil
}

func (l *lab) isolationtester(ctx context.Context, name string) (float64, error) {
	spec, err := os.Open(filepath.Join(l.dir, name+".spec"))
	if err != nil {
		return 0, err
	}
	defer spec.Close()
	cmd := exec.CommandContext(ctx, l.tester, l.dsn)
	cmd.Stdin = spec
	return rate(cmd, permutations)
}

func (l *lab) spec(ctx context.Context, name string) (float64, error) {
	return rate(l.explore(ctx, name+".spec", "--format", "isolationtester"), permutations)
}

func (l *lab) scenario(ctx context.Context, name string) (float64, error) {
	return rate(l.explore(ctx, name, "--isolation", "rc", "--no-fixes", "--full", "--json", "--quiet", "--exit-zero"), cells)
}

func (l *lab) explore(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.ccheck, append([]string{"explore", filepath.Join(l.dir, name)}, args...)...)
	cmd.Env = append(os.Environ(), "CCHECK_DSN="+l.dsn)
	return cmd
}

// rate runs the command and divides the orders that it ran by its time.
func rate(cmd *exec.Cmd, count func(out []byte) int) (float64, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cost, err := bench.Run(cmd)
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, errs.Bytes())
	}
	n := count(out.Bytes())
	if n == 0 {
		return 0, fmt.Errorf("%s ran nothing:\n%s", filepath.Base(cmd.Path), errs.Bytes())
	}
	return float64(n) / cost.Wall.Seconds(), nil
}

func permutations(out []byte) int { return bytes.Count(out, []byte("starting permutation:")) }

// cell is what explore writes of the schedules of one combination.
var cell = regexp.MustCompile(`"(?:breaks \d+/|holds )(\d+)`)

func cells(out []byte) int {
	n := 0
	for _, m := range cell.FindAllSubmatch(out, -1) {
		k, _ := strconv.Atoi(string(m[1]))
		n += k
	}
	return n
}
