package heapgrowth

import (
	"fmt"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
)

func TestJudgeCounts(t *testing.T) {
	tests := []struct {
		name   string
		counts []float64
		want   report.GrowthVerdict
	}{
		{"a line", []float64{1000, 2000, 3000, 4000, 5000, 6000, 7000}, report.Leak},
		{"a line in few snapshots", []float64{1000, 2000, 3000, 4000}, report.Growing},
		{"two snapshots", []float64{1000, 2000}, report.Growing},
		{"five snapshots", []float64{10, 20, 30, 40, 50}, report.Leak},
		{"a full cache", []float64{1000, 2000, 3000, 4000, 4000, 4000, 4000}, report.Bounded},
		{"a cache full late", []float64{1000, 2000, 3000, 4000, 5000, 5000, 5000}, report.Bounded},
		{"a cache full at the very end", []float64{1000, 2000, 3000, 4000, 5000, 6000, 6000}, report.Growing},
		{"a cache full with churn", []float64{1000, 2000, 3000, 4000, 4003, 3999, 4001}, report.Bounded},
		{"keys drawn at random", []float64{632, 864, 950, 981, 993, 997, 999}, report.Bounded},
		{"many keys drawn at random", []float64{1813, 3297, 4512, 5507, 6321, 6988, 7534}, report.Growing},
		{"so many keys, most of them there", []float64{21, 321, 621, 921, 1100}, report.Growing},
		{"keys drawn at random, few of them there", []float64{20, 278, 515, 746, 941, 1152, 1319}, report.Growing},
		{"nothing", []float64{7, 7, 7, 7, 7}, report.Noise},
		{"comes and goes", []float64{50, 80, 40, 90, 45, 85, 50}, report.Noise},
		{"a little", []float64{30000, 30003, 30003, 30005, 30006, 30007, 30008}, report.Noise},
		{"steps of a growing table", []float64{64, 64, 128, 128, 128, 256, 256}, report.Growing},
		{"a large class and a leak", []float64{1e6, 1.001e6, 1.002e6, 1.003e6, 1.004e6, 1.005e6, 1.006e6}, report.Leak},
		{"warm-up, then a line", []float64{10, 5000, 6000, 7000, 8000, 9000, 10000}, report.Leak},
		{"an uneven line", []float64{0, 900, 2100, 2900, 4200, 5000, 6100}, report.Leak},
		{"falling", []float64{700, 600, 500, 400, 300, 200, 100}, report.Noise},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := evenly(len(tt.counts)).judge(tt.counts); got.verdict != tt.want {
				t.Errorf("%v: %s (%+v), want %s", tt.counts, got.verdict, got, tt.want)
			}
		})
	}
}

// No series that ever stops is a leak, however it got there and however many
// snapshots there are.
func TestWhatStopsIsNoLeak(t *testing.T) {
	for n := 5; n <= 20; n++ {
		for stop := 1; stop < n-1; stop++ {
			for _, shape := range []string{"line", "square", "steps"} {
				t.Run(fmt.Sprint(shape, n, "-", stop), func(t *testing.T) {
					var counts []float64
					for i := range n {
						x := float64(min(i, stop))
						switch shape {
						case "square":
							x *= x
						case "steps":
							x = float64(int(x) / 2 * 2)
						}
						counts = append(counts, 100+1000*x)
					}
					if got := evenly(n).judge(counts); got.verdict == report.Leak {
						t.Errorf("%v is called a leak: %+v", counts, got)
					}
				})
			}
		}
	}
}

func TestTheilSen(t *testing.T) {
	if slope, err := evenly(4).theilSen([]float64{1, 3, 5, 7}); slope != 2 || err != 0 {
		t.Errorf("a line of 2 has the slope %v ± %v", slope, err)
	}
	if slope, _ := evenly(5).theilSen([]float64{1, 3, 500, 7, 9}); slope < 1.5 || slope > 2.5 {
		t.Errorf("one odd point moves the slope to %v", slope)
	}
	if slope, err := evenly(0).theilSen(nil); slope != 0 || err != 0 {
		t.Errorf("nothing has the slope %v ± %v", slope, err)
	}
}
