package chart

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	a := Axis{Slots: 6, Total: 8, Width: 8}
	tests := []struct {
		name  string
		in    []float64
		ascii bool
		want  []string
	}{
		{"steps", []float64{0, 0, 10, 10, 5, 5}, false, []string{
			"  ╭─╮   ",
			"  │ ╰─  ",
			"──╯     "}},
		{"ascii", []float64{0, 0, 10, 10, 5, 5}, true, []string{
			"  .-.   ",
			"  | '-  ",
			"--'     "}},
		{"no numbers", []float64{math.NaN(), math.Inf(-1), -3, 0, 0, 0}, false, []string{
			"        ",
			"        ",
			"──────  "}},
		{"nothing", nil, false, []string{"        ", "        ", "        "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Line(tt.in, a, 3, 10, tt.ascii)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAxis has many slots on few columns and few slots on many.
func TestAxis(t *testing.T) {
	values := []float64{1, 3, 5, 7}
	if diff := cmp.Diff([]float64{2, 6}, Axis{Slots: 4, Width: 2}.resample(values)); diff != "" {
		t.Errorf("two columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 1, 3, 3, 5, 5, 7, 7}, Axis{Slots: 4, Width: 8}.resample(values)); diff != "" {
		t.Errorf("eight columns (-want +got):\n%s", diff)
	}
	if got := (Axis{Slots: 4, Total: 8, Width: 16}).Column(3); got != 6 {
		t.Errorf("slot 3 is in column %d, want 6", got)
	}
}

// TestHeat shows one slow call among a thousand fast ones.
func TestHeat(t *testing.T) {
	rows := Heat([][]int64{{1000, 0, 1}, {0, -5, 0}}, 3, Axis{Slots: 2, Width: 2}, false)
	want := [][]Cell{
		{{"·", 1}, {" ", 0}},
		{{" ", 0}, {" ", 0}},
		{{"█", 5}, {" ", 0}},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNice(t *testing.T) {
	for in, want := range map[float64]float64{0: 1, -1: 1, 0.3: 0.3, 7: 8, 1172: 1200, 900: 1000, math.Inf(1): 1} {
		if got := Nice(in); math.Abs(got-want) > 1e-9 {
			t.Errorf("Nice(%v) = %v, want %v", in, got, want)
		}
	}
}

func TestExpect(t *testing.T) {
	tests := []struct {
		total, slot time.Duration
		want        int
	}{
		{30 * time.Second, time.Second, 30},
		{time.Second + 1, time.Second, 2},
		{0, time.Second, 0},
		{time.Second, 0, 0},
		{math.MaxInt64, 1, maxSlots},
	}
	for _, tt := range tests {
		if got := Expect(tt.total, tt.slot); got != tt.want {
			t.Errorf("Expect(%v, %v) = %d, want %d", tt.total, tt.slot, got, tt.want)
		}
	}
}

func TestSparkAndBar(t *testing.T) {
	if got := Spark([]float64{0, 4, 8}, Axis{Slots: 3, Width: 3}, false); got != "▁▅█" {
		t.Errorf("Spark = %q", got)
	}
	if got := Bar(1, 4, 8, true); got != "##......" {
		t.Errorf("Bar = %q", got)
	}
	if got := Bar(9, 4, 3, true) + Bar(math.NaN(), 4, 3, true) + Bar(1, 0, 3, true); got != "###"+strings.Repeat(".", 6) {
		t.Errorf("Bar at its ends = %q", got)
	}
}
