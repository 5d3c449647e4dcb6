// Package bench is what the programs that measure ccheck beside other tools
// share: building it, timing a process, medians. It measures and judges
// nothing; no test may import it, since no test looks at the time.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Build builds ccheck from this tree into dir, unless a binary is given.
func Build(ctx context.Context, given, dir string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	bin := filepath.Join(dir, "ccheck")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/ccheck")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building ccheck: %w", err)
	}
	return bin, nil
}

// Cost is what a process took, with the children that it waited for.
type Cost struct {
	CPU, Wall time.Duration
	Memory    int64 // peak of the largest of them, in bytes; 0 where the system does not tell
}

// Run runs the command. The cost is right also when it exits with an error.
func Run(cmd *exec.Cmd) (Cost, error) {
	start := time.Now()
	err := cmd.Run()
	c := Cost{Wall: time.Since(start)}
	if s := cmd.ProcessState; s != nil {
		c.CPU, c.Memory = s.UserTime()+s.SystemTime(), peak(s)
	}
	return c, err
}

// Median is the middle of the values, which must not be empty.
func Median[T cmp.Ordered](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// MedianCost takes each figure for itself.
func MedianCost(costs []Cost) Cost {
	var cpu, wall []time.Duration
	var memory []int64
	for _, c := range costs {
		cpu, wall, memory = append(cpu, c.CPU), append(wall, c.Wall), append(memory, c.Memory)
	}
	return Cost{CPU: Median(cpu), Wall: Median(wall), Memory: Median(memory)}
}

// Ratios divides the values of the same round, which holds when the speed of
// the machine drifts.
func Ratios(ours, theirs []float64) []float64 {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / theirs[i]
	}
	return ratios
}

// Spread tells the median of the ratios with the smallest and the largest.
func Spread(ratios []float64) string {
	return fmt.Sprintf("%.2f (%.2f–%.2f)", Median(ratios), slices.Min(ratios), slices.Max(ratios))
}
