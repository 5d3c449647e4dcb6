// Benchheap measures ccheck heap diff beside MemLab and go tool pprof, in turn on
// the same files: four snapshots of a Node heap with four planted leaks, and two
// Go profiles of 65536 stacks. It prints CPU time, wall time and peak memory, the
// ratios that count, and the last line of what each tool says.
//
//	go run ./cmd/benchheap [-rounds 1] [-units 40000] [-memlab PATH] [-dir FOLDER]
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/ccheck/ccheck/cmd/internal/bench"
)

type options struct {
	rounds, units       int
	ccheck, memlab, dir string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 1, "rounds; medians are printed")
	flag.IntVar(&o.units, "units", 40000, "units of work between two snapshots; 40000 make the last one about 300 MB")
	flag.StringVar(&o.ccheck, "ccheck", "", "the ccheck to measure (default: built from this tree)")
	flag.StringVar(&o.memlab, "memlab", "memlab", "the MemLab to compare with")
	flag.StringVar(&o.dir, "dir", "", "folder with snapshots from before (default: new ones, removed again)")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "benchheap:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	work, err := os.MkdirTemp("", "ccheck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if o.dir == "" {
		o.dir = work
	}
	if o.ccheck, err = bench.Build(ctx, o.ccheck, work); err != nil {
		return err
	}
	heaps, err := snapshots(ctx, o)
	if err != nil {
		return err
	}
	profiles, err := profiles(work)
	if err != nil {
		return err
	}
	f := heaps
	compare(ctx, o, []*tool{
		{name: "ccheck heap diff", args: append([]string{o.ccheck, "heap", "diff"}, f...)},
		{name: "memlab unbound-shape", args: []string{o.memlab, "analyze", "unbound-shape", "--snapshot-dir", o.dir, "--work-dir", filepath.Join(work, "memlab")}},
		{name: "memlab find-leaks", args: []string{o.memlab, "find-leaks", "--baseline", f[0], "--target", f[1], "--final", f[3], "--work-dir", filepath.Join(work, "memlab")}},
	})
	compare(ctx, o, []*tool{
		{name: "ccheck heap diff", args: append([]string{o.ccheck, "heap", "diff"}, profiles...)},
		{name: "go tool pprof", args: []string{"go", "tool", "pprof", "-top", "-diff_base", profiles[0], profiles[1]}},
	})
	return nil
}

// snapshots has a Node process write the snapshots, unless they are there.
func snapshots(ctx context.Context, o options) ([]string, error) {
	var files []string
	for i := range 4 {
		files = append(files, filepath.Join(o.dir, fmt.Sprintf("s%d.heapsnapshot", i)))
	}
	if _, err := os.Stat(files[3]); err != nil {
		cmd := exec.CommandContext(ctx, "node", "--max-old-space-size=4000", "probes/heap/testdata/node/server.js", "probes/heap/testdata/node/mixed.js")
		cmd.Env = append(os.Environ(), "SNAPSHOTS="+o.dir, "ROUNDS=4", fmt.Sprintf("UNITS=%d", o.units))
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("writing the snapshots: %w", err)
		}
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return nil, err
		}
		fmt.Printf("%s %d MB\n", filepath.Base(f), info.Size()>>20)
	}
	return files, nil
}

// profiles writes two heap profiles with 65536 stacks of eight frames each.
func profiles(dir string) ([]string, error) {
	var files []string
	for k := range 2 {
		p := &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
			PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10, DefaultSampleType: "inuse_space",
		}
		for i := range 2048 {
			f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("example.com/app/part%d.(*Type%d).Method%d", i%37, i%211, i), Filename: fmt.Sprintf("/app/part%d/file%d.go", i%37, i)}
			p.Function = append(p.Function, f)
			p.Location = append(p.Location, &profile.Location{ID: uint64(i + 1), Address: uint64(0x400000 + 16*i), Line: []profile.Line{{Function: f, Line: int64(i%900 + 1)}}})
		}
		for i := range 1 << 16 {
			s := &profile.Sample{NumLabel: map[string][]int64{"bytes": {512}}}
			for d := range 8 {
				s.Location = append(s.Location, p.Location[(i*(d*2+1)+i>>(2*d))%2048])
			}
			n := int64(1024 * (1 + (i+k*i%3)%5))
			s.Value = []int64{n, n * 512, n, n * 512}
			p.Sample = append(p.Sample, s)
		}
		files = append(files, filepath.Join(dir, fmt.Sprintf("heap%d.pb.gz", k)))
		f, err := os.Create(files[k])
		if err != nil {
			return nil, err
		}
		if err := errors.Join(p.Write(f), f.Close()); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// tool is one of those that are compared; the first is ours.
type tool struct {
	name  string
	args  []string
	costs []bench.Cost
	says  string
}

func compare(ctx context.Context, o options, tools []*tool) {
	for range o.rounds {
		for _, t := range tools {
			var out bytes.Buffer
			cmd := exec.CommandContext(ctx, t.args[0], t.args[1:]...)
			cmd.Stdout, cmd.Stderr = &out, &out
			cost, err := bench.Run(cmd) // findings are no error here
			var ended *exec.ExitError
			if err != nil && !errors.As(err, &ended) {
				t.says = err.Error()
				continue
			}
			t.costs, t.says = append(t.costs, cost), lastLine(out.String())
		}
	}
	ours := bench.Cost{}
	fmt.Printf("\n%-22s %10s %10s %10s %14s\n", "", "CPU", "wall", "memory", "CPU, memory ÷ ours")
	for i, t := range tools {
		if len(t.costs) == 0 {
			fmt.Printf("%-22s could not be run: %s\n", t.name, t.says)
			continue
		}
		c := bench.MedianCost(t.costs)
		if i == 0 {
			ours = c
		}
		fmt.Printf("%-22s %9.2fs %9.2fs %7d MB %7.1f %6.1f  %s\n", t.name, c.CPU.Seconds(), c.Wall.Seconds(), c.Memory>>20,
			c.CPU.Seconds()/ours.CPU.Seconds(), float64(c.Memory)/float64(ours.Memory), t.says)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	return last[:min(len(last), 100)]
}
