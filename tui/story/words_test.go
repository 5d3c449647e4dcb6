package story_test

import (
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/tui/story"
)

// What was found stands however little happened, so that the line of evidence
// beside it must not say that nothing is proven.
func TestEvidenceAgreesWithTheVerdict(t *testing.T) {
	weak, strong := report.Evidence{Overlaps: 3}, report.Evidence{Overlaps: 300, Enough: true}
	tests := []struct {
		verdict  report.Verdict
		evidence report.Evidence
		want     string
	}{
		{report.Clean, strong, "contention proven: 300 overlaps on the same rows"},
		{report.Faulty, strong, "contention proven: 300 overlaps"},
		{report.Unknown, weak, "contention not proven: 3 overlaps"},
		{report.Faulty, weak, "enough for what was found, too little to clear the rest: 3 overlaps"},
	}
	for _, tt := range tests {
		got := story.Options{}.Evidence(report.Summary{Verdict: tt.verdict, Evidence: tt.evidence})
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.verdict, got, tt.want)
		}
	}
}

// A seed is told where something was chosen by it.
func TestTitleTellsTheSeed(t *testing.T) {
	for seed, want := range map[uint64]bool{0: false, 7: true} {
		got := ""
		for _, l := range story.Title(report.Run{Probe: "bleed", Clients: 20, Seed: seed}, story.Options{Width: 100}) {
			for _, s := range l.Segments {
				got += s.Text
			}
		}
		if strings.Contains(got, "seed") != want {
			t.Errorf("seed %d: %q", seed, got)
		}
	}
}
