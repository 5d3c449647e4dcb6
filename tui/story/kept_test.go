package story

import (
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
)

// The stacks of goroutines are in what they keep and not in the heap, so that the
// share is not that of the bytes.
func TestKept(t *testing.T) {
	tests := []struct {
		growth report.Growth
		want   string
	}{
		{report.Growth{}, ""},
		{report.Growth{Bytes: 2 << 20, Share: 0.5, Unit: "objects"}, "+2.1 MB, 50 % of the growth of the heap"},
		{report.Growth{Bytes: 2 << 20, Share: 0.03, Unit: "goroutines"},
			"+2.1 MB, most of it stacks, which are beside the heap; the rest is 3 % of the growth of the heap"},
	}
	for _, tt := range tests {
		if got := kept(tt.growth); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.growth, got, tt.want)
		}
	}
}
