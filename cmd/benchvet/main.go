// Benchvet measures ccheck vet beside staticcheck and go vet, in turn on one
// module: cold (an empty cache of the tool, while the Go command has compiled
// everything) and warm (the same again, nothing changed). It prints CPU time,
// wall time and peak memory, and the two ratios that count: cold CPU against
// staticcheck's, warm wall time against go vet's.
//
//	go run ./cmd/benchvet [-rounds 3] [-staticcheck PATH] FOLDER
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/bench"
)

type options struct {
	rounds      int
	ccheck      string
	staticcheck string
	dir         string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 3, "rounds; medians are printed")
	flag.StringVar(&o.ccheck, "ccheck", "", "the ccheck to measure (default: built from this tree)")
	flag.StringVar(&o.staticcheck, "staticcheck", "staticcheck", "the staticcheck to compare with")
	flag.Parse()
	if o.dir = flag.Arg(0); flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "benchvet: name the folder of one module")
		os.Exit(2)
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "benchvet:", err)
		os.Exit(1)
	}
}

// tool is one of the three.
type tool struct {
	name  string
	args  []string
	cache string // variable that names the folder of its cache
	cold  []bench.Cost
	warm  []bench.Cost
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "ccheck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.ccheck, err = bench.Build(ctx, o.ccheck, dir); err != nil {
		return err
	}
	gocache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output() // else it moves with XDG_CACHE_HOME
	if err != nil {
		return fmt.Errorf("asking for the build cache: %w", err)
	}
	compile := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "./...")
	compile.Dir = o.dir
	if err := compile.Run(); err != nil {
		return fmt.Errorf("compiling the module: %w", err)
	}
	tools := []*tool{
		{name: "ccheck vet", args: []string{o.ccheck, "vet", "./..."}, cache: "XDG_CACHE_HOME"},
		{name: "staticcheck", args: []string{o.staticcheck, "./..."}, cache: "STATICCHECK_CACHE"},
		{name: "go vet", args: []string{"go", "vet", "./..."}},
	}
	for round := range o.rounds {
		for _, t := range tools {
			if err := t.measure(ctx, o.dir, strings.TrimSpace(string(gocache)), filepath.Join(dir, fmt.Sprint(round))); err != nil {
				return fmt.Errorf("round %d: %w", round+1, err)
			}
		}
	}
	show(tools)
	return nil
}

// measure runs a tool with an empty cache, then again. Go vet has no cache of
// its own that could be emptied alone: both of its runs are warm after the first
// round.
func (t *tool) measure(ctx context.Context, module, gocache, cache string) error {
	for _, costs := range []*[]bench.Cost{&t.cold, &t.warm} {
		cmd := exec.CommandContext(ctx, t.args[0], t.args[1:]...)
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GOCACHE="+gocache)
		if t.cache != "" {
			cmd.Env = append(cmd.Env, t.cache+"="+cache)
		}
		c, err := bench.Run(cmd)
		var exited *exec.ExitError
		if err != nil && !errors.As(err, &exited) { // findings are no error here
			return fmt.Errorf("%s: %w", t.name, err)
		}
		*costs = append(*costs, c)
	}
	return nil
}

func show(tools []*tool) {
	fmt.Printf("%-12s %10s %10s %9s %10s %10s %9s\n", "", "cold CPU", "cold wall", "memory", "warm CPU", "warm wall", "memory")
	for _, t := range tools {
		c, w := bench.MedianCost(t.cold), bench.MedianCost(t.warm)
		fmt.Printf("%-12s %9.2fs %9.2fs %6d MB %9.2fs %9.2fs %6d MB\n", t.name, c.CPU.Seconds(), c.Wall.Seconds(), c.Memory>>20,
			w.CPU.Seconds(), w.Wall.Seconds(), w.Memory>>20)
	}
	ours, theirs, vet := tools[0], tools[1], tools[2]
	fmt.Printf("cold CPU, ccheck/staticcheck: %.2f\n", bench.MedianCost(ours.cold).CPU.Seconds()/bench.MedianCost(theirs.cold).CPU.Seconds())
	fmt.Printf("warm wall, ccheck/go vet: %.2f\n", bench.MedianCost(ours.warm).Wall.Seconds()/bench.MedianCost(vet.warm).Wall.Seconds())
}
