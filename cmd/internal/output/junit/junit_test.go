package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/output/junit"
	"github.com/ccheck/ccheck/tui/story/storytest"
)

func tell(t *testing.T, run report.Run, sum report.Summary, findings ...report.Finding) string {
	t.Helper()
	var out bytes.Buffer
	s := junit.New(&out)
	errs := []error{s.Begin(run)}
	s.Progress(storytest.Progress())
	for _, f := range findings {
		errs = append(errs, s.Add(f))
	}
	if err := errors.Join(append(errs, s.End(sum))...); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	vet := report.Run{Tool: "ccheck v0.1.0", Probe: "vet", Target: "./..."}
	again := storytest.LostUpdate()
	again.Message = "The same claim, another race."
	storytest.Golden(t, "faulty.xml", tell(t, storytest.Run(), storytest.Summary(), storytest.LostUpdate(), again, storytest.Unretried()))
	storytest.Golden(t, "leak.xml", tell(t, report.Run{Probe: "heap", Scenario: "diff"}, report.Summary{Verdict: report.Faulty}, storytest.Leak()))
	storytest.Golden(t, "clean.xml", tell(t, vet, report.Summary{Verdict: report.Clean, Line: "ccheck: clean"}))
	storytest.Golden(t, "unknown.xml", tell(t, storytest.Run(), report.Summary{Verdict: report.Unknown, Reasons: []string{"too little contention: 3 overlaps, 100 are needed"}}))
}

// totals is what a build server counts.
type totals struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

// A claim passes where it was judged, and nowhere else.
func TestTotals(t *testing.T) {
	one := report.Run{Probe: "stress", Claims: []string{"money is conserved"}}
	state := func(word string) report.Progress {
		return report.Progress{Claims: []report.ClaimState{{Name: "money is conserved", State: word}}}
	}
	other := report.Finding{Rule: "retry", Message: "m"}
	tests := []struct {
		name     string
		sum      report.Summary
		findings []report.Finding
		want     totals
	}{
		{"clean", report.Summary{Verdict: report.Clean}, nil, totals{Tests: 1}},
		{"unknown", report.Summary{Verdict: report.Unknown}, nil, totals{Tests: 2, Errors: 1, Skipped: 1}},
		{"broken, no story", report.Summary{Verdict: report.Faulty, Final: state("bad")}, nil, totals{Tests: 2, Failures: 2}},
		{"never looked at", report.Summary{Verdict: report.Clean, Final: state("waiting")}, nil, totals{Tests: 1, Skipped: 1}},
		{"another fault, too little contention", report.Summary{Verdict: report.Faulty}, []report.Finding{other}, totals{Tests: 2, Failures: 1, Skipped: 1}},
		{"another fault, contention", report.Summary{Verdict: report.Faulty, Evidence: report.Evidence{Enough: true}}, []report.Finding{other}, totals{Tests: 2, Failures: 1}},
		{"its own", report.Summary{Verdict: report.Faulty}, []report.Finding{storytest.LostUpdate()}, totals{Tests: 1, Failures: 1}},
	}
	for _, tt := range tests {
		var got totals
		if err := xml.Unmarshal([]byte(tell(t, one, tt.sum, tt.findings...)), &got); err != nil {
			t.Fatal(err)
		}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Whatever a server answered, the file stays XML.
func TestDataStaysData(t *testing.T) {
	f := storytest.LostUpdate()
	f.Message = "a \x00 \x1b[31m ]]> <b attr=\"x\"> \xff &amp;"
	f.Repro.Psql = []string{f.Message}
	text := tell(t, storytest.Run(), report.Summary{Verdict: report.Faulty}, f)
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := dec.Token()
		if err != nil {
			if err.Error() != "EOF" {
				t.Errorf("%v in\n%s", err, text)
			}
			return
		}
	}
}

// full fails once its bytes are used up.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n := f.room
		f.room = 0
		return n, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestADiskThatFills(t *testing.T) {
	for room := range len(tell(t, report.Run{}, report.Summary{})) {
		if err := junit.New(&full{room}).End(report.Summary{}); !errors.Is(err, errFull) {
			t.Errorf("%d bytes: %v", room, err)
		}
	}
}
