package flags

import (
	"slices"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/probes/scenario"
)

func TestOutcome(t *testing.T) {
	high, low := report.Finding{Severity: report.High}, report.Finding{Severity: report.Low}
	tests := []struct {
		name     string
		o        Outcome
		verdict  report.Verdict
		findings []report.Finding
		code     int
	}{
		{"clean", Outcome{FailOn: "low"}, report.Clean, nil, exit.Clean},
		{"unknown", Outcome{FailOn: "low"}, report.Unknown, nil, exit.Unknown},
		{"faulty", Outcome{FailOn: "low"}, report.Faulty, []report.Finding{low}, exit.Findings},
		{"below", Outcome{FailOn: "high"}, report.Faulty, []report.Finding{low}, exit.Clean},
		{"below, the rest unknown", Outcome{FailOn: "high"}, report.Unknown, []report.Finding{low}, exit.Unknown},
		{"one of two", Outcome{FailOn: "high"}, report.Faulty, []report.Finding{low, high}, exit.Findings},
		{"exit zero", Outcome{FailOn: "low", ExitZero: true}, report.Faulty, []report.Finding{high}, exit.Clean},
		{"exit zero, unknown", Outcome{FailOn: "low", ExitZero: true}, report.Unknown, nil, exit.Clean},
	}
	for _, tt := range tests {
		if got := tt.o.Code(tt.verdict, tt.findings); got != tt.code {
			t.Errorf("%s: code %d, want %d", tt.name, got, tt.code)
		}
	}
	if err := (&Outcome{FailOn: "grave"}).Check(); exit.Code(err) != exit.Usage {
		t.Errorf("--fail-on grave: %v", err)
	}
}

func TestIsolation(t *testing.T) {
	rc, rr, ser := scenario.ReadCommitted, scenario.RepeatableRead, scenario.Serializable
	tests := []struct {
		text string
		want []scenario.Isolation
		ok   bool
	}{
		{"", nil, true},
		{"rc", []scenario.Isolation{rc}, true},
		{"ser, RC", []scenario.Isolation{ser, rc}, true},
		{"repeatable read", []scenario.Isolation{rr}, true},
		{"all", []scenario.Isolation{rc, rr, ser}, true},
		{"rc,", nil, false},
		{"read uncommitted", nil, false},
	}
	for _, tt := range tests {
		i := Isolation{Text: tt.text}
		if err := i.Parse(); (err == nil) != tt.ok || tt.ok && !slices.Equal(i.Levels, tt.want) {
			t.Errorf("%q: %v, %v", tt.text, i.Levels, err)
		}
	}
	for _, level := range Levels {
		i := Isolation{Text: Short(level)}
		if err := i.Parse(); err != nil || !slices.Equal(i.Levels, []scenario.Isolation{level}) {
			t.Errorf("%s is short for %v, %v", i.Text, i.Levels, err)
		}
	}
}
